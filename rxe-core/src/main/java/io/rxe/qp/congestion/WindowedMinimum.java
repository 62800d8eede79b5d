package io.rxe.qp.congestion;

/**
 * The shortest round trip of late. A path that became longer is noticed within twice the window; {@link #WINDOW_NS} is long enough for
 * queues to have been empty once.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class WindowedMinimum {
    public static final long WINDOW_NS = 10_000_000_000L;

    private final long windowNs;
    private long beforeNs = Long.MAX_VALUE;
    private long currentNs = Long.MAX_VALUE;
    private long sinceNs;
    private boolean isMeasured;

    /** Of the last seconds. */
    public WindowedMinimum() {
        this(WINDOW_NS);
    }

    WindowedMinimum(long windowNs) {
        this.windowNs = windowNs;
    }

    /** Forgets everything. */
    public void start() {
        beforeNs = Long.MAX_VALUE;
        currentNs = Long.MAX_VALUE;
        isMeasured = false;
    }

    /**
     * As {@link #onSample}, of what may be only a bound of a round trip. That counts until one is measured, and is replaced by
     * it; it shortens none later: a NAK for the first packet of a connection may answer what was sent over the one before.
     */
    void onAnswer(long sampleNs, boolean isExact, long nowNs) {
        if (isExact && !isMeasured) {
            start();
            isMeasured = true;
        }
        onSample(isMeasured && !isExact ? Math.max(sampleNs, ns()) : sampleNs, nowNs);
    }

    /** A round trip was measured. */
    public void onSample(long sampleNs, long nowNs) {
        if (currentNs == Long.MAX_VALUE) {
            sinceNs = nowNs;
        } else if (nowNs - sinceNs >= windowNs) {
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
