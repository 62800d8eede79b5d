package io.rxe.qp;

/**
 * The measured round trip of a connection, from a packet that asks for an acknowledgement to the acknowledgement. Of packets that were
 * sent more than once nobody knows which copy was answered, so they are timed with care.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class RoundTrip {
    private static final long NOT_TIMING = -1;
    /** For so long the longest round trip is remembered: a machine that stalled once will soon do so again. */
    private static final long PEAK_WINDOW_NS = 5_000_000_000L;
    /** Until there are a few samples an answer is granted so long: the first may have been a lucky one. */
    private static final int FEW_SAMPLES = 8;
    private static final long CAUTIOUS_NS = 4_000_000;

    private long timedSeq = NOT_TIMING;
    private long timedAtNs;
    private boolean repeated;
    private long smoothedNs;
    private long variationNs;
    private long minimumNs = Long.MAX_VALUE;
    private long peakNs;
    private long peakAtNs;
    private int samples;

    /** Forgets everything: a new connection. */
    public void start() {
        timedSeq = NOT_TIMING;
        smoothedNs = 0;
        variationNs = 0;
        minimumNs = Long.MAX_VALUE;
        peakNs = 0;
        samples = 0;
    }

    /** A packet that asks for an answer was sent for the first time. */
    public void onSent(long seq, long nowNs) {
        if (timedSeq == NOT_TIMING) {
            timedSeq = seq;
            timedAtNs = nowNs;
            repeated = false;
        }
    }

    /** A packet was sent again: if it was being timed, it no longer is. */
    public void onSentAgain(long seq) {
        if (seq <= timedSeq) {
            timedSeq = NOT_TIMING;
        }
    }

    /**
     * A packet that asks for an answer was sent again: it is timed too, or a lossy path would never be measured. An answer much
     * quicker than any before is taken for the answer to the first copy and discarded.
     */
    public void onRepeated(long seq, long nowNs) {
        if (timedSeq == NOT_TIMING) {
            timedSeq = seq;
            timedAtNs = nowNs;
            repeated = true;
        }
    }

    /**
     * Everything before a sequence number is answered.
     *
     * @return how much longer than the shortest ever this round trip was, the time spent in queues; -1 when none was measured.
     */
    public long onAnswered(long endSeq, long nowNs) {
        if (timedSeq == NOT_TIMING || timedSeq >= endSeq) {
            return -1;
        }
        timedSeq = NOT_TIMING;
        long sampleNs = Math.max(1, nowNs - timedAtNs);
        if (repeated && isKnown() && sampleNs < minimumNs - minimumNs / 4) {
            return -1;
        }
        samples++;
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
        return sampleNs - minimumNs;
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
        long plausible = Math.max(smoothedNs + 4 * variationNs, peakNs);
        return samples < FEW_SAMPLES ? Math.max(CAUTIOUS_NS, plausible) : plausible;
    }

    /** How late a packet may plausibly be that another overtook: not much more than half a round trip. */
    public long disorderNs() {
        return samples < FEW_SAMPLES ? CAUTIOUS_NS : smoothedNs * 5 / 8;
    }

    /** How long to wait for the outcome of a trial: a round trip with room for its variation. */
    public long verdictNs() {
        return isKnown() ? smoothedNs + 4 * variationNs : CAUTIOUS_NS;
    }
}
