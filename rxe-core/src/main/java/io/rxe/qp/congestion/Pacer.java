package io.rxe.qp.congestion;

/**
 * Spaces batches of packets by time, so that they leave at a rate:
 *
 * <pre>
 *   sent    ####              ####              ####         a batch leaves at once
 *   due     |----------------||----------------||------      for so long it lasts at the rate; the next one leaves then
 * </pre>
 *
 * <p>What has waited for its time, and leaves late because its thread did, may make up for some of it. After a silence nothing may: that
 * would be a burst.
 *
 * <p>When the rate changes, what was sent before and is not due yet lasts as long as it does at the new one.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
public final class Pacer {
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final SendRate rate;
    private final long lateNs;
    /** The rate at which what was sent is due. */
    private long bytesPerSecond = SendRate.UNPACED;
    /** When all that was sent would have left at the rate. */
    private long dueNs = NEVER;
    /** Nothing is sent before. */
    private long closedUntilNs = NEVER;
    /** When what had waited began to leave. */
    private long openedNs = NEVER;

    public Pacer(SendRate rate) {
        this(rate, 0);
    }

    /** @param lateNs what a thread that is late may make up for, beside a batch. */
    Pacer(SendRate rate, long lateNs) {
        this.rate = rate;
        this.lateNs = lateNs;
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
        if (closedUntilNs != NEVER) {
            openedNs = nowNs;
            closedUntilNs = NEVER;
        }
        long promisedNs = Math.max(dueNs, nowNs - lateNs(nowNs)) + durationNs(promisedBytes);
        if (promisedNs - nowNs < rate.batchNs()) {
            return true;
        }
        closedUntilNs = promisedNs;
        return false;
    }

    /**
     * What was sent without waiting, as probes are, and lasts for long since the rate has fallen, keeps it closed until a time at most:
     * it has left the path by then, and nothing would raise the rate while nothing leaves.
     */
    public void forgive(long untilNs) {
        dueNs = Math.min(dueNs, untilNs);
        closedUntilNs = Math.min(closedUntilNs, untilNs);
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
            dueNs = Math.max(dueNs, nowNs - rate.batchNs() - lateNs(nowNs)) + durationNs(bytes);
        }
    }

    /** What may be made up for: all of it leaves within a batch. */
    private long lateNs(long nowNs) {
        return nowNs - openedNs < rate.batchNs() ? lateNs : 0;
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
