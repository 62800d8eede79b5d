package io.rxe.cm;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmRtu;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.time.DeadlineQueue;
import org.agrona.DirectBuffer;

/**
 * The side that is asked for a connection.
 *
 * <pre>
 *   REQ_RECEIVED --- REQ again: MRA ---> MRA_SENT
 *      | accept: send REP                   | accept: send REP
 *      v                                    v
 *   REP_SENT --- RTU, first data, DREQ ---> ESTABLISHED
 *      | timer or REQ again: REP again
 *      | MRA: MRA_RECEIVED, more time
 *
 *   reject: REJ_SENT.   REJ, or no answer to all tries: FAILED
 * </pre>
 */
final class PassiveDialogue extends ConnectionDialogue {
    private final IncomingRequest request;
    private final Listener listener;
    private final Resend resend = new Resend();
    private PassiveState state = PassiveState.REQ_RECEIVED;

    PassiveDialogue(CmCore core, CmConnection connection, IncomingRequest request, Listener listener, long nowNs) {
        super(core, connection, request.source());
        this.request = request;
        this.listener = listener;
        remote(request.remoteId(), request.offer().remoteQpn());
        ackTimeoutCode(request.offer().ackTimeoutCode());
        bind(request.key());
        bind(request.queuePairKey());
        connection.terms(request.offer());
        listener.pending(1);
        deadline(nowNs + patienceNs());
    }

    /** After this long without another REQ the peer has given up, and its REJ was lost. */
    private long patienceNs() {
        return Math.max(request.requestIntervalNs() * (request.maxRetries() + 1),
            CmTimes.timeoutNs(Messages.SERVICE_TIMEOUT_CODE) + request.requestIntervalNs());
    }

    PassiveState state() {
        return state;
    }

    IncomingRequest request() {
        return request;
    }

    private boolean isUndecided() {
        return state == PassiveState.REQ_RECEIVED || state == PassiveState.MRA_SENT;
    }

    private boolean isReplySent() {
        return state == PassiveState.REP_SENT || state == PassiveState.MRA_RECEIVED;
    }

    @Override
    boolean isEstablished() {
        return state == PassiveState.ESTABLISHED;
    }

    @Override
    long disconnectIntervalNs() {
        return CmTimes.timeoutNs(request.replyTimeout());
    }

    @Override
    int maxRetries() {
        return request.maxRetries();
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        switch (attribute) {
            case RTU -> state = onReady(mad, offset);
            case MRA -> state = onReceipt(mad, offset, nowNs);
            case REJ -> state = onReject(mad, offset, nowNs);
            case DREQ -> state = onDisconnectRequest(mad, offset, nowNs);
            case DREP -> teardown().onReply(nowNs);
            case REQ, REP, SIDR_REQ, SIDR_REP, LAP, APR -> drop(CmDropReason.UNEXPECTED);
        }
    }

    @Override
    void onDuplicateRequest(long nowNs) {
        switch (state) {
            case REQ_RECEIVED, MRA_SENT -> {
                core().replyReceipt(this, request.transactionId(), AnsweredMessage.REQ, nowNs);
                deadline(nowNs + patienceNs());
                state = PassiveState.MRA_SENT;
            }
            case REP_SENT, MRA_RECEIVED, REJ_SENT -> sendAgainForDuplicate(nowNs);
            case ESTABLISHED, FAILED -> drop(CmDropReason.UNEXPECTED);
        }
    }

    private PassiveState onReady(DirectBuffer mad, int offset) {
        if (isReplySent()) {
            return established(CmRtu.privateData(mad, offset));
        }
        if (state == PassiveState.ESTABLISHED) {
            duplicate(CmAttribute.RTU);
        } else {
            drop(CmDropReason.UNEXPECTED);
        }
        return state;
    }

    private PassiveState established(byte[] privateData) {
        noDeadline();
        raise(CmEvent.Type.ESTABLISHED, 0, privateData, "");
        return PassiveState.ESTABLISHED;
    }

    private PassiveState onReceipt(DirectBuffer mad, int offset, long nowNs) {
        if (!isReplySent() || CmMra.message(mad, offset) != AnsweredMessage.REP) {
            drop(CmDropReason.UNEXPECTED);
            return state;
        }
        int code = Math.min(CmMra.serviceTimeout(mad, offset), Messages.SERVICE_TIMEOUT_CODE);
        deadline(resend.postpone(nowNs, CmTimes.timeoutNs(code)));
        return PassiveState.MRA_RECEIVED;
    }

    private PassiveState onReject(DirectBuffer mad, int offset, long nowNs) {
        int code = CmRej.reason(mad, offset);
        return switch (state) {
            case REQ_RECEIVED, MRA_SENT, REP_SENT, MRA_RECEIVED -> {
                decided();
                raise(CmEvent.Type.REJECTED, code, CmRej.privateData(mad, offset), Explanations.takenBack(this, code));
                yield linger(nowNs);
            }
            case ESTABLISHED -> {
                teardown().onReject(nowNs, Explanations.rejectedLater(this, code));
                yield state;
            }
            case REJ_SENT, FAILED -> state;
        };
    }

    /** A DREQ proves that the peer was established, even if it overtook the RTU or the RTU was lost. */
    private PassiveState onDisconnectRequest(DirectBuffer mad, int offset, long nowNs) {
        if (isReplySent()) {
            state = established(new byte[0]);
        }
        if (state == PassiveState.ESTABLISHED) {
            teardown().onRequest(mad, offset, nowNs);
        } else {
            drop(CmDropReason.UNEXPECTED);
        }
        return state;
    }

    @Override
    void onTimer(long nowNs) {
        switch (state) {
            case REQ_RECEIVED, MRA_SENT -> {
                decided();
                raise(CmEvent.Type.UNREACHABLE, CmEvent.TIMED_OUT, new byte[0], Explanations.undecided(this));
                remove();
                state = PassiveState.FAILED;
            }
            case REP_SENT, MRA_RECEIVED -> state = onNoAnswer(nowNs);
            case ESTABLISHED -> teardown().onTimer(nowNs);
            case REJ_SENT, FAILED -> remove();
        }
    }

    private PassiveState onNoAnswer(long nowNs) {
        if (resend.mayRepeat(nowNs)) {
            repeat();
            return PassiveState.REP_SENT;
        }
        raise(CmEvent.Type.UNREACHABLE, CmEvent.TIMED_OUT, new byte[0], Explanations.noReady(this, resend, config(), nowNs));
        return giveUp(RejectReason.TIMEOUT);
    }

    /** Tells the peer, once, in case its RTUs were lost and it believes to be connected. */
    private PassiveState giveUp(RejectReason reason) {
        noDeadline();
        unbind(PeerKey.Kind.QUEUE_PAIR);
        if (reason == RejectReason.TIMEOUT) {
            Messages.timeout(message(), request.transactionId(), localId(), remoteId(), AnsweredMessage.REP, config().caGuid());
        } else {
            Messages.rejection(message(), request.transactionId(), localId(), remoteId(), AnsweredMessage.REP, reason);
        }
        send();
        return PassiveState.FAILED;
    }

    private PassiveState linger(long nowNs) {
        unbind(PeerKey.Kind.QUEUE_PAIR);
        deadline(nowNs + timeWaitNs());
        return PassiveState.FAILED;
    }

    @Override
    void onSent(long nowNs) {
        switch (state) {
            case REP_SENT, MRA_RECEIVED -> {
                long next = resend.onSent(nowNs);
                // A REP that only answers a REQ that came twice does not put off the timer.
                deadline(deadlineNs() == DeadlineQueue.NONE ? next : deadlineNs());
            }
            case ESTABLISHED -> teardown().onSent(nowNs);
            case REJ_SENT -> deadline(nowNs + 2 * request.requestIntervalNs());
            case FAILED -> deadline(nowNs + timeWaitNs());
            case REQ_RECEIVED, MRA_SENT -> throw new AssertionError("nothing to send in " + state);
        }
    }

    private void decided() {
        if (isUndecided()) {
            listener.pending(-1);
        }
    }

    /** Application: yes. False when the peer gave up meanwhile, which an event tells. */
    boolean accept(ConnectParameters parameters, int queuePairNumber) {
        if (!isUndecided()) {
            return false;
        }
        decided();
        localQpn(queuePairNumber);
        ConnectionTerms terms = connection().terms();
        MadHeader.write(message(), 0, CmAttribute.REP, request.transactionId());
        CommunicationIds.write(message(), 0, localId(), remoteId());
        CmRep.localQpn(message(), 0, queuePairNumber);
        CmRep.startingPsn(message(), 0, terms.receivePsn());
        CmRep.responderResources(message(), 0, terms.responderResources());
        CmRep.initiatorDepth(message(), 0, terms.initiatorDepth());
        CmRep.targetAckDelay(message(), 0, config().ackDelayCode());
        CmRep.rnrRetryCount(message(), 0, parameters.rnrRetry());
        CmRep.sharedReceiveQueue(message(), 0, parameters.isSharedReceiveQueue());
        CmRep.localCaGuid(message(), 0, config().caGuid());
        CmRep.privateData(message(), 0, parameters.privateData());
        resend.start(CmTimes.timeoutNs(request.replyTimeout()), request.maxRetries(), parameters.timeoutNs());
        noDeadline();
        send();
        state = PassiveState.REP_SENT;
        return true;
    }

    /** Application, or its absence: no. False when the peer gave up meanwhile. */
    boolean reject(RejectReason reason, byte[] privateData) {
        if (!isUndecided()) {
            return false;
        }
        decided();
        Messages.rejection(message(), request.transactionId(), localId(), remoteId(), AnsweredMessage.REQ, reason);
        CmRej.privateData(message(), 0, privateData);
        unbind(PeerKey.Kind.QUEUE_PAIR);
        noDeadline();
        send();
        state = PassiveState.REJ_SENT;
        return true;
    }

    @Override
    void withdraw() {
        reject(RejectReason.INVALID_SERVICE_ID, new byte[0]);
    }

    /** Application: data came, so the peer is established even if its RTU was lost. */
    void notifyEstablished() {
        if (isReplySent()) {
            state = established(new byte[0]);
        }
    }

    @Override
    void disconnect() {
        switch (state) {
            case REQ_RECEIVED, MRA_SENT -> {
                raise(CmEvent.Type.DISCONNECTED);
                reject(RejectReason.CONSUMER, new byte[0]);
            }
            case REP_SENT, MRA_RECEIVED -> {
                raise(CmEvent.Type.DISCONNECTED);
                state = giveUp(RejectReason.CONSUMER);
            }
            case ESTABLISHED -> teardown().disconnect("");
            case REJ_SENT, FAILED -> {
                // Over already.
            }
        }
    }
}
