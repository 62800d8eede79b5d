package io.rxe.sim;

import io.rxe.verbs.PathMtu;

/** One side of a connection, drawn from the seed. */
final class EndpointSettings {
    private static final int[] MIX_ALL = {20, 8, 3, 25, 8, 20, 6, 10};
    private static final int[] MIX_SENDS = {60, 20, 10, 0, 10, 0, 0, 0};
    private static final int[] MIX_ANSWERED = {5, 0, 0, 10, 0, 50, 15, 20};
    private static final int[] MIX_WRITES = {0, 5, 0, 80, 10, 5, 0, 0};

    PathMtu mtu = PathMtu.MTU_1024;
    int timeout = 14;
    int retryCount = 7;
    int rnrRetry = 7;
    int minRnrTimer = 1;
    int maxRdAtomic = 16;
    int maxDestRdAtomic = 16;
    int sendDepth = 16;
    int receiveDepth = 16;
    int maxMessage = 4096;
    int maxSendElements = 4;
    int maxReceiveElements = 4;
    int maxInline;
    int total = 40;
    int startPsn;
    boolean signalAll;
    double signalChance = 0.6;
    double fenceChance = 0.05;
    /** Longest time between two looks of the application. */
    int stepNs = 20_000;
    /** Chance that it sleeps for milliseconds instead. */
    double sleepChance;
    /** Chance that it posts no receives when it looks. */
    double receiveLaziness;
    /** Weights of SEND, with immediate, with invalidate, WRITE, with immediate, READ, CAS, FAA. */
    int[] mix = MIX_ALL;
    /** The request that is wrong, and how; or -1. */
    int wrongAt = -1;
    Wrong wrong = Wrong.NONE;
    /** Receives from this one on name memory that is not registered; or -1. */
    int badReceiveFrom = -1;

    /** Draws one side; path MTU and what both sides must agree on are set by the connection. */
    static EndpointSettings draw(Dice dice, SimulationOptions options) {
        EndpointSettings drawn = new EndpointSettings();
        drawn.timeout = dice.chance(0.2) ? dice.between(8, 11) : dice.between(12, 15);
        drawn.retryCount = dice.chance(0.8) ? 7 : dice.between(0, 6);
        drawn.rnrRetry = dice.chance(0.8) ? 7 : dice.between(0, 6);
        drawn.minRnrTimer = dice.between(1, 14);
        drawn.maxDestRdAtomic = dice.chance(0.3) ? dice.between(1, 3) : dice.between(4, 20);
        drawn.sendDepth = dice.oneOf(2, 4, 8, 16, 32, 64);
        drawn.receiveDepth = dice.oneOf(1, 2, 4, 8, 16, 32);
        drawn.maxSendElements = dice.between(1, 6);
        drawn.maxReceiveElements = dice.between(1, 6);
        drawn.maxInline = dice.chance(0.5) ? dice.oneOf(16, 64, 220, 1000) : 0;
        drawn.total = dice.between(options.requests / 2, options.requests);
        drawn.startPsn = dice.chance(0.5) ? 0xFFFFFF - dice.between(0, 40) : dice.bits() & 0xFFFFFF;
        drawn.signalAll = dice.chance(0.15);
        drawn.signalChance = dice.oneOf(new Double[] {0.1, 0.5, 1.0});
        drawn.fenceChance = dice.oneOf(new Double[] {0.0, 0.05, 0.3});
        drawn.stepNs = dice.oneOf(2_000, 20_000, 100_000);
        drawn.sleepChance = dice.chance(0.3) ? 0.02 : 0;
        drawn.receiveLaziness = options.calm ? 0 : dice.oneOf(new Double[] {0.0, 0.0, 0.3, 0.8});
        drawn.mix = dice.chance(0.5) ? MIX_ALL : dice.oneOf(new int[][] {MIX_SENDS, MIX_ANSWERED, MIX_WRITES});
        return drawn;
    }

    /** Bytes of one slot for the local side of a request. */
    int localSlotBytes() {
        return maxMessage + mtu.bytes() + Pieces.MAX_GAP_BYTES + 15 & ~7;
    }

    int receiveSlotBytes() {
        return maxMessage + Pieces.MAX_GAP_BYTES + 15 & ~7;
    }

    @Override
    public String toString() {
        return "mtu " + mtu.bytes() + " timeout " + timeout + " retry " + retryCount + " rnr " + rnrRetry + " min_rnr " + minRnrTimer
            + " rd " + maxRdAtomic + "/" + maxDestRdAtomic + " depth " + sendDepth + "/" + receiveDepth + " message " + maxMessage
            + " requests " + total + " psn " + Integer.toHexString(startPsn) + (wrongAt >= 0 ? " " + wrong + " at " + wrongAt : "")
            + (badReceiveFrom >= 0 ? " bad receives from " + badReceiveFrom : "");
    }
}
