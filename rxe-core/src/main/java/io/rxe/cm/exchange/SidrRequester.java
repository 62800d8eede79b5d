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
    private SidrRequesterState state = SidrRequesterState.SIDR_REQ_SENT;

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
        if (state != SidrRequesterState.SIDR_REQ_SENT) {
            drop(CmDropReason.UNEXPECTED);
            return;
        }
        state = onSidrRep(mad, offset);
        remove();
    }

    private SidrRequesterState onSidrRep(DirectBuffer mad, int offset) {
        int code = SidrRep.STATUS.get(mad, offset);
        byte[] privateData = SidrRep.PRIVATE_DATA.get(mad, offset);
        if (SidrStatus.of(code) == SidrStatus.VALID) {
            ConnectionTerms terms = ConnectionTerms.ofDatagrams(request.addressVector(config()), config().portMtu(),
                SidrRep.QPN.get(mad, offset), SidrRep.QUEUE_KEY.get(mad, offset), request.terms().partitionKeyIndex());
            observer().onResolved(terms, privateData);
        } else {
            observer().onUnreachable(code, privateData, CmErrorMessages.unresolved(request.target(), code));
        }
        return SidrRequesterState.ANSWERED;
    }

    @Override
    void onTimer(long nowNs) {
        if (retry.mayRetry(nowNs)) {
            context().onSilence(peer());
            retransmit();
            return;
        }
        observer().onUnreachable(ExchangeObserver.TIMED_OUT, new byte[0],
            CmErrorMessages.noReply(request.target(), retry.sent(), retry.elapsedNs(nowNs), config().udpPort(),
                request.partitionKey(config())));
        state = SidrRequesterState.FAILED;
        remove();
    }

    @Override
    void onSent(long nowNs) {
        deadline(retry.onSent(nowNs));
    }

    @Override
    public void failAs(boolean isRejected, int status, String why) {
        if (state == SidrRequesterState.SIDR_REQ_SENT) {
            observer().onUnreachable(status, new byte[0], why);
            state = SidrRequesterState.FAILED;
            remove();
        }
    }

    @Override
    void onSendFailed(long nowNs, String why) {
        if (state == SidrRequesterState.SIDR_REQ_SENT) {
            observer().onUnreachable(ExchangeObserver.NOT_SENT, new byte[0], CmErrorMessages.notSent(request.target(), why));
            state = SidrRequesterState.FAILED;
            remove();
        }
    }

    /** Ends the request silently: SIDR has no message for it. */
    @Override
    public void end(String why) {
        if (state == SidrRequesterState.SIDR_REQ_SENT) {
            observer().onDisconnected(0, why);
            state = SidrRequesterState.FAILED;
            remove();
        }
    }
}
