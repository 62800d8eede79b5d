package io.rxe.cm;

/**
 * Repeats a message until it is answered: after each interval once more, so many times, and no longer than a limit.
 *
 * <pre>
 *   sent      again     again          given up
 *   |---------|---------|---------|
 *     interval  interval  interval      retries 2
 * </pre>
 */
final class Resend {
    private long intervalNs;
    private long limitNs;
    private int retriesLeft;
    private long firstSentNs;
    private int sent;

    /** Begins with a message that was not sent yet. */
    void start(long newIntervalNs, int retries, long newLimitNs) {
        intervalNs = newIntervalNs;
        retriesLeft = retries;
        limitNs = newLimitNs;
        sent = 0;
    }

    /** The message left; answers when to look again. */
    long onSent(long nowNs) {
        if (sent == 0) {
            firstSentNs = nowNs;
        }
        sent++;
        return untilLimit(nowNs + intervalNs);
    }

    /** The peer asked for more time; answers when to look again. */
    long postpone(long nowNs, long extraNs) {
        return untilLimit(nowNs + extraNs + intervalNs);
    }

    private long untilLimit(long deadlineNs) {
        return limitNs == Long.MAX_VALUE ? deadlineNs : Math.min(deadlineNs, firstSentNs + limitNs);
    }

    /** The time is over: true = send it again, false = give up. */
    boolean mayRepeat(long nowNs) {
        if (retriesLeft == 0 || limitNs != Long.MAX_VALUE && nowNs - firstSentNs >= limitNs) {
            return false;
        }
        retriesLeft--;
        return true;
    }

    /** Transmissions so far. */
    int sent() {
        return sent;
    }

    /** Time since the first of them. */
    long elapsedNs(long nowNs) {
        return sent == 0 ? 0 : nowNs - firstSentNs;
    }
}
