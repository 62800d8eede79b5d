package io.rxe.bench.perftest;

import java.util.Arrays;

/** Remembers when messages were posted and completed, and finds the stretch in which a message took the least time. */
final class PeakFinder {
    private final long[] postedNs;
    private long[] completedNs = new long[256];
    private int[] completedCount = new int[256];
    private int posted;
    private int completions;

    /** @param messages how many there will be. */
    PeakFinder(int messages) {
        postedNs = new long[messages];
    }

    void onPosted(long nowNs) {
        if (posted < postedNs.length) {
            postedNs[posted++] = nowNs;
        }
    }

    /** @param count messages completed so far, of all queue pairs. */
    void onCompleted(long nowNs, long count) {
        if (completions == completedNs.length) {
            completedNs = Arrays.copyOf(completedNs, 2 * completions);
            completedCount = Arrays.copyOf(completedCount, 2 * completions);
        }
        completedNs[completions] = nowNs;
        completedCount[completions++] = (int) count;
    }

    /** Least time for a message over all stretches from a post to a completion, in nanoseconds; 0 when nothing completed. */
    double leastNs() {
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
