package io.rxe.qp;

/**
 * The measured round trip of a connection, from a packet that asks for an acknowledgement to the acknowledgement. Packets that were
 * sent more than once are never timed, since nobody knows which copy was answered.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class RoundTrip {
    private static final long NOT_TIMING = -1;
    /** For so long the longest round trip is remembered: a machine that stalled once will do so again soon. */
    private static final long PEAK_WINDOW_NS = 1_000_000_000;

    private long timedSeq = NOT_TIMING;
    private long timedAtNs;
    private long smoothedNs;
    private long variationNs;
    private long minimumNs = Long.MAX_VALUE;
    private long peakNs;
    private long peakAtNs;

    /** Forgets everything: a new connection. */
    public void start() {
        timedSeq = NOT_TIMING;
        smoothedNs = 0;
        variationNs = 0;
        minimumNs = Long.MAX_VALUE;
        peakNs = 0;
    }

    /** A packet that asks for an answer was sent for the first time. */
    public void onSent(long seq, long nowNs) {
        if (timedSeq == NOT_TIMING) {
            timedSeq = seq;
            timedAtNs = nowNs;
        }
    }

    /** A packet was sent again: if it was being timed, it no longer is. */
    public void onSentAgain(long seq) {
        if (seq <= timedSeq) {
            timedSeq = NOT_TIMING;
        }
    }

    /** Everything before a sequence number is answered. */
    public void onAnswered(long endSeq, long nowNs) {
        if (timedSeq == NOT_TIMING || timedSeq >= endSeq) {
            return;
        }
        timedSeq = NOT_TIMING;
        long sampleNs = Math.max(1, nowNs - timedAtNs);
        minimumNs = Math.min(minimumNs, sampleNs);
        if (sampleNs >= peakNs || nowNs - peakAtNs > PEAK_WINDOW_NS) {
            peakNs = sampleNs;
            peakAtNs = nowNs;
        }
        if (smoothedNs == 0) {
            smoothedNs = sampleNs;
            variationNs = sampleNs / 2;
        } else {
            variationNs += (Math.abs(sampleNs - smoothedNs) - variationNs) / 4;
            smoothedNs += (sampleNs - smoothedNs) / 8;
        }
    }

    /** Whether there has been a sample. */
    public boolean isKnown() {
        return smoothedNs != 0;
    }

    /** Smoothed round trip; 0 before the first sample. */
    public long smoothedNs() {
        return smoothedNs;
    }

    /** Shortest round trip seen; 0 before the first sample. */
    public long minimumNs() {
        return smoothedNs == 0 ? 0 : minimumNs;
    }

    /** How long an answer may plausibly take: smoothed plus four variations, or the longest of late. */
    public long plausibleNs() {
        return Math.max(smoothedNs + 4 * variationNs, peakNs);
    }
}
