package io.rxe.qp.congestion;

/**
 * The longest round trip of late: a shorter one takes its place after a time that the caller names.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class WindowedMaximum {
    private long longestNs;
    private long atNs;

    /** Forgets everything. */
    public void start() {
        longestNs = 0;
    }

    /** @param windowNs how long the longest is remembered. */
    public void onSample(long sampleNs, long nowNs, long windowNs) {
        if (sampleNs >= longestNs || nowNs - atNs > windowNs) {
            longestNs = sampleNs;
            atNs = nowNs;
        }
    }

    /** Moves it such a part of the way to a shorter sample, or to a longer one at once. */
    void approach(long sampleNs, int part) {
        longestNs = Math.max(sampleNs, longestNs - (longestNs - sampleNs) / part);
    }

    /** 0 before the first sample. */
    public long ns() {
        return longestNs;
    }
}
