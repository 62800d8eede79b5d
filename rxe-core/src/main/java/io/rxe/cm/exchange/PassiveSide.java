package io.rxe.cm.exchange;

import io.rxe.cm.mad.AlternatePathStatus;
import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmRtu;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.QueuePairType;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The side that accepts or rejects a connection.
 *
 * <pre>
 *   REQ_RECEIVED --- duplicate REQ: MRA ---> MRA_SENT
 *      | accept: REP                           | accept: REP
 *      v                                       v
 *   REP_SENT --- RTU, first data or DREQ ---> ESTABLISHED
 *      | timer or duplicate REQ: REP
 *      | MRA: MRA_RECEIVED, waits longer
 *
 *   reject: REJ_SENT.   REJ after the REP, or no reply to any REP: FAILED
 *   REJ before the REP: the exchange ends
 * </pre>
 */
public final class PassiveSide extends ConnectionExchange {
    private final IncomingRequest request;
    private final Backlog backlog;
    private PassiveState state = PassiveState.REQ_RECEIVED;

    PassiveSide(ExchangeContext context, IncomingRequest request, Backlog backlog, long nowNs) {
        super(context, request.origin().address(), request.origin().partitionKeyIndex(), request.transactionId());
        this.request = request;
        this.backlog = backlog;
        remote(request.remoteId(), request.offer().remoteQpn());
        ackTimeoutCode(request.offer().ackTimeoutCode());
        bind(request.key());
        bind(request.queuePairKey());
        backlog.onRequest();
        context.admission().onBegun(this, peer());
        deadline(nowNs + requestTimeoutNs());
    }

    /** The peer gives up within this time after its last REQ; its REJ may be lost. */
    private long requestTimeoutNs() {
        long withoutMraNs = request.reqIntervalNs() * (request.maxRetries() + 1);
        long afterMraNs = CmTimes.timeoutNs(CmTimes.SERVICE_TIMEOUT_CODE) + request.reqIntervalNs();
        return Math.min(CmTimes.PEER_LIMIT_NS, Math.max(withoutMraNs, afterMraNs));
    }

    /** For tests and diagnostics; engine thread. */
    public PassiveState state() {
        return state;
    }

    /** The most the peer offers, seen from this side. Any thread. */
    public ConnectionTerms offer() {
        return request.offer();
    }

    /** Port the requester claims to come from. Any thread. */
    public int sourcePort() {
        return request.sourcePort();
    }

    private boolean isPending() {
        return state == PassiveState.REQ_RECEIVED || state == PassiveState.MRA_SENT;
    }

    private boolean isRepSent() {
        return state == PassiveState.REP_SENT || state == PassiveState.MRA_RECEIVED;
    }

    @Override
    boolean isEstablished() {
        return state == PassiveState.ESTABLISHED;
    }

    @Override
    long disconnectIntervalNs() {
        return CmTimes.timeoutNs(request.repTimeoutCode());
    }

    @Override
    int maxRetries() {
        return request.maxRetries();
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        switch (attribute) {
            case RTU -> state = onRtu(mad, offset);
            case MRA -> state = onMra(mad, offset, nowNs);
            case REJ -> state = onRej(mad, offset, nowNs);
            case DREQ -> state = onDreq(mad, offset, nowNs);
            case DREP -> teardown().onDrep(nowNs);
            case LAP -> onLap(mad, offset, nowNs);
            case REQ, REP, SIDR_REQ, SIDR_REP, APR -> drop(CmDropReason.UNEXPECTED);
        }
    }

    @Override
    void onDuplicateRequest(long nowNs) {
        switch (state) {
            case REQ_RECEIVED, MRA_SENT -> {
                sendMra(AnsweredMessage.REQ, nowNs);
                deadline(nowNs + requestTimeoutNs());
                state = PassiveState.MRA_SENT;
            }
            case REP_SENT, MRA_RECEIVED, REJ_SENT -> retransmitForDuplicate(nowNs);
            case ESTABLISHED, FAILED -> drop(CmDropReason.UNEXPECTED);
        }
    }

    private PassiveState onRtu(DirectBuffer mad, int offset) {
        if (isRepSent()) {
            return established(CmRtu.PRIVATE_DATA.get(mad, offset));
        }
        if (state == PassiveState.ESTABLISHED) {
            countDuplicate(CmAttribute.RTU);
        } else {
            drop(CmDropReason.UNEXPECTED);
        }
        return state;
    }

    private PassiveState established(byte[] privateData) {
        noDeadline();
        context().admission().onEstablished(this, peer());
        context().requestRate().onConfirmed();
        observer().onEstablished(privateData);
        return PassiveState.ESTABLISHED;
    }

    private PassiveState onMra(DirectBuffer mad, int offset, long nowNs) {
        return isPostponed(AnsweredMessage.REP, isRepSent(), mad, offset, nowNs) ? PassiveState.MRA_RECEIVED : state;
    }

    private PassiveState onRej(DirectBuffer mad, int offset, long nowNs) {
        int code = CmRej.REASON.get(mad, offset);
        return switch (state) {
            case REQ_RECEIVED, MRA_SENT, REP_SENT, MRA_RECEIVED -> {
                boolean wasPending = isPending();
                endPending();
                observer().onRejected(code, CmRej.PRIVATE_DATA.get(mad, offset), CmErrorMessages.requestCancelled(peer(), code));
                if (wasPending) {
                    // Nothing was sent: anybody can have sent both messages, so nothing is kept of them.
                    remove();
                } else {
                    unbind(PeerKey.Kind.QUEUE_PAIR);
                    deadline(nowNs + timeWaitNs());
                }
                yield PassiveState.FAILED;
            }
            case ESTABLISHED -> {
                teardown().onRej(nowNs, CmErrorMessages.rejectedAfterRtu(peer(), localQpn(), code));
                yield state;
            }
            case REJ_SENT, FAILED -> state;
        };
    }

    /** A DREQ proves that the peer was established, even if the DREQ overtook the RTU or the RTU was lost. */
    private PassiveState onDreq(DirectBuffer mad, int offset, long nowNs) {
        if (isRepSent()) {
            state = established(new byte[0]);
        }
        if (state == PassiveState.ESTABLISHED) {
            teardown().onDreq(mad, offset, nowNs);
        } else {
            drop(CmDropReason.UNEXPECTED);
        }
        return state;
    }

    @Override
    void onTimer(long nowNs) {
        switch (state) {
            case REQ_RECEIVED, MRA_SENT -> {
                endPending();
                observer().onUnreachable(ExchangeObserver.TIMED_OUT, new byte[0], CmErrorMessages.undecided(peer()));
                remove();
                state = PassiveState.FAILED;
            }
            case REP_SENT, MRA_RECEIVED -> state = onRepTimeout(nowNs);
            case ESTABLISHED -> teardown().onTimer(nowNs);
            case REJ_SENT, FAILED -> remove();
        }
    }

    private PassiveState onRepTimeout(long nowNs) {
        if (retry.mayRetry(nowNs)) {
            retransmit();
            return PassiveState.REP_SENT;
        }
        observer().onUnreachable(ExchangeObserver.TIMED_OUT, new byte[0],
            CmErrorMessages.noRtu(peer(), retry.sent(), retry.elapsedNs(nowNs), config().udpPort()));
        return fail(RejectReason.TIMEOUT);
    }

    /** Sends one REJ, in case the RTUs of the peer were lost and it considers itself connected. */
    private PassiveState fail(RejectReason reason) {
        noDeadline();
        unbind(PeerKey.Kind.QUEUE_PAIR);
        sendRej(AnsweredMessage.REP, reason);
        return PassiveState.FAILED;
    }

    @Override
    void onSent(long nowNs) {
        switch (state) {
            case REP_SENT, MRA_RECEIVED -> {
                long next = retry.onSent(nowNs);
                // A REP that answers a duplicate REQ does not postpone the retransmission timer.
                deadline(deadlineNs() == DeadlineQueue.NONE ? next : deadlineNs());
            }
            case ESTABLISHED -> teardown().onSent(nowNs);
            case REJ_SENT -> deadline(nowNs + Math.min(2 * request.reqIntervalNs(), CmTimes.REFUSED_LIMIT_NS));
            case FAILED -> deadline(nowNs + timeWaitNs());
            case REQ_RECEIVED, MRA_SENT -> throw new AssertionError("nothing to send in " + state);
        }
    }

    private void endPending() {
        if (isPending()) {
            backlog.onDecision();
            context().admission().onDecided(this, peer());
        }
    }

    /** Makes room for a newer request. The peer is rejected, in case it is slow and not an attacker. */
    @Override
    void onEvicted(long nowNs) {
        if (isRepSent()) {
            observer().onUnreachable(ExchangeObserver.TIMED_OUT, new byte[0],
                CmErrorMessages.evicted(peer(), retry.elapsedNs(nowNs), config().maxPeerExchanges()));
            UnsafeBuffer rej = context().replies().add(origin(), nowNs);
            if (rej != null) {
                CmMessageWriter.rej(rej, transactionId(), localId(), remoteId(), AnsweredMessage.REP, RejectReason.NO_RESOURCES);
            }
        }
        remove();
        state = PassiveState.FAILED;
    }

    @Override
    void onRemoved() {
        context().admission().onRemoved(this, peer());
    }

    /**
     * Command: accepts the request. The queue pair must be able to receive.
     *
     * @param terms           of this side; the depths are those both sides agreed on.
     * @param queuePairNumber of this side.
     * @return false if the peer gave up before; an event said so.
     */
    public boolean accept(RequestedTerms terms, int queuePairNumber) {
        if (!isPending()) {
            return false;
        }
        endPending();
        localQpn(queuePairNumber);
        MadHeader.write(message(), 0, CmAttribute.REP, transactionId());
        CommunicationIds.write(message(), 0, localId(), remoteId());
        CmRep.STARTING_PSN.set(message(), 0, request.offer().receivePsn());
        CmRep.RESPONDER_RESOURCES.set(message(), 0, terms.responderResources());
        CmRep.TARGET_ACK_DELAY.set(message(), 0, config().ackDelayCode());
        CmRep.RNR_RETRY_COUNT.set(message(), 0, terms.rnrRetry());
        if (request.offer().type() == QueuePairType.XRC_RECV) {
            CmRep.LOCAL_EE_CONTEXT.set(message(), 0, queuePairNumber);
            CmRep.SHARED_RECEIVE_QUEUE.set(message(), 0, true);
        } else {
            CmRep.LOCAL_QPN.set(message(), 0, queuePairNumber);
            CmRep.INITIATOR_DEPTH.set(message(), 0, terms.initiatorDepth());
            CmRep.END_TO_END_FLOW_CONTROL.set(message(), 0, request.offer().type() == QueuePairType.RC && terms.endToEndCredits());
            CmRep.SHARED_RECEIVE_QUEUE.set(message(), 0, terms.sharedReceiveQueue());
        }
        CmRep.LOCAL_CA_GUID.set(message(), 0, config().caGuid());
        CmRep.PRIVATE_DATA.set(message(), 0, terms.privateData());
        retry.start(CmTimes.timeoutNs(request.repTimeoutCode()), request.maxRetries(), Math.min(terms.timeoutNs(), CmTimes.PEER_LIMIT_NS));
        retry.doubling(!context().admission().isPeer(peer()));
        noDeadline();
        send();
        state = PassiveState.REP_SENT;
        return true;
    }

    /** Command: rejects the request. Ignored if the peer gave up before; an event said so. */
    public void reject(byte[] privateData) {
        reject(RejectReason.CONSUMER, privateData);
    }

    private void reject(RejectReason reason, byte[] privateData) {
        if (!isPending()) {
            return;
        }
        endPending();
        CmMessageWriter.rej(message(), transactionId(), localId(), remoteId(), AnsweredMessage.REQ, reason);
        CmRej.PRIVATE_DATA.set(message(), 0, privateData);
        unbind(PeerKey.Kind.QUEUE_PAIR);
        noDeadline();
        send();
        state = PassiveState.REJ_SENT;
    }

    @Override
    void onListenerClosed(Backlog closed) {
        if (backlog == closed && observer().cancelRequest()) {
            reject(RejectReason.INVALID_SERVICE_ID, new byte[0]);
        }
    }

    private void onLap(DirectBuffer mad, int offset, long nowNs) {
        if (isOpen()) {
            pathLoader().onLap(mad, offset, nowNs);
        } else {
            drop(CmDropReason.UNEXPECTED);
        }
    }

    /** Command: replies to the peer's LAP. Ignored if the connection ended before; an event said so. */
    public void answerPath(AlternatePathStatus status) {
        if (isOpen()) {
            pathLoader().answer(status);
        }
    }

    /** Command: data arrived, so the peer is established even if its RTU was lost. Ignored unless a REP waits for its RTU. */
    public void notifyEstablished() {
        if (isRepSent()) {
            state = established(new byte[0]);
        }
    }

    @Override
    void onSendFailed(long nowNs, String why) {
        if (state == PassiveState.ESTABLISHED) {
            teardown().onSendFailed(nowNs, why);
        }
    }

    @Override
    public void end(String why) {
        switch (state) {
            case REQ_RECEIVED, MRA_SENT -> {
                observer().onDisconnected(0, why);
                reject(RejectReason.CONSUMER, new byte[0]);
            }
            case REP_SENT, MRA_RECEIVED -> {
                observer().onDisconnected(0, why);
                state = fail(RejectReason.CONSUMER);
            }
            case ESTABLISHED -> teardown().disconnect(why);
            case REJ_SENT, FAILED -> {
                // The exchange has ended already.
            }
        }
    }
}
