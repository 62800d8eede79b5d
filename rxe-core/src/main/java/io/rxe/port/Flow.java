package io.rxe.port;

import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.util.Objects;

/**
 * Addresses and UDP ports of a packet in its direction: the source of a sent packet is this NIC, that of a received one the peer.
 *
 * <p>Immutable, and compared by value. A queue pair creates its flow when its address vector is set, and a socket creates one for each
 * peer it receives from, so no packet allocates one. Holds the contribution of addresses and ports to the ICRC, computed once.
 */
public final class Flow {
    private final Gid source;
    private final Gid destination;
    private final int sourcePort;
    private final int destinationPort;
    private final int icrcSeed;
    private final boolean ipv4;

    /**
     * @param source          address of the sender.
     * @param destination     address of the receiver, of the same family.
     * @param sourcePort      UDP source port, 0 to 65535.
     * @param destinationPort UDP destination port, 0 to 65535: 4791 except in tests.
     * @throws IllegalArgumentException when one address is IPv4 and the other IPv6.
     */
    public Flow(Gid source, Gid destination, int sourcePort, int destinationPort) {
        if (source.isIpv4() != destination.isIpv4()) {
            throw new IllegalArgumentException("source " + source + " and destination " + destination
                + " are of different address families: use two IPv4 or two IPv6 addresses");
        }
        this.source = source;
        this.destination = destination;
        this.sourcePort = sourcePort;
        this.destinationPort = destinationPort;
        this.ipv4 = source.isIpv4();
        this.icrcSeed = Icrc.seed(source, destination, sourcePort, destinationPort);
    }

    public Gid source() {
        return source;
    }

    public Gid destination() {
        return destination;
    }

    public int sourcePort() {
        return sourcePort;
    }

    public int destinationPort() {
        return destinationPort;
    }

    /** Whether packets of this flow have an IPv4 header, whose identification the ICRC covers. */
    public boolean isIpv4() {
        return ipv4;
    }

    /** Contribution of addresses and ports to the ICRC; see {@link Icrc#seed}. */
    public int icrcSeed() {
        return icrcSeed;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Flow flow
            && sourcePort == flow.sourcePort && destinationPort == flow.destinationPort
            && source.equals(flow.source) && destination.equals(flow.destination);
    }

    @Override
    public int hashCode() {
        return Objects.hash(source, destination, sourcePort, destinationPort);
    }

    @Override
    public String toString() {
        return source + ":" + sourcePort + " > " + destination + ":" + destinationPort;
    }
}
