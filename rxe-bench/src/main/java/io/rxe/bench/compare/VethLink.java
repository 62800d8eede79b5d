package io.rxe.bench.compare;

import java.util.List;

/**
 * A veth pair between two network namespaces, as {@code tools/compare --veth} makes it: pair N has the addresses 198.18.N.1 and
 * 198.18.N.2 (RFC 2544 keeps that block for measurements).
 *
 * @param number   of the pair, from 1.
 * @param mtu      of both interfaces.
 * @param offloads whether the offloads stay as they come; otherwise TSO, GSO and GRO are off.
 */
record VethLink(int number, int mtu, boolean offloads) {
    /** MTU of an ordinary Ethernet. */
    static final int ETHERNET_MTU = 1500;
    private static final int JUMBO_MTU = 9000;
    private static final int PATH_MTU = 1024;
    private static final int JUMBO_PATH_MTU = 4096;

    static final List<VethLink> ALL = List.of(new VethLink(1, ETHERNET_MTU, true), new VethLink(2, ETHERNET_MTU, false),
        new VethLink(3, JUMBO_MTU, true), new VethLink(4, JUMBO_MTU, false));

    /** The largest path MTU that fits. */
    int pathMtu() {
        return mtu == ETHERNET_MTU ? PATH_MTU : JUMBO_PATH_MTU;
    }

    String name() {
        return "veth " + mtu + (offloads ? "" : ", offloads off");
    }

    /** Name of a figure. */
    String key(String figure) {
        return "veth/" + number + '/' + figure;
    }

    /** Address of the sending side. */
    String sender() {
        return "198.18." + number + ".1";
    }

    /** Address of the receiving side. */
    String receiver() {
        return "198.18." + number + ".2";
    }
}
