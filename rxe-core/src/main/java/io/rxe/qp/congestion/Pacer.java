package io.rxe.qp.congestion;

/**
 * Spaces batches of packets by time, so that they leave at a rate:
 *
 * <pre>
 *   sent    ####              ####              ####         a batch leaves at once
 *   due     |----------------||----------------||------      for so long it lasts at the rate; the next one leaves then
 * </pre>
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class Pacer {
    private final SendRate rate;
    /** When all that was sent would have left at the rate. */
    private long dueNs = Long.MIN_VALUE / 2;
    /** Nothing is sent before. */
    private long closedUntilNs = Long.MIN_VALUE;

    public Pacer(SendRate rate) {
        this.rate = rate;
    }

    /**
     * Whether packets may leave now.
     *
     * @param promisedBytes that will leave beside them.
     */
    public boolean isOpen(long promisedBytes, long nowNs) {
        long bytesPerSecond = rate.bytesPerSecond();
        if (bytesPerSecond == SendRate.UNPACED) {
            return true;
        }
        if (nowNs < closedUntilNs) {
            return false;
        }
        long promisedNs = Math.max(dueNs, nowNs) + durationNs(promisedBytes, bytesPerSecond);
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
        long bytesPerSecond = rate.bytesPerSecond();
        return bytesPerSecond == SendRate.UNPACED ? Long.MAX_VALUE : (long) (rate.batchNs() * 1e-9 * bytesPerSecond);
    }

    /** Bytes were sent. A batch that is late by less than its length does not lower the rate. */
    public void onSent(long bytes, long nowNs) {
        long bytesPerSecond = rate.bytesPerSecond();
        if (bytesPerSecond != SendRate.UNPACED) {
            dueNs = Math.max(dueNs, nowNs - rate.batchNs()) + durationNs(bytes, bytesPerSecond);
        }
    }

    private static long durationNs(long bytes, long bytesPerSecond) {
        return (long) (bytes * 1e9 / bytesPerSecond);
    }
}
