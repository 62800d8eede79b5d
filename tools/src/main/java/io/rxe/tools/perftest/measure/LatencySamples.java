package io.rxe.tools.perftest.measure;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times between the posts of consecutive messages. A histogram records all of them; the original's columns also need the single
 * values, so a run of a known number of messages keeps them as well.
 */
public final class LatencySamples {
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;

    private final int roundTripFactor;
    private final Histogram histogram = new Histogram(1, LONGEST_NS, DIGITS);
    private final long[] gaps;
    private int count;
    private long lastPostNs;
    private boolean begun;

    /**
     * @param expected        messages of the run, or 0 if it is timed.
     * @param roundTripFactor 2 if there is a round trip between two posts and half of it is reported, otherwise 1.
     */
    public LatencySamples(int expected, int roundTripFactor) {
        this.roundTripFactor = roundTripFactor;
        gaps = new long[Math.max(0, expected - 1)];
    }

    /** Called before a message is posted. */
    public void onPost(long nowNs) {
        if (begun) {
            long gapNs = nowNs - lastPostNs;
            histogram.recordValue(Math.min(LONGEST_NS, Math.max(1, gapNs / roundTripFactor)));
            if (count < gaps.length) {
                gaps[count++] = gapNs;
            }
        }
        begun = true;
        lastPostNs = nowNs;
    }

    /** Discards all samples at the end of the warm-up. */
    void restart() {
        histogram.reset();
        count = 0;
        begun = false;
    }

    /** Every latency in nanoseconds, in a histogram. */
    public Histogram histogram() {
        return histogram;
    }

    /** Latencies in microseconds in the order of measurement. */
    public double[] unsortedUs() {
        double[] us = new double[count];
        for (int i = 0; i < count; i++) {
            us[i] = gaps[i] / 1e3 / roundTripFactor;
        }
        return us;
    }

    /** Latencies in microseconds, ascending. */
    public double[] sortedUs() {
        double[] us = unsortedUs();
        Arrays.sort(us);
        return us;
    }

    public int roundTripFactor() {
        return roundTripFactor;
    }
}
