package io.rxe.qp.congestion;

import io.rxe.wire.SendTime;

/**
 * How long what the peer sends waits in queues on its way here: how much later its packets arrive, by the times that they tell (rule G10),
 * than the least late of the last second. How far the two clocks are apart does not matter; in a second they go apart by 0.1 ms at most.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class ArrivalWait {
    /** Packets may be less late than the least late so far by a quarter of the modulus, and later by the rest. */
    private static final long MOST_EARLY_NS = SendTime.MODULO_NS / 4;
    private static final long WINDOW_NS = 1_000_000_000;
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final WindowedMinimum leastLate = new WindowedMinimum(WINDOW_NS);
    private long lateNs;
    private long waitNs;
    private long arrivedNs = NEVER;

    /**
     * A packet arrived. Of two in a row the later one counts for the least: the time of a single one may be damaged.
     *
     * @param sentNs by the clock of the peer, modulo {@link SendTime#MODULO_NS}.
     * @param hostNs how long this host may have delayed it. That is no wait; nor would another be one because it was none.
     */
    public void onArrived(long sentNs, long hostNs, long nowNs) {
        boolean isFirst = nowNs - arrivedNs > WINDOW_NS;
        if (isFirst) {
            leastLate.start();
        }
        long fromNs = isFirst ? 0 : leastLate.ns() - MOST_EARLY_NS;
        long beforeNs = lateNs;
        lateNs = fromNs + (nowNs - sentNs - fromNs & SendTime.MODULO_NS - 1);
        leastLate.onSample(isFirst ? lateNs : Math.max(lateNs, beforeNs), nowNs);
        waitNs = Math.max(0, lateNs - hostNs - leastLate.ns());
        arrivedNs = nowNs;
    }

    /** How long the last one waited; 0 after a second without any. */
    public long latestNs(long nowNs) {
        return nowNs - arrivedNs > WINDOW_NS ? 0 : waitNs;
    }

    /** How long a packet of the peer that arrives now has waited at least: a queue becomes no shorter than time passes. */
    public long leastNs(long nowNs) {
        return Math.max(0, waitNs - (nowNs - arrivedNs));
    }

    /** How long it has waited at most: it left after those that have arrived. */
    public long mostNs(long nowNs) {
        return waitNs + (nowNs - arrivedNs);
    }
}
