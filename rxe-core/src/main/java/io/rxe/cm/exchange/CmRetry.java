package io.rxe.cm.exchange;

/**
 * Retransmits a message until its reply arrives: once per interval, up to a number of retries and a total time. In the first interval it
 * retransmits earlier too, after 200 ms and then twice as long each time, because a packet is lost more often than a peer takes seconds.
 * To a peer that has confirmed nothing the interval doubles each time instead: it gives up at the same time, and a forged address receives
 * fewer messages.
 *
 * <pre>
 *   sent      retry     retry     retry     gives up
 *   ||-|---|--|---------|---------|---------|    retries 3
 *   |---------|-------------------|---------|    retries 3, to a peer that has confirmed nothing
 *     interval
 * </pre>
 */
final class CmRetry {
    /** The first early retransmission: several round trips of any path, and nothing that a person notices. */
    private static final long EARLY_NS = 200_000_000;

    private long intervalNs;
    private long limitNs;
    /** From the next transmission to an early one after it; 0 = none. */
    private long earlyNs;
    /** When the first interval ends. */
    private long intervalEndNs;
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
        earlyNs = EARLY_NS;
        isDoubling = false;
        sent = 0;
        postponedAt = 0;
    }

    /** After {@link #start}: whether the interval doubles, because the peer has confirmed nothing. */
    void doubling(boolean newDoubling) {
        isDoubling = newDoubling;
        earlyNs = newDoubling ? 0 : EARLY_NS;
    }

    /** The message was sent; returns the deadline for the reply. */
    long onSent(long nowNs) {
        if (sent == 0) {
            firstSentNs = nowNs;
            intervalEndNs = nowNs + intervalNs;
        }
        sent++;
        return untilLimit(earlyNs == 0 ? nowNs + intervals * intervalNs : Math.min(nowNs + earlyNs, intervalEndNs));
    }

    /** Whether an MRA may postpone the deadline: once for each transmission, so that a peer cannot postpone it for ever. */
    boolean mayPostpone() {
        return postponedAt < sent;
    }

    /** An MRA arrived, which confirms the peer; returns the new deadline for the reply. */
    long postpone(long nowNs, long extraNs) {
        postponedAt = sent;
        isDoubling = false;
        earlyNs = 0;
        return untilLimit(nowNs + extraNs + intervalNs);
    }

    private long untilLimit(long deadlineNs) {
        return deadlineNs - firstSentNs > limitNs ? firstSentNs + limitNs : deadlineNs;
    }

    /** The deadline has passed: true = retransmit; false = give up. */
    boolean mayRetry(long nowNs) {
        if (limitNs != Long.MAX_VALUE && nowNs - firstSentNs >= limitNs) {
            return false;
        }
        if (earlyNs > 0 && nowNs < intervalEndNs) {
            earlyNs *= 2;
            return true;
        }
        earlyNs = 0;
        if (intervalsLeft == 0) {
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
