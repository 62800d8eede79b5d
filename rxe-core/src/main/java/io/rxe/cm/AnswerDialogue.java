package io.rxe.cm;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;

/** Answers a peer that asks for the queue pair of a datagram service: SIDR_REP, and the same again if it asks again. */
final class AnswerDialogue extends Dialogue {
    private final long transactionId;
    private final int requestId;
    private final long serviceId;
    private final Listener listener;
    private AnswerState state = AnswerState.SIDR_REQ_RECEIVED;

    AnswerDialogue(CmCore core, CmConnection connection, Listener listener, Gid peer, long transactionId, int requestId, long nowNs) {
        super(core, connection, peer);
        this.listener = listener;
        this.transactionId = transactionId;
        this.requestId = requestId;
        this.serviceId = listener.serviceId();
        bind(new PeerKey(PeerKey.Kind.SERVICE_REQUEST, peer, 0, requestId));
        listener.pending(1);
        deadline(nowNs + patienceNs());
    }

    /** A SIDR_REQ does not say how long its sender waits: as long as we would. */
    private long patienceNs() {
        return CmTimes.timeoutNs(config().responseTimeoutCode()) * (config().maxRetries() + 1);
    }

    AnswerState state() {
        return state;
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        drop(CmDropReason.UNEXPECTED);
    }

    @Override
    void onDuplicateRequest(long nowNs) {
        switch (state) {
            case SIDR_REQ_RECEIVED -> deadline(nowNs + patienceNs());
            case SIDR_REP_SENT -> sendAgainForDuplicate(nowNs);
            case EXPIRED -> drop(CmDropReason.UNEXPECTED);
        }
    }

    @Override
    void onTimer(long nowNs) {
        if (state == AnswerState.SIDR_REQ_RECEIVED) {
            listener.pending(-1);
            raise(CmEvent.Type.UNREACHABLE, CmEvent.TIMED_OUT, new byte[0], Explanations.undecidedService(this, listener));
            state = AnswerState.EXPIRED;
        }
        remove();
    }

    /** Kept for two of the asker's intervals. */
    @Override
    void onSent(long nowNs) {
        deadline(nowNs + 2 * CmTimes.timeoutNs(config().responseTimeoutCode()));
    }

    /** Application: yes, or no with another status. False when it was too late. */
    boolean answer(SidrStatus status, int queuePairNumber, int queueKey, byte[] privateData) {
        if (state != AnswerState.SIDR_REQ_RECEIVED) {
            return false;
        }
        listener.pending(-1);
        Messages.serviceReply(message(), transactionId, requestId, serviceId, status);
        SidrRep.qpn(message(), 0, queuePairNumber);
        SidrRep.queueKey(message(), 0, queueKey);
        SidrRep.privateData(message(), 0, privateData);
        noDeadline();
        send();
        state = AnswerState.SIDR_REP_SENT;
        return true;
    }

    @Override
    void withdraw() {
        answer(SidrStatus.UNSUPPORTED, 0, 0, new byte[0]);
    }

    @Override
    void disconnect() {
        answer(SidrStatus.REJECTED, 0, 0, new byte[0]);
    }
}
