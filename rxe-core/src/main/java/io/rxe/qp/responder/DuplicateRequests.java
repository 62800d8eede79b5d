package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import io.rxe.wire.Reth;

/**
 * Answers requests that were received before (rules R3 to R6; rxe: duplicate_request).
 *
 * <p>Nothing is executed twice but the reading of memory. A repeated READ costs its whole answer again, so a copy that only the
 * network made is not answered: one whose answer is still on its way out, or the same request bit for bit within a few milliseconds.
 * Networks rarely make two copies, so the second one is answered: an impatient requester must get through when answers are lost.
 * A requester of ours turns AckReq over each time it repeats a READ; once a peer has been seen to repeat without that, its repetitions
 * are always answered.
 *
 * <p>Owned by the engine thread.
 */
final class DuplicateRequests {
    /** Within this time the same READ request once more is taken for a copy; shorter than any kernel's retransmission timer. */
    private static final long COPY_NS = 4_000_000;

    private final QueuePairContext context;
    private final Replies replies;
    private boolean repeatsLiterally;

    DuplicateRequests(QueuePairContext context, Replies replies) {
        this.context = context;
        this.replies = replies;
    }

    /** A new connection. */
    void start() {
        repeatsLiterally = false;
    }

    /** Takes a request whose sequence number was executed before. */
    void onDuplicate(InboundPacket packet, long seq, long nowNs) {
        context.counters().count(NicCounter.DUPLICATE_REQUEST);
        if (packet.opcode().isReadRequest()) {
            read(packet, seq, nowNs);
        } else if (packet.opcode().isAtomic()) {
            atomic(seq);
        } else if (!replies.acknowledge()) {
            context.counters().drop(DropReason.PSN_OUT_OF_WINDOW);
        }
    }

    /** Rule R5. */
    private void read(InboundPacket packet, long seq, long nowNs) {
        int at = packet.at(Opcode.RC_RDMA_READ_REQUEST.rethOffset());
        long address = Reth.virtualAddress(packet.buffer(), at);
        int key = Reth.rKey(packet.buffer(), at);
        long length = Reth.dmaLength(packet.buffer(), at);
        Reply original = replies.find(seq);
        if (original == null || !original.covers(seq, address, key, length, context.mtu())) {
            context.counters().drop(DropReason.DUPLICATE_READ_MISMATCH);
            return;
        }
        if (isNetworkCopy(original, seq, length, packet.isAckRequested(), nowNs)) {
            context.counters().drop(DropReason.NETWORK_COPY);
            return;
        }
        Reply replay = replies.addReplay();
        if (replay == null) {
            context.counters().drop(DropReason.REPLAY_QUEUE_FULL);
            return;
        }
        original.served(seq, length, packet.isAckRequested(), nowNs);
        replay.read(seq, address, key, length, context.mtu(), replies.messageSequenceNumber());
    }

    private boolean isNetworkCopy(Reply original, long seq, long length, boolean ackRequested, long nowNs) {
        if (!original.isComplete() && original.firstSeq() + original.sent() <= seq) {
            return true;
        }
        if (original.isExpectedRepetition(seq, ackRequested)) {
            return true;
        }
        if (!original.isSameAsServed(seq, length, ackRequested)) {
            return false;
        }
        if (nowNs - original.servedNs() >= COPY_NS) {
            repeatsLiterally = true;
        }
        return !repeatsLiterally && original.isFirstCopy();
    }

    /** Rule R6. */
    private void atomic(long seq) {
        Reply original = replies.find(seq);
        if (original == null || !original.isAtomic()) {
            context.counters().drop(DropReason.DUPLICATE_ATOMIC_UNKNOWN);
            return;
        }
        if (!original.isComplete()) {
            context.counters().drop(DropReason.NETWORK_COPY);
            return;
        }
        Reply replay = replies.addReplay();
        if (replay == null) {
            context.counters().drop(DropReason.REPLAY_QUEUE_FULL);
            return;
        }
        replay.replayAtomic(original, replies.messageSequenceNumber());
    }
}
