package io.rxe.qp.congestion;

/**
 * Which losses are a sign of a queue that overflows, by round trips. The loss of what was in flight when a path went silent is none, and
 * after a pause of a few round trips what counts as lost may only be late.
 *
 * <pre>
 *   arrives   ########            a pause            ########
 *   lost                                    ........| doubted for two round trips; after a silence no sign of an overflow
 * </pre>
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
final class QueueLosses {
    /** More than this part of the bytes lost is the loss of a queue that overflows. */
    private static final int MOST_LOST = 7;
    private static final int ROUNDS_AFTER_PAUSE = 2;
    /** A pause, in round trips. */
    private static final int PAUSE = 4;

    private final LossShare share = new LossShare(MOST_LOST);
    /** When a packet arrived last. */
    private long arrivedNs;
    private int roundsAfterSilence;
    private int roundsAfterPause;
    /** When a packet was lost last that was not only late, as far as is known. */
    private long lostNs = Long.MIN_VALUE / 2;

    /** Packets were lost. */
    void onLost(long packets, long bytes) {
        share.onLost(packets, bytes);
    }

    /**
     * Packets arrived.
     *
     * @param roundNs   a round trip.
     * @param silenceNs after so long without an arrival the path was silent.
     */
    void onArrived(long roundNs, long silenceNs, long nowNs) {
        if (nowNs - arrivedNs > silenceNs) {
            roundsAfterSilence = ROUNDS_AFTER_PAUSE;
        }
        if (nowNs - arrivedNs > PAUSE * roundNs) {
            roundsAfterPause = ROUNDS_AFTER_PAUSE;
        }
        arrivedNs = nowNs;
    }

    /**
     * A round trip ends.
     *
     * @param arrivedBytes in it.
     * @param isShort      whether hosts delay packets by more than the path does.
     * @return whether so much was lost that a queue overflows.
     */
    boolean end(long arrivedBytes, boolean isShort, long nowNs) {
        if (roundsAfterPause > 0) {
            roundsAfterPause--;
        } else if (share.isAny()) {
            lostNs = nowNs;
        }
        boolean isOverflow = share.end(arrivedBytes, isShort);
        if (roundsAfterSilence > 0) {
            roundsAfterSilence--;
            share.forget();
            return false;
        }
        return isOverflow;
    }

    /** Whether anything was lost in this round trip. */
    boolean isAny() {
        return share.isAny();
    }

    /** Whether anything was lost in one of the last round trips. */
    boolean isRecent() {
        return share.isRecent();
    }

    /** Whether nothing was lost for long, except what may have been late. */
    boolean isNoneForLong(long nowNs) {
        return nowNs - lostNs > WindowedMinimum.WINDOW_NS;
    }
}
