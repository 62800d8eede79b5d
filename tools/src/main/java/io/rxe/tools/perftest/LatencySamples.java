package io.rxe.tools.perftest;

import java.util.Arrays;

/** Times between the posts of consecutive messages, in a run of a known number of messages; a timed run keeps none. */
final class LatencySamples {
    private static final double NS_PER_US = 1e3;
    private static final int TAIL = 2;

    private final int roundTripFactor;
    private final long[] gaps;
    private int count;
    private long lastPostNs;
    private boolean begun;

    /**
     * The columns of a latency test, in microseconds. As in the original, the two slowest messages are excluded, except that the faster of
     * them is the maximum.
     */
    record Report(double leastUs, double mostUs, double typicalUs, double averageUs, double deviationUs, double percentile99Us,
                  double percentile999Us) {
    }

    /**
     * @param messages        of the run, or 0 if it is timed.
     * @param roundTripFactor 2 if there is a round trip between two posts and half of it is reported, otherwise 1.
     */
    LatencySamples(int messages, int roundTripFactor) {
        this.roundTripFactor = roundTripFactor;
        gaps = new long[Math.max(0, messages - 1)];
    }

    /** Called before a message is posted. */
    void onPost(long nowNs) {
        if (begun && count < gaps.length) {
            gaps[count++] = nowNs - lastPostNs;
        }
        begun = true;
        lastPostNs = nowNs;
    }

    int roundTripFactor() {
        return roundTripFactor;
    }

    /** The columns, from at least four messages. */
    Report report() {
        double[] sorted = Arrays.stream(gaps, 0, count).mapToDouble(gap -> gap / NS_PER_US / roundTripFactor).sorted().toArray();
        int kept = sorted.length - TAIL;
        double average = Arrays.stream(sorted, 0, kept).average().orElseThrow();
        double squares = Arrays.stream(sorted, 0, kept).map(us -> (us - average) * (us - average)).sum();
        double typical = kept % 2 == 0 ? (sorted[kept / 2] + sorted[kept / 2 - 1]) / 2 : sorted[kept / 2];
        return new Report(sorted[0], sorted[kept], typical, average, Math.sqrt(squares / kept), sorted[(int) Math.ceil(kept * 0.99)],
            sorted[(int) Math.ceil(kept * 0.999)]);
    }
}
