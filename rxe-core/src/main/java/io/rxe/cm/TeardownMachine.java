package io.rxe.cm;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmDreq;
import io.rxe.cm.mad.MadHeader;
import org.agrona.DirectBuffer;

/**
 * The end of an established connection; the same for both sides.
 *
 * <pre>
 *   OPEN --- disconnect: send DREQ ---> DREQ_SENT --- DREP, DREQ, REJ or no answer ---> TIME_WAIT --- timer ---> CLOSED
 *     +--------------- DREQ: send DREP; REJ ---------------------------------------------^
 * </pre>
 *
 * <p>A DREQ is answered in every state, however often it comes.
 */
final class TeardownMachine {
    private final ConnectionDialogue owner;
    private final Resend resend = new Resend();
    private TeardownState state = TeardownState.OPEN;
    private String cause = "";

    TeardownMachine(ConnectionDialogue owner) {
        this.owner = owner;
    }

    TeardownState state() {
        return state;
    }

    boolean isOpen() {
        return state == TeardownState.OPEN;
    }

    /**
     * Asks the peer to end the connection.
     *
     * @param why put into the event when this was not the application's wish; else empty.
     */
    void disconnect(String why) {
        if (state == TeardownState.OPEN) {
            cause = why;
            Messages.disconnectRequest(owner.message(), owner.core().newTransaction(owner.localId()), owner.localId(), owner.remoteId(),
                owner.remoteQpn());
            resend.start(owner.disconnectIntervalNs(), owner.maxRetries(), Long.MAX_VALUE);
            owner.noDeadline();
            owner.send();
            state = TeardownState.DREQ_SENT;
        }
    }

    void onRequest(DirectBuffer mad, int offset, long nowNs) {
        if (CmDreq.remoteQpn(mad, offset) != owner.localQpn()) {
            owner.drop(CmDropReason.WRONG_QUEUE_PAIR);
            return;
        }
        if (state == TeardownState.TIME_WAIT) {
            owner.duplicate(CmAttribute.DREQ);
            if (!owner.core().replies().isAllowed(nowNs)) {
                return;
            }
        }
        Messages.disconnectReply(owner.message(), MadHeader.transactionId(mad, offset), owner.localId(), owner.remoteId());
        owner.send();
        state = over(nowNs, 0, cause);
    }

    void onReply(long nowNs) {
        switch (state) {
            case DREQ_SENT -> state = over(nowNs, 0, cause);
            case OPEN -> owner.drop(CmDropReason.UNEXPECTED);
            case TIME_WAIT, CLOSED -> owner.duplicate(CmAttribute.DREP);
        }
    }

    void onReject(long nowNs, String explanation) {
        switch (state) {
            case OPEN, DREQ_SENT -> state = over(nowNs, 0, explanation);
            case TIME_WAIT, CLOSED -> owner.drop(CmDropReason.UNEXPECTED);
        }
    }

    void onTimer(long nowNs) {
        switch (state) {
            case DREQ_SENT -> {
                if (resend.mayRepeat(nowNs)) {
                    owner.repeat();
                } else {
                    state = over(nowNs, CmEvent.TIMED_OUT, Explanations.noAnswerToDisconnect(owner, resend, nowNs));
                }
            }
            case TIME_WAIT -> {
                state = TeardownState.CLOSED;
                owner.raise(CmEvent.Type.TIMEWAIT_EXIT);
                owner.remove();
            }
            case OPEN, CLOSED -> throw new AssertionError("no timer runs in " + state);
        }
    }

    void onSent(long nowNs) {
        if (state == TeardownState.DREQ_SENT) {
            owner.deadline(resend.onSent(nowNs));
        }
    }

    /** Enters the time-wait once; reports the end once. */
    private TeardownState over(long nowNs, int status, String explanation) {
        if (state != TeardownState.TIME_WAIT) {
            // The peer may use its queue pair again from now on; its communication ID stays known until the end.
            owner.unbind(PeerKey.Kind.QUEUE_PAIR);
            owner.deadline(nowNs + owner.timeWaitNs());
            owner.raise(CmEvent.Type.DISCONNECTED, status, new byte[0], explanation);
        }
        return TeardownState.TIME_WAIT;
    }
}
