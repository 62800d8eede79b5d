package io.rxe.sim;

import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;

/** Queue pair attributes and workload of one side of a connection, drawn from the seed. */
final class ApplicationSettings {
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
    double signalProbability = 0.6;
    double fenceProbability = 0.05;
    /** Longest time between two iterations of the application. */
    int stepNs = 20_000;
    /** Probability that it sleeps for milliseconds before its next iteration. */
    double sleepProbability;
    /** Probability that an iteration posts no receives. */
    double skipReceiveProbability;
    /** Weights of SEND, with immediate, with invalidate, WRITE, with immediate, READ, CAS, FAA. */
    int[] mix = MIX_ALL;
    /** Share of the requests that are ATOMIC_WRITEs and FLUSHes. */
    double placementShare;
    /** Index of the request with an error, and the error; or -1. */
    int errorAt = -1;
    InjectedError error = InjectedError.NONE;
    /** Index of the first receive with an invalid lkey; or -1. */
    int invalidReceiveFrom = -1;
    /** Whether it migrates between two paths. */
    boolean twoPaths;
    /** After how long an idle connection is tested; 0 for never. */
    long keepAliveNs;
    /** What connection management says of the peer: whether it gives end-to-end credits. */
    boolean peerGivesCredits = true;

    /** Draws one side. The connection sets the path MTU and whatever else both sides must agree on. */
    static ApplicationSettings draw(SeededRandom random, SimulationOptions options) {
        ApplicationSettings drawn = new ApplicationSettings();
        drawn.timeout = random.chance(0.2) ? random.between(8, 11) : random.between(12, 15);
        drawn.retryCount = random.chance(0.8) ? 7 : random.between(0, 6);
        drawn.rnrRetry = random.chance(0.8) ? 7 : random.between(0, 6);
        drawn.minRnrTimer = random.between(1, 14);
        drawn.maxDestRdAtomic = random.chance(0.3) ? random.between(1, 3) : random.between(4, 20);
        drawn.sendDepth = random.oneOf(2, 4, 8, 16, 32, 64);
        drawn.receiveDepth = random.oneOf(1, 2, 4, 8, 16, 32);
        drawn.maxSendElements = random.between(1, 6);
        drawn.maxReceiveElements = random.between(1, 6);
        drawn.maxInline = random.chance(0.5) ? random.oneOf(16, 64, 220, 1000) : 0;
        drawn.total = random.between(options.requests / 2, options.requests);
        drawn.startPsn = random.chance(0.5) ? 0xFFFFFF - random.between(0, 40) : random.bits() & 0xFFFFFF;
        drawn.signalAll = random.chance(0.15);
        drawn.signalProbability = random.oneOf(new Double[] {0.1, 0.5, 1.0});
        drawn.fenceProbability = random.oneOf(new Double[] {0.0, 0.05, 0.3});
        drawn.stepNs = random.oneOf(2_000, 20_000, 100_000);
        drawn.sleepProbability = random.chance(0.3) ? 0.02 : 0;
        drawn.skipReceiveProbability = options.lossless ? 0 : random.oneOf(new Double[] {0.0, 0.0, 0.3, 0.8});
        drawn.mix = random.chance(0.5) ? MIX_ALL : random.oneOf(new int[][] {MIX_SENDS, MIX_ANSWERED, MIX_WRITES});
        drawn.placementShare = options.has(Feature.PLACEMENT) ? 0.5 : 0;
        if (options.has(Feature.KEEP_ALIVE)) {
            drawn.keepAlive(random);
        }
        if (options.has(Feature.CREDIT_BIT)) {
            drawn.creditBit(random);
        }
        return drawn;
    }

    /** Sleeps long enough to be idle. On some connections few questions without an answer are enough. */
    private void keepAlive(SeededRandom random) {
        keepAliveNs = random.between(1_000_000L, 4_000_000L);
        sleepProbability = 0.2;
        if (random.chance(0.3)) {
            timeout = random.between(8, 9);
            retryCount = random.between(0, 2);
        }
    }

    private void creditBit(SeededRandom random) {
        peerGivesCredits = random.chance(0.3);
        skipReceiveProbability = random.oneOf(new Double[] {0.0, 0.5, 0.9});
        mix = random.chance(0.7) ? MIX_SENDS : mix;
    }

    /** Attributes for RTS. */
    QueuePairAttributes toReadyToSend() {
        return QueuePairAttributes.toReadyToSend(startPsn).timeout(timeout).retryCount(retryCount).rnrRetry(rnrRetry)
            .maxRdAtomic(maxRdAtomic).keepAliveNs(keepAliveNs).endToEndCredits(peerGivesCredits);
    }

    /** Messages of hundreds of packets, and few of them. */
    void longMessages(int bytes, SeededRandom random) {
        maxMessage = bytes;
        sendDepth = Math.min(sendDepth, random.between(2, 4));
        receiveDepth = Math.min(receiveDepth, random.between(1, 4));
        total = Math.min(total, random.between(3, 10));
    }

    /** A path counts as dead after some milliseconds, so that a cut in the middle of traffic is one. */
    void overTwoPaths(boolean isMigrating, SeededRandom random) {
        twoPaths = isMigrating;
        timeout = isMigrating ? random.between(9, 11) : timeout;
        retryCount = isMigrating ? random.between(1, 3) : retryCount;
    }

    /** Size of one slot of local memory, which holds the data of one request. */
    int localSlotBytes() {
        return maxMessage + mtu.bytes() + ElementLayout.MAX_GAP_BYTES + 15 & ~7;
    }

    int receiveSlotBytes() {
        return maxMessage + ElementLayout.MAX_GAP_BYTES + 15 & ~7;
    }

    @Override
    public String toString() {
        return "mtu " + mtu.bytes() + " timeout " + timeout + " retry " + retryCount + " rnr " + rnrRetry + " min_rnr " + minRnrTimer
            + " rd " + maxRdAtomic + "/" + maxDestRdAtomic + " depth " + sendDepth + "/" + receiveDepth + " message " + maxMessage
            + " requests " + total + " psn " + Integer.toHexString(startPsn) + (errorAt >= 0 ? " " + error + " at " + errorAt : "")
            + (invalidReceiveFrom >= 0 ? " invalid receives from " + invalidReceiveFrom : "")
            + (keepAliveNs > 0 ? " keep-alive after " + keepAliveNs / 1_000 + " us" : "") + (peerGivesCredits ? "" : " no credits");
    }
}
