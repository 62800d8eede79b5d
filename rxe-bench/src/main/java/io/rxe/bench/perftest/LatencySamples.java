package io.rxe.bench.perftest;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times between the posts of consecutive messages. All of them go into a histogram; the originals' columns also need each by itself,
 * so in a run of a known number of messages they are kept one by one.
 */
final class LatencySamples {
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;

    private final int roundTripFactor;
    private final Histogram histogram = new Histogram(1, LONGEST_NS, DIGITS);
    private final long[] gaps;
    private int count;
    private long lastPostNs;
    private boolean begun;

    /**
     * @param expected        messages of the run, or 0 when it is timed.
     * @param roundTripFactor 2 when a message is half of what lies between two posts, otherwise 1.
     */
    LatencySamples(int expected, int roundTripFactor) {
        this.roundTripFactor = roundTripFactor;
        gaps = new long[Math.max(0, expected - 1)];
    }

    /** A message is about to be posted. */
    void onPost(long nowNs) {
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

    /** Forgets everything: the warm-up is over. */
    void restart() {
        histogram.reset();
        count = 0;
        begun = false;
    }

    /** Every latency in nanoseconds, in a histogram. */
    Histogram histogram() {
        return histogram;
    }

    /** Latencies in microseconds in the order they were measured. */
    double[] unsortedUs() {
        double[] us = new double[count];
        for (int i = 0; i < count; i++) {
            us[i] = gaps[i] / 1e3 / roundTripFactor;
        }
        return us;
    }

    /** Latencies in microseconds, ascending. */
    double[] sortedUs() {
        double[] us = unsortedUs();
        Arrays.sort(us);
        return us;
    }

    int roundTripFactor() {
        return roundTripFactor;
    }
}
