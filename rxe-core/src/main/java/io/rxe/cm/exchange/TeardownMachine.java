package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmDreq;
import io.rxe.cm.mad.MadHeader;
import org.agrona.DirectBuffer;

/**
 * The end of an established connection; the same for both sides.
 *
 * <pre>
 *   OPEN --- disconnect: DREQ ---> DREQ_SENT --- DREP, DREQ, REJ or no reply ---> TIME_WAIT --- timer ---> CLOSED
 *     +--------------- DREQ: DREP; REJ -------------------------------------------^
 * </pre>
 *
 * <p>Every DREQ is answered with a DREP, in every state; duplicates within the rate limit of replies.
 */
final class TeardownMachine {
    private final ConnectionExchange owner;
    private final CmRetry retry = new CmRetry();
    private TeardownState state = TeardownState.OPEN;
    private long transactionId;
    private boolean reported;

    TeardownMachine(ConnectionExchange owner) {
        this.owner = owner;
    }

    boolean isOpen() {
        return state == TeardownState.OPEN;
    }

    /** Of our DREQ, or 0. */
    long transactionId() {
        return transactionId;
    }

    /** Whether our DREQ has no answer. */
    boolean isUnanswered() {
        return state == TeardownState.DREQ_SENT;
    }

    /**
     * Sends a DREQ.
     *
     * @param why explanation of the event, which then comes at once: the connection is of no use any more. Empty if the application of
     *            this side disconnects: then the event says how the peer answered.
     */
    void disconnect(String why) {
        if (state == TeardownState.OPEN) {
            transactionId = owner.context().newTransaction();
            CmMessageWriter.dreq(owner.message(), transactionId, owner.localId(), owner.remoteId(), owner.remoteQpn());
            long intervalNs = owner.context().isClosing() ? CmTimes.CLOSING_INTERVAL_NS : owner.disconnectIntervalNs();
            retry.start(intervalNs, owner.maxRetries(), CmTimes.PEER_LIMIT_NS);
            owner.noDeadline();
            owner.send();
            state = TeardownState.DREQ_SENT;
            if (!why.isEmpty()) {
                report(ExchangeObserver.ABORTED, why);
            }
        }
    }

    private void report(int status, String explanation) {
        if (!reported) {
            reported = true;
            owner.observer().onDisconnected(status, explanation);
        }
    }

    void onDreq(DirectBuffer mad, int offset, long nowNs) {
        if (CmDreq.REMOTE_QPN.get(mad, offset) != owner.localQpn()) {
            owner.drop(CmDropReason.WRONG_QUEUE_PAIR);
            return;
        }
        if (state == TeardownState.TIME_WAIT) {
            owner.countDuplicate(CmAttribute.DREQ);
            if (!owner.context().replies().isAllowed(nowNs)) {
                return;
            }
        }
        CmMessageWriter.drep(owner.message(), MadHeader.TRANSACTION_ID.get(mad, offset), owner.localId(), owner.remoteId());
        owner.send();
        state = enterTimeWait(nowNs, 0, state == TeardownState.OPEN ? CmErrorMessages.disconnected(owner.peer()) : "");
    }

    void onDrep(long nowNs) {
        switch (state) {
            case DREQ_SENT -> state = enterTimeWait(nowNs, 0, "");
            case OPEN -> owner.drop(CmDropReason.UNEXPECTED);
            case TIME_WAIT, CLOSED -> owner.countDuplicate(CmAttribute.DREP);
        }
    }

    void onRej(long nowNs, String explanation) {
        switch (state) {
            case OPEN, DREQ_SENT -> state = enterTimeWait(nowNs, 0, explanation);
            case TIME_WAIT, CLOSED -> owner.drop(CmDropReason.UNEXPECTED);
        }
    }

    /** Our DREQ cannot be sent: the peer will not answer. */
    void onSendFailed(long nowNs, String why) {
        if (state == TeardownState.DREQ_SENT) {
            state = enterTimeWait(nowNs, ExchangeObserver.NOT_SENT, CmErrorMessages.dreqNotSent(owner.peer(), why));
        }
    }

    void onTimer(long nowNs) {
        switch (state) {
            case DREQ_SENT -> {
                if (retry.mayRetry(nowNs)) {
                    owner.retransmit();
                } else {
                    state = enterTimeWait(nowNs, ExchangeObserver.TIMED_OUT,
                        CmErrorMessages.noDrep(owner.peer(), retry.sent(), retry.elapsedNs(nowNs)));
                }
            }
            case TIME_WAIT -> {
                state = TeardownState.CLOSED;
                owner.observer().onTimeWaitExit();
                owner.remove();
            }
            case OPEN, CLOSED -> throw new AssertionError("no timer runs in " + state);
        }
    }

    void onSent(long nowNs) {
        if (state == TeardownState.DREQ_SENT) {
            owner.deadline(retry.onSent(nowNs));
        }
    }

    /** Starts the time-wait and reports the end of the connection, each once. */
    private TeardownState enterTimeWait(long nowNs, int status, String explanation) {
        if (state != TeardownState.TIME_WAIT) {
            // The peer may reuse its queue pair from now on. Its communication ID stays bound until the time-wait ends.
            owner.unbind(PeerKey.Kind.QUEUE_PAIR);
            owner.deadline(nowNs + owner.timeWaitNs());
            report(status, explanation);
        }
        return TeardownState.TIME_WAIT;
    }
}
