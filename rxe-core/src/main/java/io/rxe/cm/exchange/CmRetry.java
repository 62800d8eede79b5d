package io.rxe.cm.exchange;

/**
 * Retransmits a message until its reply arrives: once per interval, up to a number of retries and a total time.
 *
 * <pre>
 *   sent      retry     retry          gives up
 *   |---------|---------|---------|
 *     interval  interval  interval      retries 2
 * </pre>
 */
final class CmRetry {
    private long intervalNs;
    private long limitNs;
    private int retriesLeft;
    private long firstSentNs;
    private int sent;
    private int postponedAt;

    /** Starts with a message that was not sent yet. A limit of {@link Long#MAX_VALUE} means none. */
    void start(long newIntervalNs, int retries, long newLimitNs) {
        intervalNs = newIntervalNs;
        retriesLeft = retries;
        limitNs = newLimitNs;
        sent = 0;
        postponedAt = 0;
    }

    /** The message was sent; returns the deadline for the reply. */
    long onSent(long nowNs) {
        if (sent == 0) {
            firstSentNs = nowNs;
        }
        sent++;
        return untilLimit(nowNs + intervalNs);
    }

    /** Whether an MRA may postpone the deadline: once for each transmission, so that a peer cannot postpone it for ever. */
    boolean mayPostpone() {
        return postponedAt < sent;
    }

    /** An MRA arrived; returns the new deadline for the reply. */
    long postpone(long nowNs, long extraNs) {
        postponedAt = sent;
        return untilLimit(nowNs + extraNs + intervalNs);
    }

    private long untilLimit(long deadlineNs) {
        return limitNs == Long.MAX_VALUE ? deadlineNs : Math.min(deadlineNs, firstSentNs + limitNs);
    }

    /** The deadline has passed: true = retransmit, which takes one retry; false = give up. */
    boolean mayRetry(long nowNs) {
        if (retriesLeft == 0 || limitNs != Long.MAX_VALUE && nowNs - firstSentNs >= limitNs) {
            return false;
        }
        retriesLeft--;
        return true;
    }

    /** Transmissions so far, the first included. */
    int sent() {
        return sent;
    }

    /** Time since the first transmission. */
    long elapsedNs(long nowNs) {
        return sent == 0 ? 0 : nowNs - firstSentNs;
    }
}
