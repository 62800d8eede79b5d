package io.rxe.cm.exchange;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import org.agrona.DirectBuffer;

/**
 * The side that resolves a datagram service to a queue pair: sends SIDR_REQ until a SIDR_REP arrives. The request ID is our
 * communication ID.
 */
public final class SidrRequester extends CmExchange {
    private final ConnectRequest request;
    private final long transactionId;
    private final CmRetry retry = new CmRetry();

    SidrRequester(ExchangeContext context, ConnectRequest request) {
        super(context, request.peer(), request.terms().partitionKeyIndex());
        this.request = request;
        this.transactionId = context.newTransaction();
        request.writeSidrReq(message(), transactionId, localId(), config());
        retry.start(CmTimes.timeoutNs(config().responseTimeoutCode()), config().maxRetries(), request.terms().timeoutNs());
        send();
    }

    @Override
    boolean hasIds(CmAttribute attribute, DirectBuffer mad, int offset) {
        return attribute == CmAttribute.SIDR_REP && MadHeader.TRANSACTION_ID.get(mad, offset) == transactionId;
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        int code = SidrRep.STATUS.get(mad, offset);
        boolean isValid = SidrStatus.of(code) == SidrStatus.VALID;
        int queuePair = SidrRep.QPN.get(mad, offset);
        if (isValid && queuePair == 0) {
            drop(CmDropReason.MALFORMED);
            return;
        }
        byte[] privateData = SidrRep.PRIVATE_DATA.get(mad, offset);
        if (isValid) {
            ConnectionTerms terms = ConnectionTerms.ofDatagrams(request.addressVector(config()), config().portMtu(),
                queuePair, SidrRep.QUEUE_KEY.get(mad, offset), request.terms().partitionKeyIndex());
            observer().onResolved(terms, privateData);
        } else {
            observer().onUnreachable(code, privateData, CmErrorMessages.unresolved(request.target(), code));
        }
        remove();
    }

    @Override
    void onTimer(long nowNs) {
        if (retry.mayRetry(nowNs)) {
            context().onSilence(peer());
            retransmit();
            return;
        }
        fail(ExchangeObserver.TIMED_OUT, CmErrorMessages.noReply(request.target(), retry.sent(), retry.elapsedNs(nowNs),
            config().udpPort(), request.partitionKey(config())));
    }

    private void fail(int status, String why) {
        if (!isRemoved()) {
            observer().onUnreachable(status, new byte[0], why);
            remove();
        }
    }

    @Override
    void onSent(long nowNs) {
        deadline(retry.onSent(nowNs));
    }

    @Override
    public void failAs(boolean isRejected, int status, String why) {
        fail(status, why);
    }

    @Override
    void onSendFailed(long nowNs, String why) {
        fail(ExchangeObserver.NOT_SENT, CmErrorMessages.notSent(request.target(), why));
    }

    /** Ends the request silently: SIDR has no message for it. */
    @Override
    public void end(String why) {
        if (!isRemoved()) {
            observer().onDisconnected(0, why);
            remove();
        }
    }
}
