package io.rxe.qp.send;

/**
 * Estimates the round trip of a connection, from a packet that requests an acknowledgement to the acknowledgement. For a packet that was
 * retransmitted, the acknowledgement does not show which copy it answers, so implausibly short samples of those are discarded.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class RttEstimator {
    private static final long NOT_TIMING = -1;
    /** How long the longest round trip is remembered: a machine that stalled once is likely to stall again soon. */
    private static final long PEAK_WINDOW_NS = 5_000_000_000L;
    /** The first samples may be lucky ones. Until there are this many, a response is allowed {@link #INITIAL_NS}. */
    private static final int FEW_SAMPLES = 8;
    private static final long INITIAL_NS = 4_000_000;

    private long timedSeq = NOT_TIMING;
    private long timedAtNs;
    private boolean retransmitted;
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

    /** A packet that demands a response was sent for the first time. */
    public void onSent(long seq, long nowNs) {
        if (timedSeq == NOT_TIMING) {
            timedSeq = seq;
            timedAtNs = nowNs;
            retransmitted = false;
        }
    }

    /** A packet was retransmitted: stops timing it, and any packet behind it. */
    public void cancelTiming(long seq) {
        if (seq <= timedSeq) {
            timedSeq = NOT_TIMING;
        }
    }

    /**
     * A packet that demands a response was retransmitted. It is timed too, or a lossy path would never be measured. A sample much
     * shorter than any before probably belongs to the first copy and is discarded.
     */
    public void onRetransmitted(long seq, long nowNs) {
        if (timedSeq == NOT_TIMING) {
            timedSeq = seq;
            timedAtNs = nowNs;
            retransmitted = true;
        }
    }

    /**
     * Everything before a sequence number has its response.
     *
     * @return by how much this round trip exceeded the shortest ever, which is the time spent in queues; -1 when none was measured.
     */
    public long onAcknowledged(long endSeq, long nowNs) {
        if (timedSeq == NOT_TIMING || timedSeq >= endSeq) {
            return -1;
        }
        timedSeq = NOT_TIMING;
        long sampleNs = Math.max(1, nowNs - timedAtNs);
        if (retransmitted && isKnown() && sampleNs < minimumNs - minimumNs / 4) {
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

    /** How long a response may plausibly take: smoothed plus four variations, or the longest recent round trip. */
    public long plausibleNs() {
        long plausible = Math.max(smoothedNs + 4 * variationNs, peakNs);
        return samples < FEW_SAMPLES ? Math.max(INITIAL_NS, plausible) : plausible;
    }

    /** How late a packet that was overtaken may plausibly arrive: little more than half a round trip. */
    public long reorderNs() {
        return samples < FEW_SAMPLES ? INITIAL_NS : smoothedNs * 5 / 8;
    }

    /** How long to wait for the outcome of a probe: a round trip with room for its variation. */
    public long probeOutcomeNs() {
        return isKnown() ? smoothedNs + 4 * variationNs : INITIAL_NS;
    }
}
