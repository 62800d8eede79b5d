package io.rxe.tools.loopback;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.tools.cli.NicOptions;
import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;

/** The two NICs of a loopback run, open together. */
final class LoopbackNics implements AutoCloseable {
    private final RxeNic first;
    private RxeNic second;

    /** @throws IllegalArgumentException if one address is IPv4 and the other IPv6. */
    LoopbackNics(RxeNicOptions options, RxeNicOptions peerOptions) {
        first = NicOptions.open(options);
        try {
            second = NicOptions.open(peerOptions);
            if (!family(first).equals(family(second))) {
                throw new IllegalArgumentException("-d " + options.address() + " is " + family(first) + " and --peer-dev "
                    + peerOptions.address() + " is " + family(second) + ": give two addresses of one family");
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static String family(RxeNic nic) {
        return nic.device().gid().isIpv4() ? "IPv4" : "IPv6";
    }

    Device first() {
        return first.device();
    }

    Device second() {
        return second.device();
    }

    NicCounters counters() {
        return new NicCounters(first, second);
    }

    /**
     * Chooses the path MTU.
     *
     * @param wantedBytes the requested one; null for the largest that both interfaces support.
     * @throws IllegalArgumentException if it does not exist or exceeds what both interfaces support.
     */
    PathMtu pathMtu(Integer wantedBytes) {
        PathMtu one = first.device().portMtu();
        PathMtu other = second.device().portMtu();
        PathMtu largest = one.bytes() < other.bytes() ? one : other;
        PathMtu pathMtu = wantedBytes == null ? largest : PathMtu.ofBytes(wantedBytes);
        if (pathMtu.bytes() > largest.bytes()) {
            throw new IllegalArgumentException("path MTU " + pathMtu.bytes() + " > port MTU " + largest.bytes()
                + ": lower --mtu or raise the interface MTU to " + (pathMtu.bytes() + PathMtu.HEADROOM_BYTES));
        }
        return pathMtu;
    }

    @Override
    public void close() {
        first.close();
        if (second != null) {
            second.close();
        }
    }
}
