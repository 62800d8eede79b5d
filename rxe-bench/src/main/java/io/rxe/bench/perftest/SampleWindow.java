package io.rxe.bench.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The time of a timed run: a margin, then what counts, then a margin again. Without a duration it never ends.
 *
 * <pre>
 *   begin        counts from here          to here          over
 *     |-- margin --|------------------------|-- margin --|
 * </pre>
 */
final class SampleWindow {
    // A quarter of the time on each side, in whole seconds: as the original.
    private static final int MARGIN_PARTS = 4;

    private final long durationNs;
    private final long marginNs;
    private long beginNs;
    private boolean begun;
    private long startNs;
    private long endNs;
    private long startCount;
    private long endCount;
    private boolean started;
    private boolean ended;

    /** @param durationSeconds 0 for a run that ends by itself. */
    SampleWindow(int durationSeconds) {
        durationNs = TimeUnit.SECONDS.toNanos(durationSeconds);
        marginNs = TimeUnit.SECONDS.toNanos(durationSeconds / MARGIN_PARTS);
    }

    boolean isTimed() {
        return durationNs > 0;
    }

    /** Time starts now, once. */
    void begin(long nowNs) {
        if (!begun) {
            begun = true;
            beginNs = nowNs;
        }
    }

    /**
     * Looks at the clock.
     *
     * @param count messages so far.
     * @return whether the part that counts has just begun.
     */
    boolean update(long nowNs, long count) {
        if (!begun || !isTimed()) {
            return false;
        }
        if (!started && nowNs - beginNs >= marginNs) {
            started = true;
            startNs = nowNs;
            startCount = count;
            return true;
        }
        if (started && !ended && nowNs - beginNs >= durationNs - marginNs) {
            ended = true;
            endNs = nowNs;
            endCount = count;
        }
        return false;
    }

    /** Whether the run is over. */
    boolean isOver(long nowNs) {
        return ended && nowNs - beginNs >= durationNs;
    }

    /** Messages that count. */
    long count() {
        return endCount - startCount;
    }

    /** The time they took, in nanoseconds. */
    long elapsedNs() {
        return endNs - startNs;
    }
}
