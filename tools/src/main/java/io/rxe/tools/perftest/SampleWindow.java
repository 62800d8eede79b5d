package io.rxe.tools.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The time of a timed run: a margin, the measured time, and another margin. Without a duration it never ends.
 *
 * <pre>
 *   begin        counts from here          to here          over
 *     |-- margin --|------------------------|-- margin --|
 * </pre>
 */
final class SampleWindow {
    // As the original: a quarter of the duration on each side, in whole seconds.
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

    /** @param durationSeconds 0 for a run that ends with its message count. */
    SampleWindow(int durationSeconds) {
        durationNs = TimeUnit.SECONDS.toNanos(durationSeconds);
        marginNs = TimeUnit.SECONDS.toNanos(durationSeconds / MARGIN_PARTS);
    }

    boolean isTimed() {
        return durationNs > 0;
    }

    /** Starts the time; later calls have no effect. */
    void begin(long nowNs) {
        if (!begun) {
            begun = true;
            beginNs = nowNs;
        }
    }

    /**
     * Marks begin and end of the measured time.
     *
     * @param count messages so far.
     */
    void update(long nowNs, long count) {
        if (!begun || ended) {
            return;
        }
        if (!started && nowNs - beginNs >= marginNs) {
            started = true;
            startNs = nowNs;
            startCount = count;
        } else if (started && nowNs - beginNs >= durationNs - marginNs) {
            ended = true;
            endNs = nowNs;
            endCount = count;
        }
    }

    boolean isOver(long nowNs) {
        return ended && nowNs - beginNs >= durationNs;
    }

    /** Messages in the measured time. */
    long count() {
        return endCount - startCount;
    }

    /** The measured time, in nanoseconds. */
    long elapsedNs() {
        return endNs - startNs;
    }
}
