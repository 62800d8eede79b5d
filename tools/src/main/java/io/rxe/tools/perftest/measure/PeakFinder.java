package io.rxe.tools.perftest.measure;

import java.util.Arrays;

/** Records when messages were posted and completed, and finds the interval with the least time for a message. */
public final class PeakFinder {
    private final long[] postedNs;
    private long[] completedNs = new long[256];
    private int[] completedCount = new int[256];
    private int posted;
    private int completions;

    /** @param messages number of messages of the run. */
    public PeakFinder(int messages) {
        postedNs = new long[messages];
    }

    public void onPosted(long nowNs) {
        if (posted < postedNs.length) {
            postedNs[posted++] = nowNs;
        }
    }

    /** @param count messages completed so far, of all queue pairs. */
    public void onCompleted(long nowNs, long count) {
        if (completions == completedNs.length) {
            completedNs = Arrays.copyOf(completedNs, 2 * completions);
            completedCount = Arrays.copyOf(completedCount, 2 * completions);
        }
        completedNs[completions] = nowNs;
        completedCount[completions++] = (int) count;
    }

    /** Least time for a message over all intervals from a post to a completion, in nanoseconds; 0 if nothing completed. */
    public double leastNs() {
        double least = Double.MAX_VALUE;
        for (int end = 0; end < completions; end++) {
            int count = Math.min(completedCount[end], posted);
            for (int begin = 0; begin < count; begin++) {
                least = Math.min(least, (double) (completedNs[end] - postedNs[begin]) / (count - begin));
            }
        }
        return completions == 0 ? 0 : Math.max(1, least);
    }
}
