package io.rxe.wire;

/** Explicit congestion notification: the two low bits of an IPv4 TOS or IPv6 traffic class. Source: RFC 3168. */
public final class Ecn {
    /** The bits of a traffic class that are ECN; the other six are the DSCP. */
    public static final int MASK = 3;
    /** ECT(0): routers may mark the packet instead of dropping it. */
    public static final int CAPABLE = 2;
    /** CE: a router marked the packet because its queue was long. */
    public static final int CONGESTION_EXPERIENCED = 3;

    private Ecn() {
    }

    /** {@return whether a router marked a packet with this traffic class} */
    public static boolean isCongestionExperienced(int trafficClass) {
        return (trafficClass & MASK) == CONGESTION_EXPERIENCED;
    }
}
