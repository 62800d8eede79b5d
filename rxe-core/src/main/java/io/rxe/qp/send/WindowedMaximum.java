package io.rxe.qp.send;

/**
 * The longest round trip of late: a shorter one takes its place after a time that the caller names.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
final class WindowedMaximum {
    private long longestNs;
    private long atNs;

    /** Forgets everything. */
    void start() {
        longestNs = 0;
    }

    /** @param windowNs how long the longest is remembered. */
    void onSample(long sampleNs, long nowNs, long windowNs) {
        if (sampleNs >= longestNs || nowNs - atNs > windowNs) {
            longestNs = sampleNs;
            atNs = nowNs;
        }
    }

    /** 0 before the first sample. */
    long ns() {
        return longestNs;
    }
}
