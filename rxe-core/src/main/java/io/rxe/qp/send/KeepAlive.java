package io.rxe.qp.send;

import io.rxe.verbs.QueuePairAttributes;

/**
 * Whether the peer is still there when nothing is outstanding (rule T11): off unless the application sets a time.
 *
 * <pre>
 *   OFF
 *   RESTING ----- the time has passed and nothing is outstanding: send a keep-alive -----> ASKING
 *      ^                                                                                   |  |  no answer within the ACK timeout,
 *      +---- an answer, a request of the peer, or an acknowledgement of a request ---------+  |  1 + retry_cnt times: the peer
 *                                                                                             v  is gone
 * </pre>
 *
 * <p>A keep-alive is an RDMA WRITE of no bytes with the PSN before the next one. To the peer it is a duplicate, which every responder
 * acknowledges and none executes (rule R4). While a request is outstanding, its ACK timer does the same, and nothing is sent.
 *
 * <p>Owned by the engine thread.
 */
public final class KeepAlive {
    private static final long NEVER = Long.MAX_VALUE;
    /** Due at once: the time starts with the next poll, because the change of state has no clock. */
    private static final long UNSTARTED = Long.MIN_VALUE;

    private long intervalNs;
    private long answerNs;
    private int mostSent;
    private long deadlineNs = NEVER;
    private int sent;
    private long progress;
    private long askedNs;

    /** Takes times and counts from the attributes and starts from the beginning. */
    public void configure(QueuePairAttributes attributes) {
        intervalNs = attributes.keepAliveNs();
        long timeoutNs = RetryState.timeoutNs(attributes.timeout());
        answerNs = timeoutNs == 0 ? intervalNs : timeoutNs;
        mostSent = 1 + attributes.retryCount();
        sent = 0;
        deadlineNs = intervalNs == 0 ? NEVER : UNSTARTED;
    }

    /** The queue pair does not send any more. */
    public void stop() {
        sent = 0;
        deadlineNs = NEVER;
    }

    /** When to poll the queue pair, or {@link Long#MAX_VALUE}; the past while the time has not started. */
    public long deadlineNs() {
        return deadlineNs;
    }

    /**
     * The deadline has passed: whether to send a keep-alive now.
     *
     * @param mayAsk      whether nothing is outstanding, so that the answer cannot be taken for that of a request.
     * @param newProgress a number that changes when the peer sends or acknowledges a request.
     */
    public boolean isDue(boolean mayAsk, long newProgress, long nowNs) {
        if (deadlineNs == UNSTARTED || !mayAsk || sent > 0 && newProgress != progress) {
            rest(nowNs);
            return false;
        }
        return true;
    }

    /** Whether every keep-alive was sent and none was answered; valid when one is due. */
    public boolean isExhausted() {
        return sent == mostSent;
    }

    public void onSent(long newProgress, long nowNs) {
        if (sent++ == 0) {
            progress = newProgress;
            askedNs = nowNs;
        }
        deadlineNs = nowNs + answerNs;
    }

    /** A response arrived that belongs to no outstanding request: whether it answers a keep-alive. */
    public boolean onAnswer(long nowNs) {
        if (sent == 0) {
            return false;
        }
        rest(nowNs);
        return true;
    }

    private void rest(long nowNs) {
        sent = 0;
        deadlineNs = nowNs + intervalNs;
    }

    /** Keep-alives sent since the last sign of life. */
    public int sent() {
        return sent;
    }

    /** How long the peer has not answered. */
    public long askingForNs(long nowNs) {
        return nowNs - askedNs;
    }
}
