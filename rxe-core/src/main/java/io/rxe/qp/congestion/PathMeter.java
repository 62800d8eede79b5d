package io.rxe.qp.congestion;

/**
 * Measures a path: its shortest round trip of the last seconds, and how fast packets arrive at its end. The rate is that of intervals of a
 * round trip, and 200 us at least, which end with an arrival. An interval with a long pause tells nothing. After a loss, what waited behind
 * it is acknowledged at once, which tells nothing of the line.
 *
 * <p>Bytes with what a packet takes beside its payload; times in nanoseconds. Owned by the engine thread.
 */
final class PathMeter {
    /** A host takes this long itself while it runs other threads, however short the path is. */
    static final long HOST_DELAY_NS = 100_000;
    /** Many batches of packets and acknowledgements. */
    static final long LEAST_INTERVAL_NS = 200_000;
    private static final int LONGEST_PAUSE = 4;
    private static final int REPAIR_INTERVALS = 3;
    /** More than this part of the bytes lost is the loss of a queue that overflows. */
    private static final int MOST_LOST = 8;
    private static final long LONGEST_BATCH_NS = 1_000_000;

    private final WindowedMinimum shortest = new WindowedMinimum();
    private boolean isMeasuring;
    private long beginNs;
    private long arrivedBytes;
    /** Intervals in which a repair may be acknowledged. */
    private int repairing;
    private final LossShare losses = new LossShare(MOST_LOST);
    private boolean isOverflowing;
    private long latestPerSecond;
    private long fastestPerSecond;

    void onSample(long sampleNs, long nowNs) {
        shortest.onSample(sampleNs, nowNs);
    }

    /** Returns whether an interval ended. */
    boolean onArrived(long bytes, long nowNs) {
        arrivedBytes += bytes;
        long elapsedNs = nowNs - beginNs;
        long intervalNs = isKnown() ? Math.max(LEAST_INTERVAL_NS, shortest.ns()) : LEAST_INTERVAL_NS;
        if (isMeasuring && elapsedNs < intervalNs) {
            return false;
        }
        boolean isMeasured = isMeasuring && elapsedNs <= LONGEST_PAUSE * intervalNs;
        if (isMeasured) {
            latestPerSecond = Math.max(1, (long) (arrivedBytes * 1e9 / elapsedNs));
            fastestPerSecond = repairing > 0 && fastestPerSecond > 0 ? fastestPerSecond : Math.max(fastestPerSecond, latestPerSecond);
        }
        repairing = Math.max(0, repairing - 1);
        isOverflowing = losses.end(arrivedBytes, isShort());
        isMeasuring = true;
        beginNs = nowNs;
        arrivedBytes = 0;
        return isMeasured;
    }

    /** Before the first answer, a loss may be a timer that is shorter than the path. */
    void onLost(long packets, long bytes) {
        repairing = REPAIR_INTERVALS;
        if (isKnown()) {
            losses.onLost(packets, bytes);
        }
    }

    /** Whether so much was lost in the last interval that a queue overflows. */
    boolean isOverflowing() {
        return isOverflowing;
    }

    /** Whether a packet was answered. */
    boolean isKnown() {
        return shortest.ns() != Long.MAX_VALUE;
    }

    /** Hosts delay packets by more than the path does. */
    boolean isShort() {
        return shortest.ns() < HOST_DELAY_NS;
    }

    /** The shortest round trip, or {@link Long#MAX_VALUE}. */
    long shortestNs() {
        return shortest.ns();
    }

    /** Bytes that arrived in a second, of the last interval; 0 before the first. */
    long latestPerSecond() {
        return latestPerSecond;
    }

    /** The same of the fastest interval: what the narrowest line carries, as far as it was filled. */
    long fastestPerSecond() {
        return fastestPerSecond;
    }

    /** Bytes that are in flight at the latest rate without a queue. */
    long pathBytes() {
        return isKnown() ? (long) (latestPerSecond * 1e-9 * shortest.ns()) : 0;
    }

    /** After this long without an acknowledgement, what is in flight may be taken for lost. */
    long staleNs() {
        return staleNs(shortest.ns());
    }

    /** As {@link #staleNs}, of a path with this shortest round trip, {@link Long#MAX_VALUE} before the first sample. */
    static long staleNs(long shortestNs) {
        return shortestNs == Long.MAX_VALUE ? DelayControl.STALE_NS : Math.max(DelayControl.STALE_NS, 4 * shortestNs);
    }

    /** How long a batch of packets may take where a path with this shortest round trip is paced. */
    static long batchNs(long shortestNs) {
        return shortestNs == Long.MAX_VALUE ? HOST_DELAY_NS : Math.max(HOST_DELAY_NS, Math.min(LONGEST_BATCH_NS, shortestNs / 16));
    }
}
