package io.rxe.qp.congestion;

/**
 * The shortest round trip of the last seconds. A path that became longer is noticed within twice {@link #WINDOW_NS}, which is long enough
 * for queues to have been empty once.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class WindowedMinimum {
    public static final long WINDOW_NS = 10_000_000_000L;

    private long beforeNs = Long.MAX_VALUE;
    private long currentNs = Long.MAX_VALUE;
    private long sinceNs;

    /** Forgets everything. */
    public void start() {
        beforeNs = Long.MAX_VALUE;
        currentNs = Long.MAX_VALUE;
    }

    /** A round trip was measured. */
    public void onSample(long sampleNs, long nowNs) {
        if (currentNs == Long.MAX_VALUE) {
            sinceNs = nowNs;
        } else if (nowNs - sinceNs >= WINDOW_NS) {
            beforeNs = currentNs;
            currentNs = Long.MAX_VALUE;
            sinceNs = nowNs;
        }
        currentNs = Math.min(currentNs, sampleNs);
    }

    /** {@link Long#MAX_VALUE} before the first sample. */
    public long ns() {
        return Math.min(beforeNs, currentNs);
    }
}
