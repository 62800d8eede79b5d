package io.rxe.port;

import io.rxe.wire.Ecn;
import java.util.Locale;

/**
 * What a NIC does with explicit congestion notification. The roles have the names that adapters give them.
 *
 * @param reactionPoint      whether routers may mark what carries data, requests and READ responses: it leaves as ECT(0); and whether
 *                           CNPs are obeyed, which are forged where nothing can be marked.
 * @param notificationPoint  whether marks (CE) are seen, and peers notified with CNPs. It takes a second socket for each engine and
 *                           port, one more receive call for each batch, and the sockets dedicated to busy peers.
 * @param notifiesEveryPeer  whether a peer that is not known as an rxe (rule G1) gets CNPs too. Set it for adapters only: a kernel peer
 *                           must never get an opcode that it does not know (rule K8).
 * @param cnpDscp            DSCP of CNPs, 0 to 63.
 */
public record EcnOptions(boolean reactionPoint, boolean notificationPoint, boolean notifiesEveryPeer, int cnpDscp) {
    /** DSCP of CNPs that adapters use by default. */
    public static final int DEFAULT_CNP_DSCP = 48;
    /** Neither role. */
    public static final EcnOptions OFF = new EcnOptions(false, false, false, DEFAULT_CNP_DSCP);
    /** Both roles, among rxe. */
    public static final EcnOptions ON = new EcnOptions(true, true, false, DEFAULT_CNP_DSCP);
    /** Both roles, with every peer, which must be adapters then. */
    public static final EcnOptions ALL = new EcnOptions(true, true, true, DEFAULT_CNP_DSCP);

    private static final int MAX_DSCP = 63;

    /** @throws IllegalArgumentException when the DSCP is out of range. */
    public EcnOptions {
        if (cnpDscp < 0 || cnpDscp > MAX_DSCP) {
            throw new IllegalArgumentException("DSCP " + cnpDscp + " of CNPs is not in 0.." + MAX_DSCP
                + ": it is the traffic class divided by 4, adapters use " + DEFAULT_CNP_DSCP);
        }
    }

    /**
     * Reads the roles, as options and environment variables give them.
     *
     * @param mode {@code off}, {@code on} or {@code all}.
     * @throws IllegalArgumentException for another text, naming it and these three.
     */
    public static EcnOptions parse(String mode) {
        return switch (mode.toLowerCase(Locale.ROOT)) {
            case "off" -> OFF;
            case "on" -> ON;
            case "all" -> ALL;
            default -> throw new IllegalArgumentException("'" + mode + "' is no ECN mode: use off, on, which notifies peers that are rxe,"
                + " or all, where every peer is an adapter");
        };
    }

    /** @throws IllegalArgumentException when the DSCP is out of range. */
    public EcnOptions withCnpDscp(int dscp) {
        return new EcnOptions(reactionPoint, notificationPoint, notifiesEveryPeer, dscp);
    }

    /** Traffic class of CNPs; routers may not mark them. */
    public int cnpTrafficClass() {
        return cnpDscp * (Ecn.MASK + 1);
    }
}
