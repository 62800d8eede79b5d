package io.rxe.cm.exchange;

/**
 * Retransmits a message until its reply arrives: once per interval, up to a number of retries and a total time. To a peer that has
 * confirmed nothing the interval doubles each time: it gives up at the same time, and a forged address receives fewer messages.
 *
 * <pre>
 *   sent      retry     retry     retry     gives up
 *   |---------|---------|---------|---------|    retries 3
 *   |---------|-------------------|---------|    retries 3, to a peer that has confirmed nothing
 *     interval
 * </pre>
 */
final class CmRetry {
    private long intervalNs;
    private long limitNs;
    /** From the next transmission to the one after it. */
    private int intervals;
    /** Behind those. */
    private int intervalsLeft;
    private boolean isDoubling;
    private long firstSentNs;
    private int sent;
    private int postponedAt;

    /** Starts with a message that was not sent yet. A limit of {@link Long#MAX_VALUE} means none. */
    void start(long newIntervalNs, int retries, long newLimitNs) {
        intervalNs = newIntervalNs;
        intervalsLeft = retries;
        limitNs = newLimitNs;
        intervals = 1;
        isDoubling = false;
        sent = 0;
        postponedAt = 0;
    }

    /** After {@link #start}: whether the interval doubles, because the peer has confirmed nothing. */
    void doubling(boolean newDoubling) {
        isDoubling = newDoubling;
    }

    /** The message was sent; returns the deadline for the reply. */
    long onSent(long nowNs) {
        if (sent == 0) {
            firstSentNs = nowNs;
        }
        sent++;
        return untilLimit(nowNs + intervals * intervalNs);
    }

    /** Whether an MRA may postpone the deadline: once for each transmission, so that a peer cannot postpone it for ever. */
    boolean mayPostpone() {
        return postponedAt < sent;
    }

    /** An MRA arrived, which confirms the peer; returns the new deadline for the reply. */
    long postpone(long nowNs, long extraNs) {
        postponedAt = sent;
        isDoubling = false;
        return untilLimit(nowNs + extraNs + intervalNs);
    }

    private long untilLimit(long deadlineNs) {
        return limitNs == Long.MAX_VALUE ? deadlineNs : Math.min(deadlineNs, firstSentNs + limitNs);
    }

    /** The deadline has passed: true = retransmit; false = give up. */
    boolean mayRetry(long nowNs) {
        if (intervalsLeft == 0 || limitNs != Long.MAX_VALUE && nowNs - firstSentNs >= limitNs) {
            return false;
        }
        intervals = isDoubling ? Math.min(2 * intervals, intervalsLeft) : 1;
        intervalsLeft -= intervals;
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
