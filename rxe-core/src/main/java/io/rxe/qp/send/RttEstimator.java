package io.rxe.qp.send;

import io.rxe.qp.congestion.WindowedMaximum;
import io.rxe.qp.congestion.WindowedMinimum;

/**
 * Estimates the round trip of a connection from the acknowledgement of each packet that was sent once. For a packet that was
 * retransmitted, the acknowledgement does not show which copy it answers.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class RttEstimator {
    /**
     * The longest round trip is remembered for this long, and for so many round trips: a machine that stalled once is likely to stall
     * again.
     */
    private static final long PEAK_WINDOW_NS = 20_000_000;
    private static final int PEAK_ROUND_TRIPS = 64;
    /** A peer that is busy with what came before, or with its own requests, is so again: its longest round trip is remembered longer. */
    private static final long BUSY_WINDOW_NS = 5_000_000_000L;
    /** The first samples may be lucky ones. Until there are this many, a response is allowed {@link #INITIAL_NS}. */
    private static final int FEW_SAMPLES = 8;
    private static final long INITIAL_NS = 4_000_000;

    private final WindowedMinimum minimum = new WindowedMinimum();
    private final WindowedMaximum peak = new WindowedMaximum();
    private final WindowedMaximum busy = new WindowedMaximum();
    private final WindowedMaximum silence = new WindowedMaximum();
    private long smoothedNs;
    private long variationNs;
    private int samples;
    private boolean isBound;
    /** When a retransmission was answered sooner than any packet so far, and how soon; {@link Long#MAX_VALUE} if none was. */
    private long soonerAtNs = Long.MAX_VALUE;
    private long soonerNs;

    /** Forgets everything: a new connection. */
    public void start() {
        minimum.start();
        smoothedNs = 0;
        variationNs = 0;
        peak.start();
        busy.start();
        silence.start();
        samples = 0;
        isBound = false;
        soonerAtNs = Long.MAX_VALUE;
    }

    /** A response came, to whichever copy of a packet: a round trip takes at most this many ns. Counts until one is measured. */
    public void onBound(long mostNs, long nowNs) {
        onSample(mostNs, nowNs);
        isBound = true;
    }

    /** A round trip was measured. */
    public void onSample(long sampleNs, long nowNs) {
        if (isBound) {
            start();
        }
        samples++;
        soonerAtNs = Long.MAX_VALUE;
        minimum.onSample(sampleNs, nowNs);
        peak.onSample(sampleNs, nowNs, Math.max(PEAK_WINDOW_NS, PEAK_ROUND_TRIPS * smoothedNs));
        busy.onSample(sampleNs, nowNs, BUSY_WINDOW_NS);
        if (smoothedNs == 0) {
            smoothedNs = sampleNs;
            variationNs = sampleNs / 2;
        } else {
            variationNs += (Math.abs(sampleNs - smoothedNs) - variationNs) / 4;
            smoothedNs += (sampleNs - smoothedNs) / 8;
        }
    }

    /**
     * A retransmission was answered sooner than any packet of late. The first copy may have caused that, since it was late. When the same
     * happens to one that left after that answer, the path has become so short: what was measured waited in a queue that is gone.
     *
     * @return whether the path is so short.
     */
    public boolean onSooner(long ns, long nowNs) {
        boolean isSecond = nowNs - ns > soonerAtNs;
        if (isSecond) {
            minimum.onSample(Math.max(ns, soonerNs), nowNs);
        }
        if (isSecond || soonerAtNs == Long.MAX_VALUE) {
            soonerAtNs = nowNs;
            soonerNs = ns;
        }
        return isSecond;
    }

    /** A peer without gap reports answered so long after its last answer, or after what was sent since; no probe caused that. */
    public void onSilence(long ns, long nowNs) {
        silence.onSample(ns, nowNs, BUSY_WINDOW_NS);
    }

    /** Whether there has been a sample or a bound. */
    public boolean isKnown() {
        return smoothedNs != 0;
    }

    /** Whether there has been a sample. */
    public boolean isMeasured() {
        return isKnown() && !isBound;
    }

    /** Smoothed round trip; 0 before the first sample. */
    public long smoothedNs() {
        return smoothedNs;
    }

    /** Shortest round trip of late; 0 before the first sample. */
    public long minimumNs() {
        return smoothedNs == 0 ? 0 : minimum.ns();
    }

    /** How long a response usually takes: smoothed, once there are enough samples. */
    public long usualNs() {
        return samples < FEW_SAMPLES ? plausibleNs() : smoothedNs;
    }

    /** As {@link #plausibleNs}, for a peer that answers a packet only after those before it. */
    public long plausibleOfBusyNs() {
        return Math.max(plausibleNs(), busy.ns());
    }

    /** How long a peer that answers packet by packet may plausibly be silent: as long as it was of late. */
    public long plausibleSilenceNs() {
        return samples < FEW_SAMPLES ? plausibleNs() : Math.max(smoothedNs, silence.ns());
    }

    /** What {@link #plausibleNs} would be after one sample, which another queue pair measured. */
    public static long plausibleNs(long firstSampleNs) {
        return Math.max(INITIAL_NS, 3 * firstSampleNs);
    }

    /** How long a response may plausibly take: smoothed plus four variations, or the longest recent round trip. */
    public long plausibleNs() {
        long plausible = Math.max(smoothedNs + 4 * variationNs, peak.ns());
        return samples < FEW_SAMPLES ? Math.max(INITIAL_NS, plausible) : plausible;
    }
}
