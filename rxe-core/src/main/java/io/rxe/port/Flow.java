package io.rxe.port;

import io.rxe.wire.Ecn;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.util.Objects;

/**
 * Addresses, UDP ports and traffic class of a packet in its direction: the source of a sent packet is this NIC, that of a received one
 * the peer.
 *
 * <p>Immutable, and compared by value, except the traffic class: flows that differ in nothing else are the same path, and equal. A
 * queue pair creates its flow when its address vector is set, and a socket creates one for each peer it receives from, so no packet
 * allocates one. Holds the contribution of addresses and ports to the ICRC, computed once.
 */
public final class Flow {
    private final Gid source;
    private final Gid destination;
    private final int sourcePort;
    private final int destinationPort;
    private final int icrcSeed;
    private final boolean ipv4;
    private final int trafficClass;

    /** A flow with traffic class 0; arguments as below. */
    public Flow(Gid source, Gid destination, int sourcePort, int destinationPort) {
        this(source, destination, sourcePort, destinationPort, 0);
    }

    /**
     * @param source          address of the sender.
     * @param destination     address of the receiver, of the same family.
     * @param sourcePort      UDP source port, 0 to 65535.
     * @param destinationPort UDP destination port, 0 to 65535: 4791 except in tests.
     * @param trafficClass    IPv4 TOS or IPv6 traffic class, 0 to 255: DSCP and ECN. Of a received packet 0 where the port knows
     *                        no more than whether it is marked CE.
     * @throws IllegalArgumentException when one address is IPv4 and the other IPv6, or the traffic class is out of range.
     */
    public Flow(Gid source, Gid destination, int sourcePort, int destinationPort, int trafficClass) {
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
        this.trafficClass = checked(trafficClass);
    }

    private Flow(Flow other, int trafficClass) {
        this.source = other.source;
        this.destination = other.destination;
        this.sourcePort = other.sourcePort;
        this.destinationPort = other.destinationPort;
        this.ipv4 = other.ipv4;
        this.icrcSeed = other.icrcSeed;
        this.trafficClass = checked(trafficClass);
    }

    private static int checked(int trafficClass) {
        if (trafficClass < 0 || trafficClass > 255) {
            throw new IllegalArgumentException("traffic class " + trafficClass + " is not in 0..255: the DSCP times 4");
        }
        return trafficClass;
    }

    /** {@return the same path with a traffic class, 0 to 255} */
    public Flow withTrafficClass(int value) {
        return value == trafficClass ? this : new Flow(this, value);
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

    /** IPv4 TOS or IPv6 traffic class, 0 to 255. The ICRC does not cover it. */
    public int trafficClass() {
        return trafficClass;
    }

    /** Whether a router marked the received packet because its queue was long (ECN CE). */
    public boolean isCongestionExperienced() {
        return Ecn.isCongestionExperienced(trafficClass);
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
