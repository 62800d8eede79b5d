package io.rxe.cm.exchange;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadField;
import io.rxe.cm.mad.RejectReason;
import io.rxe.verbs.QueuePairType;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The side that requests a connection.
 *
 * <pre>{@code
 *   REQ_SENT <-- timer: REQ | MRA --> MRA_RECEIVED
 *      | REP                             | REP
 *      v                                 v
 *   REP_RECEIVED --- establish: RTU ---> ESTABLISHED (duplicate REP: RTU)
 *
 *   REJ, or no reply to any REQ: FAILED
 * }</pre>
 */
public final class ActiveSide extends ConnectionExchange {
    private final ConnectRequest request;
    private final int receivePsn;
    private ActiveState state = ActiveState.REQ_SENT;

    ActiveSide(ExchangeContext context, ConnectRequest request) {
        super(context, request.peer(), request.terms().partitionKeyIndex(), context.newTransaction());
        this.request = request;
        this.receivePsn = context.drawPsn();
        localQpn(request.queuePairNumber());
        ackTimeoutCode(request.ackTimeoutCode(config()));
        request.writeReq(message(), transactionId(), localId(), receivePsn, config());
        retry.start(reqIntervalNs(), config().maxRetries(), request.terms().timeoutNs());
        send();
    }

    /** Two packet life times and the time the peer has for its reply. */
    private long reqIntervalNs() {
        return CmTimes.requestIntervalNs(ackTimeoutCode(), config().responseTimeoutCode());
    }

    /** For tests and diagnostics; engine thread. */
    public ActiveState state() {
        return state;
    }

    @Override
    boolean isEstablished() {
        return state == ActiveState.ESTABLISHED;
    }

    @Override
    long disconnectIntervalNs() {
        return reqIntervalNs();
    }

    @Override
    int maxRetries() {
        return config().maxRetries();
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        switch (attribute) {
            case REP -> state = onRep(mad, offset, nowNs);
            case MRA -> state = onMra(mad, offset, nowNs);
            case REJ -> state = onRej(mad, offset, nowNs);
            case DREQ -> state = onDreq(mad, offset, nowNs);
            case DREP -> teardown().onDrep(nowNs);
            case APR -> {
                if (isOpen()) {
                    pathLoader().onApr(mad, offset);
                }
            }
            case REQ, RTU, SIDR_REQ, SIDR_REP, LAP -> drop(CmDropReason.UNEXPECTED);
        }
    }

    private ActiveState onRep(DirectBuffer mad, int offset, long nowNs) {
        return switch (state) {
            case REQ_SENT, MRA_RECEIVED -> onFirstRep(mad, offset);
            case REP_RECEIVED -> {
                countDuplicate(CmAttribute.REP);
                sendMra(AnsweredMessage.REP, nowNs);
                yield state;
            }
            case ESTABLISHED -> {
                countDuplicate(CmAttribute.REP);
                // The message of this exchange may be a LAP.
                UnsafeBuffer rtu = teardown().isOpen() && !isSendDue() ? context().replies().add(origin(), nowNs) : null;
                if (rtu != null) {
                    CmMessageWriter.rtu(rtu, transactionId(), localId(), remoteId());
                }
                yield state;
            }
            case FAILED -> {
                drop(CmDropReason.UNEXPECTED);
                yield state;
            }
        };
    }

    private ActiveState onFirstRep(DirectBuffer mad, int offset) {
        MadField number = request.type() == QueuePairType.XRC_SEND ? CmRep.LOCAL_EE_CONTEXT : CmRep.LOCAL_QPN;
        int remoteQpn = number.get(mad, offset);
        if (remoteQpn == 0 || CommunicationIds.LOCAL.get(mad, offset) == 0) {
            drop(CmDropReason.MALFORMED);
            return state;
        }
        noDeadline();
        remote(CommunicationIds.LOCAL.get(mad, offset), remoteQpn);
        PeerKey queuePair = new PeerKey(PeerKey.Kind.QUEUE_PAIR, peer(), CmRep.LOCAL_CA_GUID.get(mad, offset), remoteQpn);
        if (endStale(context(), queuePair)) {
            observer().onRejected(RejectReason.STALE_CONNECTION.code(), new byte[0], CmErrorMessages.staleRep(peer(), remoteQpn));
            return fail(AnsweredMessage.REP, RejectReason.STALE_CONNECTION);
        }
        bind(queuePair);
        ackTimeoutCode(CmTimes.ackTimeoutCode(CmTimes.packetLifeTimeCode(ackTimeoutCode()),
            Math.min(CmRep.TARGET_ACK_DELAY.get(mad, offset), CmTimes.MAX_ACK_DELAY_CODE)));
        RequestedTerms requested = request.terms();
        ConnectionTerms terms = new ConnectionTerms(request.type(), request.addressVector(config()), request.pathMtu(config()), remoteQpn,
            CmRep.STARTING_PSN.get(mad, offset), receivePsn, CmRep.RESPONDER_RESOURCES.get(mad, offset),
            CmRep.INITIATOR_DEPTH.get(mad, offset), requested.retryCount(), CmRep.RNR_RETRY_COUNT.get(mad, offset), ackTimeoutCode(),
            CmRep.END_TO_END_FLOW_CONTROL.isSet(mad, offset), 0, requested.partitionKeyIndex())
            .limitedTo(requested.initiatorDepth(), requested.responderResources());
        observer().onReply(terms, CmRep.PRIVATE_DATA.get(mad, offset));
        return ActiveState.REP_RECEIVED;
    }

    private ActiveState onMra(DirectBuffer mad, int offset, long nowNs) {
        boolean isWaiting = state == ActiveState.REQ_SENT || state == ActiveState.MRA_RECEIVED;
        return isPostponed(AnsweredMessage.REQ, isWaiting, mad, offset, nowNs) ? ActiveState.MRA_RECEIVED : state;
    }

    private ActiveState onRej(DirectBuffer mad, int offset, long nowNs) {
        int code = CmRej.REASON.get(mad, offset);
        return switch (state) {
            case REQ_SENT, MRA_RECEIVED, REP_RECEIVED -> {
                observer().onRejected(code, CmRej.PRIVATE_DATA.get(mad, offset), CmErrorMessages.rejected(request.target(), code));
                remove();
                yield ActiveState.FAILED;
            }
            case ESTABLISHED -> {
                teardown().onRej(nowNs, CmErrorMessages.rejectedAfterRtu(peer(), localQpn(), code));
                yield state;
            }
            case FAILED -> state;
        };
    }

    /** A peer that was established by data may disconnect before our RTU arrives there, even before we send it. */
    private ActiveState onDreq(DirectBuffer mad, int offset, long nowNs) {
        return switch (state) {
            case REP_RECEIVED, ESTABLISHED -> {
                teardown().onDreq(mad, offset, nowNs);
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
            case REQ_SENT, MRA_RECEIVED -> state = onReqTimeout(nowNs);
            case ESTABLISHED -> {
                if (isOpen()) {
                    pathLoader().onTimer(nowNs);
                } else {
                    teardown().onTimer(nowNs);
                }
            }
            case REP_RECEIVED, FAILED -> throw new AssertionError("no timer runs in " + state);
        }
    }

    private ActiveState onReqTimeout(long nowNs) {
        if (retry.mayRetry(nowNs)) {
            context().onSilence(peer());
            retransmit();
            return ActiveState.REQ_SENT;
        }
        observer().onUnreachable(ExchangeObserver.TIMED_OUT, new byte[0],
            CmErrorMessages.noReply(request.target(), retry.sent(), retry.elapsedNs(nowNs), config().udpPort(),
                request.partitionKey(config())));
        return fail(AnsweredMessage.REQ, RejectReason.TIMEOUT);
    }

    /** Sends one REJ, in case the peer is further in the handshake than we know. */
    private ActiveState fail(AnsweredMessage rejected, RejectReason reason) {
        noDeadline();
        sendRej(rejected, reason);
        return ActiveState.FAILED;
    }

    @Override
    void onSent(long nowNs) {
        switch (state) {
            case REQ_SENT, MRA_RECEIVED -> deadline(retry.onSent(nowNs));
            case ESTABLISHED -> {
                if (isOpen()) {
                    pathLoader().onSent(nowNs);
                } else {
                    teardown().onSent(nowNs);
                }
            }
            case FAILED -> remove();
            case REP_RECEIVED -> {
                // A retransmission of the REQ was due when the REP arrived: it needs no reply.
            }
        }
    }

    /** Command: the queue pair is in RTS, sends the RTU; false if the exchange ended before; an event said how. */
    public boolean establish() {
        if (state != ActiveState.REP_RECEIVED) {
            return false;
        }
        CmMessageWriter.rtu(message(), transactionId(), localId(), remoteId());
        send();
        state = ActiveState.ESTABLISHED;
        return true;
    }

    /**
     * Command: asks the peer to load an alternate path; {@link ExchangeObserver#onPathAnswer} follows.
     *
     * @return false if the connection is not established, or an earlier LAP waits for its answer.
     */
    public boolean loadPath(PathLoad load) {
        return isOpen() && pathLoader().load(load, reqIntervalNs());
    }

    /** Command: the queue pair could not be brought to RTS, rejects the REP; false if the exchange ended before; an event said how. */
    public boolean rejectReply() {
        if (state != ActiveState.REP_RECEIVED) {
            return false;
        }
        state = fail(AnsweredMessage.REP, RejectReason.CONSUMER);
        return true;
    }

    @Override
    public void failAs(boolean isRejected, int status, String why) {
        if (state == ActiveState.REQ_SENT) {
            if (isRejected) {
                observer().onRejected(status, new byte[0], why);
            } else {
                observer().onUnreachable(status, new byte[0], why);
            }
            remove();
            state = ActiveState.FAILED;
        }
    }

    @Override
    void onSendFailed(long nowNs, String why) {
        switch (state) {
            case REQ_SENT, MRA_RECEIVED -> {
                observer().onUnreachable(ExchangeObserver.NOT_SENT, new byte[0], CmErrorMessages.notSent(request.target(), why));
                remove();
                state = ActiveState.FAILED;
            }
            case ESTABLISHED -> teardown().onSendFailed(nowNs, why);
            case REP_RECEIVED, FAILED -> {
                // Nothing waits for an answer.
            }
        }
    }

    @Override
    public void end(String why) {
        switch (state) {
            case REQ_SENT, MRA_RECEIVED -> {
                observer().onDisconnected(0, why);
                state = fail(AnsweredMessage.REQ, RejectReason.TIMEOUT);
            }
            case REP_RECEIVED -> {
                observer().onDisconnected(0, why);
                state = fail(AnsweredMessage.REP, RejectReason.CONSUMER);
            }
            case ESTABLISHED -> teardown().disconnect(why);
            case FAILED -> {
                // The exchange has ended already.
            }
        }
    }
}
