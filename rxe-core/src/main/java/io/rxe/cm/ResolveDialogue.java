package io.rxe.cm;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.AddressVector;
import org.agrona.DirectBuffer;

/**
 * Asks a peer which queue pair takes the datagrams of a service: SIDR_REQ until SIDR_REP. The request ID is our communication ID.
 */
final class ResolveDialogue extends Dialogue {
    private final ConnectRequest request;
    private final Resend resend = new Resend();
    private ResolveState state = ResolveState.SIDR_REQ_SENT;

    ResolveDialogue(CmCore core, CmConnection connection, ConnectRequest request) {
        super(core, connection, request.peer());
        this.request = request;
        request.writeResolution(message(), core.newTransaction(localId()), localId(), config());
        resend.start(CmTimes.timeoutNs(config().responseTimeoutCode()), config().maxRetries(), request.timeoutNs());
        send();
    }

    ResolveState state() {
        return state;
    }

    @Override
    void onMad(CmAttribute attribute, DirectBuffer mad, int offset, long nowNs) {
        if (attribute != CmAttribute.SIDR_REP || state != ResolveState.SIDR_REQ_SENT) {
            drop(CmDropReason.UNEXPECTED);
            return;
        }
        state = onAnswer(mad, offset);
        remove();
    }

    private ResolveState onAnswer(DirectBuffer mad, int offset) {
        int code = SidrRep.status(mad, offset);
        byte[] privateData = SidrRep.privateData(mad, offset);
        if (SidrStatus.of(code) == SidrStatus.VALID) {
            connection().terms(ConnectionTerms.ofDatagrams(AddressVector.to(peer(), config().udpPort()), config().portMtu(),
                SidrRep.qpn(mad, offset), SidrRep.queueKey(mad, offset)));
            raise(CmEvent.Type.ESTABLISHED, 0, privateData, "");
        } else {
            raise(CmEvent.Type.UNREACHABLE, code, privateData, Explanations.unresolved(request, code));
        }
        return ResolveState.ANSWERED;
    }

    @Override
    void onTimer(long nowNs) {
        if (resend.mayRepeat(nowNs)) {
            repeat();
            return;
        }
        raise(CmEvent.Type.UNREACHABLE, CmEvent.TIMED_OUT, new byte[0], Explanations.noAnswer(request, resend, config(), nowNs));
        state = ResolveState.FAILED;
        remove();
    }

    @Override
    void onSent(long nowNs) {
        deadline(resend.onSent(nowNs));
    }

    @Override
    void disconnect() {
        if (state == ResolveState.SIDR_REQ_SENT) {
            raise(CmEvent.Type.DISCONNECTED);
            state = ResolveState.FAILED;
            remove();
        }
    }
}
