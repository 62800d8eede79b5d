package io.rxe.qp;

import io.rxe.verbs.QueuePairAttributes;

/**
 * The two retry counters and the two timers of a requester (rules T1 to T8).
 *
 * <pre>
 *   send ---- T ----| no valid response: retry_cnt - 1, send again ---- T ----| ... retry_cnt = 0: RETRY_EXC_ERR
 *   send -- RNR NAK: rnr_retry - 1 -- RNR delay --| send again             (the transport timer rests meanwhile)
 * </pre>
 *
 * <p>Owned by the engine thread.
 */
public final class RetryCounters {
    /** A counter that never runs out. */
    private static final int ENDLESS = 7;
    private static final long STOPPED = Long.MAX_VALUE;

    private long timeoutNs;
    private int retryCount;
    private int rnrRetryCount;
    private boolean endlessRetry;
    private int retriesLeft;
    private int rnrRetriesLeft;
    private long startedNs = STOPPED;
    private long rnrUntilNs = STOPPED;
    private long firstFailureNs;
    private int failures;

    /** Takes over what {@code modify} set and reloads both counters. */
    public void configure(QueuePairAttributes attributes) {
        timeoutNs = timeoutNs(attributes.timeout());
        retryCount = attributes.retryCount();
        rnrRetryCount = attributes.rnrRetry();
        endlessRetry = retryCount == ENDLESS && attributes.isRxeRetryCompatibility();
        reload();
    }

    /** Duration of a local ACK timeout code: 4.096 us x 2^n, at least the device's minimum; 0 for code 0 (rules T1, T4, T5). */
    public static long timeoutNs(int code) {
        return code == 0 ? 0 : 4096L << Math.max(code, AttributeLimits.MIN_TIMEOUT_CODE);
    }

    /** Forward progress: both counters are full again (rule T6). */
    public void reload() {
        retriesLeft = retryCount;
        rnrRetriesLeft = rnrRetryCount;
        failures = 0;
    }

    /** Uses a retry after a timeout, sequence NAK or implied NAK; false when none is left. */
    public boolean useRetry(long nowNs) {
        noteFailure(nowNs);
        if (endlessRetry) {
            return true;
        }
        return retriesLeft-- > 0;
    }

    /** Uses a retry after an RNR NAK; false when none is left. */
    public boolean useRnrRetry(long nowNs) {
        noteFailure(nowNs);
        return rnrRetryCount == ENDLESS || rnrRetriesLeft-- > 0;
    }

    private void noteFailure(long nowNs) {
        if (failures++ == 0) {
            firstFailureNs = nowNs;
        }
    }

    /** What is left of the retry counter. */
    public int retriesLeft() {
        return Math.max(0, retriesLeft);
    }

    /** What is left of the RNR retry counter. */
    public int rnrRetriesLeft() {
        return Math.max(0, rnrRetriesLeft);
    }

    /** Failures since the last progress. */
    public int failures() {
        return failures;
    }

    /** Time since the first failure after the last progress. */
    public long failingForNs(long nowNs) {
        return nowNs - firstFailureNs;
    }

    /** The transport timer's period; 0 = none. */
    public long timeoutNs() {
        return timeoutNs;
    }

    /** Starts the transport timer unless it runs: a request that demands an answer was sent (rule T2). */
    public void startTimer(long nowNs) {
        if (startedNs == STOPPED) {
            startedNs = nowNs;
        }
    }

    /** Starts the transport timer anew: a valid response came, or the requests were sent again. */
    public void restartTimer(long nowNs) {
        startedNs = nowNs;
    }

    /** Nothing is outstanding. */
    public void stopTimer() {
        startedNs = STOPPED;
    }

    public boolean isTimerRunning() {
        return startedNs != STOPPED && timeoutNs != 0;
    }

    /** When the transport timer started; valid while it runs. */
    public long startedNs() {
        return startedNs;
    }

    /** When the transport timer expires, or {@link Long#MAX_VALUE}; it rests during an RNR wait (rule T8). */
    public long deadlineNs() {
        return isTimerRunning() && !isWaitingForReceiver() ? startedNs + timeoutNs : STOPPED;
    }

    /** Waits for the receiver until a time (rule T8). */
    public void waitForReceiver(long untilNs) {
        rnrUntilNs = untilNs;
    }

    /** The RNR delay is over, or void. */
    public void endWait() {
        rnrUntilNs = STOPPED;
    }

    public boolean isWaitingForReceiver() {
        return rnrUntilNs != STOPPED;
    }

    /** When the RNR delay ends, or {@link Long#MAX_VALUE}. */
    public long rnrUntilNs() {
        return rnrUntilNs;
    }
}
