package io.rxe.cm;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.RejectReason;
import io.rxe.verbs.AddressVector;
import org.agrona.DirectBuffer;

/**
 * The side that asks for a connection.
 *
 * <pre>{@code
 *   REQ_SENT <--- timer: REQ again ---> MRA_RECEIVED
 *      | REP                               | REP
 *      v                                   v
 *   REP_RECEIVED --- establish: send RTU ---> ESTABLISHED (REP again: RTU again)
 *
 *   REJ, or no answer to all tries: FAILED
 * }</pre>
 */
final class ActiveDialogue extends ConnectionDialogue {
    private final ConnectRequest request;
    private final int receivePsn;
    private final long transactionId;
    private final Resend resend = new Resend();
    private ActiveState state = ActiveState.REQ_SENT;

    ActiveDialogue(CmCore core, CmConnection connection, ConnectRequest request) {
        super(core, connection, request.peer());
        this.request = request;
        this.receivePsn = core.drawPsn();
        this.transactionId = core.newTransaction(localId());
        localQpn(request.queuePairNumber());
        ackTimeoutCode(request.ackTimeoutCode(config()));
        request.write(message(), transactionId, localId(), receivePsn, config());
        resend.start(requestIntervalNs(), config().maxRetries(), request.timeoutNs());
        send();
    }

    /** Two ways through the network and the peer's time to answer. */
    private long requestIntervalNs() {
        return 2 * CmTimes.timeoutNs(CmTimes.packetLifeTimeCode(ackTimeoutCode())) + CmTimes.timeoutNs(config().responseTimeoutCode());
    }

    ActiveState state() {
        return state;
    }

    @Override
    boolean isEstablished() {
        return state == ActiveState.ESTABLISHED;
    }

    @Override
    long disconnectIntervalNs() {
        return requestIntervalNs();
    }

    @Override
    int maxRetries() {
        return config().maxRetries();
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        switch (attribute) {
            case REP -> state = onReply(mad, offset, nowNs);
            case MRA -> state = onReceipt(mad, offset, nowNs);
            case REJ -> state = onReject(mad, offset, nowNs);
            case DREQ -> state = onDisconnectRequest(mad, offset, nowNs);
            case DREP -> teardown().onReply(nowNs);
            case REQ, RTU, SIDR_REQ, SIDR_REP, LAP, APR -> drop(CmDropReason.UNEXPECTED);
        }
    }

    private ActiveState onReply(DirectBuffer mad, int offset, long nowNs) {
        return switch (state) {
            case REQ_SENT, MRA_RECEIVED -> accepted(mad, offset);
            case REP_RECEIVED -> {
                duplicate(CmAttribute.REP);
                core().replyReceipt(this, transactionId, AnsweredMessage.REP, nowNs);
                yield state;
            }
            case ESTABLISHED -> {
                duplicate(CmAttribute.REP);
                if (teardown().isOpen()) {
                    sendAgainForDuplicate(nowNs);
                }
                yield state;
            }
            case FAILED -> {
                drop(CmDropReason.UNEXPECTED);
                yield state;
            }
        };
    }

    private ActiveState accepted(DirectBuffer mad, int offset) {
        int remoteQpn = CmRep.localQpn(mad, offset);
        if (remoteQpn == 0) {
            drop(CmDropReason.MALFORMED);
            return state;
        }
        noDeadline();
        remote(CommunicationIds.local(mad, offset), remoteQpn);
        PeerKey queuePair = new PeerKey(PeerKey.Kind.QUEUE_PAIR, peer(), CmRep.localCaGuid(mad, offset), remoteQpn);
        if (endStale(core(), queuePair)) {
            raise(CmEvent.Type.REJECTED, RejectReason.STALE_CONNECTION.code(), new byte[0], Explanations.staleReply(this));
            return fail(AnsweredMessage.REP, RejectReason.STALE_CONNECTION);
        }
        bind(queuePair);
        ackTimeoutCode(CmTimes.ackTimeoutCode(CmTimes.packetLifeTimeCode(ackTimeoutCode()), CmRep.targetAckDelay(mad, offset)));
        ConnectParameters wish = request.parameters();
        AddressVector address = AddressVector.to(peer(), config().udpPort());
        connection().terms(new ConnectionTerms(request.type(), address, request.pathMtu(config()), remoteQpn,
            CmRep.startingPsn(mad, offset), receivePsn, CmRep.responderResources(mad, offset), CmRep.initiatorDepth(mad, offset),
            wish.retryCount(), CmRep.rnrRetryCount(mad, offset), ackTimeoutCode(), 0)
            .limitedTo(wish.initiatorDepth(), wish.responderResources()));
        raise(CmEvent.Type.CONNECT_RESPONSE, 0, CmRep.privateData(mad, offset), "");
        return ActiveState.REP_RECEIVED;
    }

    private ActiveState onReceipt(DirectBuffer mad, int offset, long nowNs) {
        boolean isWaiting = state == ActiveState.REQ_SENT || state == ActiveState.MRA_RECEIVED;
        if (!isWaiting || CmMra.message(mad, offset) != AnsweredMessage.REQ) {
            drop(CmDropReason.UNEXPECTED);
            return state;
        }
        int code = Math.min(CmMra.serviceTimeout(mad, offset), Messages.SERVICE_TIMEOUT_CODE);
        deadline(resend.postpone(nowNs, CmTimes.timeoutNs(code)));
        return ActiveState.MRA_RECEIVED;
    }

    private ActiveState onReject(DirectBuffer mad, int offset, long nowNs) {
        int code = CmRej.reason(mad, offset);
        return switch (state) {
            case REQ_SENT, MRA_RECEIVED, REP_RECEIVED -> {
                raise(CmEvent.Type.REJECTED, code, CmRej.privateData(mad, offset), Explanations.rejected(request, code));
                remove();
                yield ActiveState.FAILED;
            }
            case ESTABLISHED -> {
                teardown().onReject(nowNs, Explanations.rejectedLater(this, code));
                yield state;
            }
            case FAILED -> state;
        };
    }

    /** A peer that was told so by its data may disconnect before it saw our RTU, even before we sent it. */
    private ActiveState onDisconnectRequest(DirectBuffer mad, int offset, long nowNs) {
        return switch (state) {
            case REP_RECEIVED, ESTABLISHED -> {
                teardown().onRequest(mad, offset, nowNs);
                yield teardown().isOpen() ? state : ActiveState.ESTABLISHED;
            }
            case REQ_SENT, MRA_RECEIVED, FAILED -> {
                drop(CmDropReason.UNEXPECTED);
                yield state;
            }
        };
    }

    @Override
    void onTimer(long nowNs) {
        switch (state) {
            case REQ_SENT, MRA_RECEIVED -> state = onNoAnswer(nowNs);
            case ESTABLISHED -> teardown().onTimer(nowNs);
            case REP_RECEIVED, FAILED -> throw new AssertionError("no timer runs in " + state);
        }
    }

    private ActiveState onNoAnswer(long nowNs) {
        if (resend.mayRepeat(nowNs)) {
            repeat();
            return ActiveState.REQ_SENT;
        }
        raise(CmEvent.Type.UNREACHABLE, CmEvent.TIMED_OUT, new byte[0], Explanations.noAnswer(request, resend, config(), nowNs));
        return fail(AnsweredMessage.REQ, RejectReason.TIMEOUT);
    }

    /** Tells the peer, once, in case it has got further than we know. */
    private ActiveState fail(AnsweredMessage rejected, RejectReason reason) {
        noDeadline();
        if (reason == RejectReason.TIMEOUT) {
            Messages.timeout(message(), transactionId, localId(), remoteId(), rejected, config().caGuid());
        } else {
            Messages.rejection(message(), transactionId, localId(), remoteId(), rejected, reason);
        }
        send();
        return ActiveState.FAILED;
    }

    @Override
    void onSent(long nowNs) {
        switch (state) {
            case REQ_SENT, MRA_RECEIVED -> deadline(resend.onSent(nowNs));
            case ESTABLISHED -> teardown().onSent(nowNs);
            case FAILED -> remove();
            case REP_RECEIVED -> {
                // A REQ that was due when the REP overtook it: nothing waits for an answer any more.
            }
        }
    }

    /** Application: the queue pair is ready. False when the connection ended meanwhile, which an event tells. */
    boolean establish() {
        if (state != ActiveState.REP_RECEIVED) {
            return false;
        }
        Messages.ready(message(), transactionId, localId(), remoteId());
        send();
        state = ActiveState.ESTABLISHED;
        return true;
    }

    /** Application: the queue pair could not be made ready. */
    void refuse() {
        if (state == ActiveState.REP_RECEIVED) {
            state = fail(AnsweredMessage.REP, RejectReason.CONSUMER);
        }
    }

    @Override
    void disconnect() {
        switch (state) {
            case REQ_SENT, MRA_RECEIVED -> {
                raise(CmEvent.Type.DISCONNECTED);
                state = fail(AnsweredMessage.REQ, RejectReason.TIMEOUT);
            }
            case REP_RECEIVED -> {
                raise(CmEvent.Type.DISCONNECTED);
                state = fail(AnsweredMessage.REP, RejectReason.CONSUMER);
            }
            case ESTABLISHED -> teardown().disconnect("");
            case FAILED -> {
                // Over already.
            }
        }
    }
}
