package io.rxe.qp.congestion;

/**
 * Spaces batches of packets by time, so that they leave at a rate:
 *
 * <pre>
 *   sent    ####              ####              ####         a batch leaves at once
 *   due     |----------------||----------------||------      for so long it lasts at the rate; the next one leaves then
 * </pre>
 *
 * <p>When the rate changes, what was sent before and is not due yet lasts as long as it does at the new one.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class Pacer {
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final SendRate rate;
    /** The rate at which what was sent is due. */
    private long bytesPerSecond = SendRate.UNPACED;
    /** When all that was sent would have left at the rate. */
    private long dueNs = NEVER;
    /** Nothing is sent before. */
    private long closedUntilNs = NEVER;

    public Pacer(SendRate rate) {
        this.rate = rate;
    }

    /**
     * Whether packets may leave now.
     *
     * @param promisedBytes that will leave beside them.
     */
    public boolean isOpen(long promisedBytes, long nowNs) {
        adapt(nowNs);
        if (bytesPerSecond == SendRate.UNPACED) {
            return true;
        }
        if (nowNs < closedUntilNs) {
            return false;
        }
        long promisedNs = Math.max(dueNs, nowNs) + durationNs(promisedBytes);
        if (promisedNs - nowNs < rate.batchNs()) {
            return true;
        }
        closedUntilNs = promisedNs;
        return false;
    }

    /** When the next batch may leave, as far as {@link #isOpen} said that none may now. */
    public long opensNs() {
        return closedUntilNs;
    }

    /** What may leave at once. */
    public long batchBytes() {
        long perSecond = rate.bytesPerSecond();
        return perSecond == SendRate.UNPACED ? Long.MAX_VALUE : (long) (rate.batchNs() * 1e-9 * perSecond);
    }

    /** Bytes were sent. A batch that is late by less than its length does not lower the rate. */
    public void onSent(long bytes, long nowNs) {
        adapt(nowNs);
        if (bytesPerSecond != SendRate.UNPACED) {
            dueNs = Math.max(dueNs, nowNs - rate.batchNs()) + durationNs(bytes);
        }
    }

    /** The rate may have changed. */
    private void adapt(long nowNs) {
        long nowPerSecond = rate.bytesPerSecond();
        if (nowPerSecond != bytesPerSecond) {
            dueNs = adapted(dueNs, nowPerSecond, nowNs);
            closedUntilNs = adapted(closedUntilNs, nowPerSecond, nowNs);
            bytesPerSecond = nowPerSecond;
        }
    }

    private long adapted(long ns, long nowPerSecond, long nowNs) {
        return ns <= nowNs ? ns : nowNs + (long) ((ns - nowNs) * (double) bytesPerSecond / nowPerSecond);
    }

    private long durationNs(long bytes) {
        return (long) (bytes * 1e9 / bytesPerSecond);
    }
}
