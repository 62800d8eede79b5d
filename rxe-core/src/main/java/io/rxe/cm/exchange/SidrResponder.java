package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import org.agrona.DirectBuffer;

/** The side that is asked for a datagram service: sends one SIDR_REP, and the same bytes to a duplicate SIDR_REQ. */
public final class SidrResponder extends CmExchange {
    private final long transactionId;
    private final int requestId;
    private final long serviceId;
    private final int sourcePort;
    private final Backlog backlog;
    /** The SIDR_REP is kept for two intervals of the requester, to reply to a duplicate SIDR_REQ. */
    private boolean replied;

    SidrResponder(ExchangeContext context, Origin peer, long transactionId, int requestId, long serviceId, int sourcePort, Backlog backlog,
        long nowNs) {
        super(context, peer.address(), peer.partitionKeyIndex());
        this.transactionId = transactionId;
        this.requestId = requestId;
        this.serviceId = serviceId;
        this.sourcePort = sourcePort;
        this.backlog = backlog;
        bind(new PeerKey(PeerKey.Kind.SERVICE_REQUEST, peer(), 0, requestId));
        backlog.onRequest();
        context.admission().onBegun(this, peer());
        deadline(nowNs + requestTimeoutNs());
    }

    /** A SIDR_REQ does not say how long the requester waits: assumes our own times. */
    private long requestTimeoutNs() {
        return CmTimes.timeoutNs(config().responseTimeoutCode()) * (config().maxRetries() + 1);
    }

    /** Port the requester claims to come from. Any thread. */
    public int sourcePort() {
        return sourcePort;
    }

    @Override
    boolean hasIds(CmAttribute attribute, DirectBuffer mad, int offset) {
        return attribute == CmAttribute.SIDR_REQ && MadHeader.TRANSACTION_ID.get(mad, offset) == transactionId;
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        drop(CmDropReason.UNEXPECTED);
    }

    @Override
    void onDuplicateRequest(long nowNs) {
        if (replied) {
            retransmitForDuplicate(nowNs);
        } else {
            deadline(nowNs + requestTimeoutNs());
        }
    }

    @Override
    void onEvicted(long nowNs) {
        remove();
    }

    @Override
    void onRemoved() {
        context().admission().onRemoved(this, peer());
    }

    @Override
    void onTimer(long nowNs) {
        if (!replied) {
            backlog.onDecision();
            observer().onUnreachable(ExchangeObserver.TIMED_OUT, new byte[0],
                CmErrorMessages.undecidedService(peer(), ConnectRequest.port(serviceId)));
        }
        remove();
    }

    @Override
    void onSent(long nowNs) {
        deadline(nowNs + 2 * CmTimes.timeoutNs(config().responseTimeoutCode()));
    }

    /** Command: names the queue pair and Q_Key of the service. Ignored if the requester gave up before; an event said so. */
    public void accept(int queuePairNumber, int queueKey, byte[] privateData) {
        reply(SidrStatus.VALID, queuePairNumber, queueKey, privateData);
    }

    /** Command: refuses the request. Ignored if the requester gave up before; an event said so. */
    public void reject(byte[] privateData) {
        reply(SidrStatus.REJECTED, 0, 0, privateData);
    }

    private void reply(SidrStatus status, int queuePairNumber, int queueKey, byte[] privateData) {
        if (replied || isRemoved()) {
            return;
        }
        backlog.onDecision();
        context().admission().onDecided(this, peer());
        CmMessageWriter.sidrRep(message(), transactionId, requestId, serviceId, status);
        SidrRep.QPN.set(message(), 0, queuePairNumber);
        SidrRep.QUEUE_KEY.set(message(), 0, queueKey);
        SidrRep.PRIVATE_DATA.set(message(), 0, privateData);
        noDeadline();
        send();
        replied = true;
    }

    @Override
    void onListenerClosed(Backlog closed) {
        if (backlog == closed && observer().cancelRequest()) {
            reply(SidrStatus.UNSUPPORTED, 0, 0, new byte[0]);
        }
    }

    @Override
    public void end(String why) {
        if (!replied && !isRemoved()) {
            observer().onDisconnected(0, why);
        }
        reject(new byte[0]);
    }
}
