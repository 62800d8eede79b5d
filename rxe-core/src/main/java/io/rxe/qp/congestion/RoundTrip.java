package io.rxe.qp.congestion;

/**
 * What one round trip of a path shows. It ends when a packet that was sent in it is answered.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
final class RoundTrip {
    /** The fastest of eight samples tells the queue from jitter. */
    private static final int GROUP = 8;
    private static final int MANY = 4 * GROUP;
    /** A longer one is that of a host that stood still, and no time to wait for the next one. */
    static final long MOST_NS = 1_000_000_000;
    /** Before the first sample, a round trip lasts this long. */
    private static final long UNKNOWN_NS = 1_000_000;
    /** Longer than any. */
    private static final long NONE = Long.MAX_VALUE;

    long startNs;
    boolean isAnswered;
    long arrivedBytes;
    /** A queue pair had to wait for room in the window. */
    boolean filled;
    private long lastNs = UNKNOWN_NS;
    private long lastNetworkNs = UNKNOWN_NS;
    private long fastestNs;
    private long fastestNetworkNs;
    private long fastestUnboundedNs;
    private long slowestNetworkNs;
    private long slowestPairNs;
    private long beforeNs;
    private long atMostNs;
    private long groupNs;
    private int samples;

    RoundTrip() {
        start(0);
    }

    /** The next one begins. */
    void start(long nowNs) {
        startNs = nowNs;
        isAnswered = false;
        arrivedBytes = 0;
        filled = false;
        fastestNs = NONE;
        fastestNetworkNs = NONE;
        fastestUnboundedNs = NONE;
        slowestNetworkNs = 0;
        slowestPairNs = 0;
        atMostNs = NONE;
        groupNs = NONE;
        samples = 0;
    }

    /** Keeps what was measured, for the next one. */
    void end() {
        lastNs = Math.max(1, Math.min(MOST_NS, fastestNs));
        lastNetworkNs = Math.max(1, Math.min(MOST_NS, fastestNetworkNs));
    }

    /** The fastest sample of the last one that was measured. */
    long lastNs() {
        return lastNs;
    }

    /** The same without what counts as the hosts'. */
    long lastNetworkNs() {
        return lastNetworkNs;
    }

    /**
     * A packet was answered.
     *
     * @param networkNs   without what counts as the hosts'.
     * @param unboundedNs without all that the hosts may have caused.
     * @return whether that was the eighth of a group, see {@link #takeGroupNs}.
     */
    boolean onSample(long sampleNs, long networkNs, long unboundedNs) {
        fastestNs = Math.min(fastestNs, sampleNs);
        fastestNetworkNs = Math.min(fastestNetworkNs, networkNs);
        fastestUnboundedNs = Math.min(fastestUnboundedNs, unboundedNs);
        groupNs = Math.min(groupNs, networkNs);
        slowestPairNs = Math.max(slowestPairNs, Math.min(beforeNs, networkNs));
        beforeNs = networkNs;
        boolean isGroup = ++samples % GROUP == 0;
        slowestNetworkNs = isGroup ? Math.max(slowestNetworkNs, groupNs) : slowestNetworkNs;
        return isGroup;
    }

    /** A packet was answered, perhaps late. */
    void onBound(long networkNs) {
        atMostNs = Math.min(atMostNs, networkNs);
    }

    /** The fastest of the latest group. */
    long takeGroupNs() {
        long ns = groupNs;
        groupNs = NONE;
        return ns;
    }

    /** Whether a packet was answered at once. */
    boolean isMeasured() {
        return fastestNs != NONE;
    }

    /** Whether a packet was answered, but perhaps late. */
    boolean isBounded() {
        return atMostNs != NONE;
    }

    /** The fastest sample. */
    long fastestNs() {
        return fastestNs;
    }

    /** The fastest sample without what counts as the hosts'. */
    long fastestNetworkNs() {
        return fastestNetworkNs;
    }

    /** The fastest sample without all that the hosts may have caused of it. */
    long fastestUnboundedNs() {
        return fastestUnboundedNs;
    }

    /**
     * That of the slowest group, or the faster of the slowest two in a row where there are few: a single one may be slow for another
     * reason than a queue.
     */
    long slowestNetworkNs() {
        if (samples >= MANY) {
            return slowestNetworkNs;
        }
        return isMeasured() ? Math.max(fastestNetworkNs, slowestPairNs) : 0;
    }

    /** The least bound. */
    long atMostNs() {
        return atMostNs;
    }
}
