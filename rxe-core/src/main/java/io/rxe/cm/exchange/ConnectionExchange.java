package io.rxe.cm.exchange;

import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.wire.Gid;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** What both sides of a connection have in common: communication IDs, queue pair numbers, times, and the teardown. */
public abstract sealed class ConnectionExchange extends CmExchange permits ActiveSide, PassiveSide {
    /** Retransmits our message of the handshake. */
    final CmRetry retry = new CmRetry();
    private final TeardownMachine teardown = new TeardownMachine(this);
    private final PathLoader pathLoader = new PathLoader(this);
    private final long transactionId;
    private int localQpn;
    private int remoteId;
    private int remoteQpn;
    private int ackTimeoutCode;

    /**
     * @param partitionKeyIndex of the P_Key of the connection, which messages and data carry.
     * @param transactionId     of the REQ; all other messages of the handshake echo it.
     */
    ConnectionExchange(ExchangeContext context, Gid peer, int partitionKeyIndex, long transactionId) {
        super(context, peer, partitionKeyIndex);
        this.transactionId = transactionId;
    }

    /** Whether the handshake was completed; stays true through the teardown. */
    abstract boolean isEstablished();

    /** How long to wait for the DREP to a DREQ: as for the reply to our message of the handshake. */
    abstract long disconnectIntervalNs();

    /** Retransmissions of an unanswered message, 0 to 15. */
    abstract int maxRetries();

    /** Whether the connection is established and neither side has ended it. */
    public final boolean isOpen() {
        return isEstablished() && teardown.isOpen();
    }

    final long transactionId() {
        return transactionId;
    }

    @Override
    final boolean hasIds(CmAttribute attribute, DirectBuffer mad, int offset) {
        // The requesting side learns the peer's ID from the REP. Before, the transaction ID alone has to be right.
        boolean isFromPeer = remoteId == 0 || CommunicationIds.LOCAL.get(mad, offset) == remoteId;
        long transaction = MadHeader.TRANSACTION_ID.get(mad, offset);
        return isFromPeer && switch (attribute) {
            case REQ, REP, RTU, MRA, REJ -> transaction == transactionId;
            // Linux in time-wait answers a DREQ with the transaction ID of the handshake.
            case DREP -> transaction == teardown.transactionId() || transaction == transactionId;
            case DREQ, LAP -> true;
            case APR -> transaction == pathLoader.transactionId();
            case SIDR_REQ, SIDR_REP -> false;
        };
    }

    @Override
    final boolean isEnding() {
        return teardown.isUnanswered();
    }

    final PathLoader pathLoader() {
        return pathLoader;
    }

    final TeardownMachine teardown() {
        return teardown;
    }

    /**
     * How long late messages are recognised: one transport timer (Linux: {@code cm_enter_timewait}), but not less than that of rdma_cm,
     * whatever the application set for its data.
     */
    final long timeWaitNs() {
        return CmTimes.timeoutNs(Math.max(ackTimeoutCode, CmTimes.RDMA_CM_ACK_TIMEOUT_CODE));
    }

    final void ackTimeoutCode(int code) {
        ackTimeoutCode = code;
    }

    final int ackTimeoutCode() {
        return ackTimeoutCode;
    }

    final int localQpn() {
        return localQpn;
    }

    final void localQpn(int number) {
        localQpn = number;
    }

    final int remoteId() {
        return remoteId;
    }

    final int remoteQpn() {
        return remoteQpn;
    }

    final void remote(int id, int qpn) {
        remoteId = id;
        remoteQpn = qpn;
    }

    /** Sends an MRA, beside the message of this exchange: the application has not answered yet. */
    final void sendMra(AnsweredMessage received, long nowNs) {
        UnsafeBuffer mra = context().replies().add(origin(), nowNs);
        if (mra != null) {
            CmMessageWriter.mra(mra, transactionId, localId(), remoteId, received);
        }
    }

    /** A REJ with reason timeout carries our CA GUID: a peer that never received our ID finds the exchange by GUID and its own ID. */
    final void sendRej(AnsweredMessage rejected, RejectReason reason) {
        CmMessageWriter.rej(message(), transactionId, localId(), remoteId, rejected, reason);
        if (reason == RejectReason.TIMEOUT) {
            CmRej.informationGuid(message(), 0, config().caGuid());
        }
        send();
    }

    /**
     * The peer sent an MRA.
     *
     * @param isWaiting whether this side waits for an answer to the message.
     * @return whether it waits longer now.
     */
    final boolean isPostponed(AnsweredMessage message, boolean isWaiting, DirectBuffer mad, int offset, long nowNs) {
        if (!isWaiting || AnsweredMessage.of(CmMra.MESSAGE.get(mad, offset)) != message) {
            drop(CmDropReason.UNEXPECTED);
            return false;
        }
        if (!retry.mayPostpone()) {
            countDuplicate(CmAttribute.MRA);
            return false;
        }
        deadline(retry.postpone(nowNs, CmTimes.serviceTimeoutNs(CmMra.SERVICE_TIMEOUT.get(mad, offset))));
        return true;
    }

    /**
     * Ends an older connection that still holds a queue pair of the peer. The peer has forgotten that connection: otherwise it would not
     * use the queue pair for another (IBTA chapter 12, REJ reason 10: stale connection).
     *
     * @return whether there was one.
     */
    static boolean endStale(ExchangeContext context, PeerKey queuePair) {
        if (context.table().find(queuePair) instanceof ConnectionExchange stale) {
            if (stale.isEstablished()) {
                stale.teardown.disconnect(CmErrorMessages.stale(stale.peer(), stale.remoteQpn));
            } else {
                stale.end(CmErrorMessages.stale(stale.peer(), stale.remoteQpn));
            }
            return true;
        }
        return false;
    }
}
