package io.rxe.qp.send;

import io.rxe.qp.AttributeLimits;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.wire.RnrTimer;

/**
 * The two retry counters of a requester, its ACK timer and its RNR wait (rules T1 to T8).
 *
 * <pre>
 *   send ---- T ----| no valid response: retry_cnt - 1, retransmit ---- T ----| ... retry_cnt = 0: RETRY_EXC_ERR
 *   send -- RNR NAK: rnr_retry - 1 -- RNR wait --| retransmit              (the ACK timer rests meanwhile)
 * </pre>
 *
 * <p>Owned by the engine thread.
 */
public final class RetryState {
    /** A counter with this value never runs out. */
    private static final int ENDLESS = 7;
    /** The timer expires after T to 4T. */
    private static final int MOST_TIMEOUTS = 4;
    /** Where nothing shows that queues are full, intervals differ by such a part of T. */
    private static final int MOST_SPREAD = 4;
    private static final int RNR_GROWTH = 16;
    /** The longest that an RNR NAK may demand. */
    private static final long MOST_RNR_GROWTH_NS = RnrTimer.toNs(0);
    private static final long STOPPED = Long.MAX_VALUE;

    private long ackTimeoutNs;
    private long expiryNs;
    private long backOffNs;
    private int retryCount;
    private int rnrRetryCount;
    private boolean endlessRetry;
    private int retriesLeft;
    private int rnrRetriesLeft;
    private long ackTimerStartedNs = STOPPED;
    private long rnrDeadlineNs = STOPPED;
    private long firstFailureNs;
    private int failures;
    private int refusals;

    /** Takes timeout and retry counts from the attributes and reloads both counters. */
    public void configure(QueuePairAttributes attributes) {
        ackTimeoutNs = timeoutNs(attributes.timeout());
        expiryNs = ackTimeoutNs;
        retryCount = attributes.retryCount();
        rnrRetryCount = attributes.rnrRetry();
        endlessRetry = retryCount == ENDLESS && attributes.isRxeRetryCompatibility();
        reload();
    }

    /** Nanoseconds of a local ACK timeout code: 4.096 us x 2^n, at least the device's minimum; 0 for code 0 (rules T1, T4, T5). */
    public static long timeoutNs(int code) {
        return code == 0 ? 0 : 4096L << Math.max(code, AttributeLimits.MIN_TIMEOUT_CODE);
    }

    /** Forward progress: reloads both counters (rule T6). */
    public void reload() {
        backOffNs = 0;
        retriesLeft = retryCount;
        rnrRetriesLeft = rnrRetryCount;
        failures = 0;
        refusals = 0;
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
        refusals++;
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

    /** The local ACK timeout; 0 = none. */
    public long ackTimeoutNs() {
        return ackTimeoutNs;
    }

    /** Where queues hold packets for longer than the timeout, it expires later: after two round trips, at most 4T (rule T1). */
    public void onRoundTrip(long ns) {
        expiryNs = Math.max(ackTimeoutNs, Math.min(MOST_TIMEOUTS * ackTimeoutNs, 2 * ns));
    }

    /**
     * The timer expired. Queue pairs, and hosts, whose packets were lost at one time would retransmit at one time again, so that the next
     * interval is up to a quarter longer. While the peer answers other queue pairs, queues are full: then it grows with each failure, to 4T
     * at most (rule T1).
     *
     * @param seed          of this queue pair.
     * @param isPeerPresent whether the peer answers other queue pairs.
     */
    public void backOff(int seed, boolean isPeerPresent) {
        int spread = (seed + failures) * 0x9E37_79B1 >>> 24;
        long growthNs = isPeerPresent ? ackTimeoutNs * Math.min(MOST_TIMEOUTS - 1, failures) / 2 : 0;
        long spreadNs = isPeerPresent ? growthNs : ackTimeoutNs / MOST_SPREAD;
        backOffNs = ackTimeoutNs + growthNs + (spreadNs * spread >> Byte.SIZE);
    }

    /** Starts the ACK timer unless it runs: a packet that demands a response was sent (rule T2). */
    public void startAckTimer(long nowNs) {
        if (ackTimerStartedNs == STOPPED) {
            ackTimerStartedNs = nowNs;
        }
    }

    /** Restarts the ACK timer: a valid response arrived while others are due. */
    public void restartAckTimer(long nowNs) {
        ackTimerStartedNs = nowNs;
    }

    /** Stops the ACK timer: no response is due. */
    public void stopAckTimer() {
        ackTimerStartedNs = STOPPED;
    }

    public boolean isAckTimerRunning() {
        return ackTimerStartedNs != STOPPED && ackTimeoutNs != 0;
    }

    /** When the ACK timer started; valid while it runs. */
    public long ackTimerStartedNs() {
        return ackTimerStartedNs;
    }

    /** When the ACK timer expires, or {@link Long#MAX_VALUE}; it rests during an RNR wait (rule T8). */
    public long ackDeadlineNs() {
        return isAckTimerRunning() && !isInRnrWait() ? ackTimerStartedNs + Math.max(expiryNs, backOffNs) : STOPPED;
    }

    /**
     * Starts the RNR wait (rule T8). Beside others it grows to a sixteenth of the time since the first refusal: many that are refused again
     * and again would leave them little of the path.
     *
     * @param leastNs what the RNR NAK says.
     * @param isAlone whether other queue pairs hardly use the path.
     */
    public void startRnrWait(long leastNs, boolean isAlone, long nowNs) {
        long growthNs = isAlone ? 0 : Math.min(MOST_RNR_GROWTH_NS, failingForNs(nowNs) / RNR_GROWTH);
        rnrDeadlineNs = nowNs + Math.max(leastNs, growthNs);
    }

    /** The RNR wait is over now: the peer was ready. */
    public void shortenRnrWait(long nowNs) {
        rnrDeadlineNs = nowNs;
    }

    /** Whether the peer has refused a request and its retransmission: until it takes that, nothing behind it leaves (rule Q8). */
    public boolean isRefusedAgain() {
        return refusals > 1;
    }

    public void endRnrWait() {
        rnrDeadlineNs = STOPPED;
    }

    public boolean isInRnrWait() {
        return rnrDeadlineNs != STOPPED;
    }

    /** When the RNR wait ends, or {@link Long#MAX_VALUE}. */
    public long rnrDeadlineNs() {
        return rnrDeadlineNs;
    }
}
