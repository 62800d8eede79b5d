package io.rxe.cm.exchange;

import io.rxe.cm.mad.AlternatePathStatus;
import io.rxe.cm.mad.CmApr;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmLap;
import io.rxe.cm.mad.MadHeader;
import org.agrona.DirectBuffer;

/**
 * Loads the alternate path of an established connection; the requesting side sends the LAP.
 *
 * <pre>
 *   requesting side:  IDLE --- load: LAP ---> SENT --- APR, or no reply to any LAP ---> IDLE
 *   other side:       IDLE --- LAP ---> RECEIVED --- answer: APR ---> IDLE (the same LAP again: the same APR)
 * </pre>
 *
 * <p>The messages travel on the path of the REQ. Engine thread.
 */
final class PathLoader {
    private enum State {
        IDLE, SENT, RECEIVED
    }

    private final ConnectionExchange owner;
    private final CmRetry retry = new CmRetry();
    private State state = State.IDLE;
    private long transactionId;
    private PathLoad load;
    /** The RTU, or an earlier LAP, has not left: this LAP takes its place when it has. */
    private boolean isBehindRtu;
    private boolean answered;

    PathLoader(ConnectionExchange owner) {
        this.owner = owner;
    }

    /** Of our LAP, or 0. */
    long transactionId() {
        return transactionId;
    }

    /** Sends a LAP; false while another waits for its APR. */
    boolean load(PathLoad wanted, long intervalNs) {
        if (state != State.IDLE || !owner.observer().onPathLoad()) {
            return false;
        }
        load = wanted;
        transactionId = owner.context().newTransaction();
        retry.start(intervalNs, owner.maxRetries(), CmTimes.PEER_LIMIT_NS);
        state = State.SENT;
        isBehindRtu = owner.isSendDue();
        if (!isBehindRtu) {
            sendLap();
        }
        return true;
    }

    private void sendLap() {
        CmMessageWriter.lap(owner.message(), transactionId, owner.localId(), owner.remoteId(), owner.remoteQpn());
        CmLap.REMOTE_CM_RESPONSE_TIMEOUT.set(owner.message(), 0, owner.config().responseTimeoutCode());
        CmLap.LOCAL_GID.set(owner.message(), 0, load.localGid());
        CmLap.REMOTE_GID.set(owner.message(), 0, load.peerGid());
        CmLap.LOCAL_ACK_TIMEOUT.set(owner.message(), 0, load.timeout());
        owner.send();
    }

    void onSent(long nowNs) {
        if (isBehindRtu) {
            isBehindRtu = false;
            sendLap();
        } else if (state == State.SENT) {
            owner.deadline(retry.onSent(nowNs));
        }
    }

    void onTimer(long nowNs) {
        if (retry.mayRetry(nowNs)) {
            owner.retransmit();
        } else {
            state = State.IDLE;
            owner.observer().onPathAnswer(load, ExchangeObserver.TIMED_OUT,
                CmErrorMessages.noApr(owner.peer(), retry.sent(), retry.elapsedNs(nowNs)));
        }
    }

    void onApr(DirectBuffer mad, int offset) {
        if (state != State.SENT) {
            owner.countDuplicate(CmAttribute.APR);
            return;
        }
        state = State.IDLE;
        owner.noDeadline();
        int status = CmApr.STATUS.get(mad, offset);
        owner.observer().onPathAnswer(load, status, status == 0 ? "" : CmErrorMessages.pathRefused(owner.peer(), load, status));
    }

    void onLap(DirectBuffer mad, int offset, long nowNs) {
        if (CmLap.REMOTE_QPN.get(mad, offset) != owner.localQpn()) {
            owner.drop(CmDropReason.WRONG_QUEUE_PAIR);
            return;
        }
        long transaction = MadHeader.TRANSACTION_ID.get(mad, offset);
        if (transaction == transactionId) {
            owner.countDuplicate(CmAttribute.LAP);
            if (answered) {
                owner.retransmitForDuplicate(nowNs);
            }
            return;
        }
        PathLoad wanted = new PathLoad(CmLap.REMOTE_GID.get(mad, offset), CmLap.LOCAL_GID.get(mad, offset),
            CmLap.LOCAL_ACK_TIMEOUT.get(mad, offset), null);
        if (state != State.IDLE || !owner.observer().onPathRequest(wanted)) {
            // The peer repeats it.
            owner.drop(CmDropReason.UNEXPECTED);
            return;
        }
        transactionId = transaction;
        answered = false;
        state = State.RECEIVED;
    }

    /** Sends the APR. */
    void answer(AlternatePathStatus status) {
        if (state == State.RECEIVED) {
            state = State.IDLE;
            answered = true;
            CmMessageWriter.apr(owner.message(), transactionId, owner.localId(), owner.remoteId(), status);
            owner.send();
        }
    }
}
