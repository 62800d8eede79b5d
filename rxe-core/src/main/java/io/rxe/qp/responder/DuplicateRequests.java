package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Reth;

/**
 * Responds to duplicate requests (rules R3 to R6; rxe: duplicate_request).
 *
 * <p>Only READs are executed again, and each costs all of its responses. So a copy made by the network gets no response: a READ whose
 * responses are still being sent, or the first identical READ within 1 ms, before any later response has left. A later response is an
 * implied NAK to a requester that misses the READ's responses (rule Q4), and a kernel then repeats the READ unchanged after one round
 * trip. Our requester inverts AckReq with each retransmission of a READ. Once a peer has retransmitted a READ unchanged, all of its
 * retransmissions get a response; the second identical READ always does, since networks rarely make two copies.
 *
 * <p>A peer that knows gap reports requests each gap in the responses by itself. Its duplicate gets no response only while all that it
 * requests has yet to leave: another response costs bandwidth, a missing one a round trip. A request that it sends several times
 * gets one response (rule G7).
 *
 * <p>Owned by the engine thread.
 */
final class DuplicateRequests {
    /** An identical READ within this time is taken for a network copy; shorter than the shortest ACK timeout of a requester, 1.05 ms. */
    private static final long COPY_NS = 1_000_000;

    private final QueuePairContext context;
    private final ResponseQueue responses;
    private final GapReports reports;
    private final ReadRequests reads;
    private boolean retransmitsUnchanged;

    DuplicateRequests(QueuePairContext context, ResponseQueue responses, GapReports reports, ReadRequests reads) {
        this.context = context;
        this.responses = responses;
        this.reports = reports;
        this.reads = reads;
    }

    /** A new connection. */
    void start() {
        retransmitsUnchanged = false;
    }

    /** Handles a request whose sequence number was executed before. */
    void onDuplicate(InboundPacket packet, long seq, long expectedSeq, long nowNs) {
        boolean isRepeated = packet.opcode().isReadRequest() && Bth.isRepeated(packet.buffer(), packet.offset());
        if (!isRepeated) {
            context.counters().count(NicCounter.DUPLICATE_REQUEST);
        }
        if (packet.opcode().isReadRequest()) {
            read(packet, seq, isRepeated, nowNs);
        } else if (packet.opcode().isAtomic()) {
            atomic(seq, ResponderResource.Kind.ATOMIC, nowNs);
        } else if (packet.opcode().isReadOrAtomic()) {
            atomic(seq, ResponderResource.Kind.CONFIRMATION, nowNs);
        } else if (!responses.acknowledgeDuplicate(seq, expectedSeq)) {
            context.counters().drop(DropReason.PSN_OUT_OF_WINDOW);
        } else if (!RequestDigests.isKeepAlive(packet)) {
            reports.onDuplicate();
        }
    }

    /** Rule R5. */
    private void read(InboundPacket packet, long seq, boolean isRepeated, long nowNs) {
        int at = packet.at(packet.opcode().rethOffset());
        long address = Reth.virtualAddress(packet.buffer(), at);
        int key = Reth.rKey(packet.buffer(), at);
        long length = ReadRequests.bytes(packet);
        ResponderResource original = responses.find(seq);
        if (original == null || !original.covers(seq, address, key, length, context.mtu())) {
            context.counters().drop(DropReason.DUPLICATE_READ_MISMATCH);
            return;
        }
        if (isRepeated) {
            context.counters().drop(DropReason.REPEATED_READ);
            return;
        }
        if (isCopy(original, packet, seq, length, nowNs)) {
            context.counters().drop(DropReason.NETWORK_COPY);
            return;
        }
        ResponderResource replay = responses.addReplay(nowNs);
        if (replay == null) {
            context.counters().drop(DropReason.REPLAY_QUEUE_FULL);
            return;
        }
        original.served(seq, length, packet.isAckRequested(), nowNs);
        reads.execute(packet, original.domain(), seq, responses.messageSequenceNumber(), replay);
    }

    private boolean isCopy(ResponderResource original, InboundPacket packet, long seq, long length, long nowNs) {
        boolean ackRequested = packet.isAckRequested();
        if (!original.isComplete() && original.firstSeq() + original.sent() <= seq) {
            return true;
        }
        if (reports.isKnown()) {
            return responses.isReplayed(seq, seq + ResponderResource.packets(length, context.mtu()));
        }
        if (original.isExpectedRetransmission(seq, ackRequested)) {
            return true;
        }
        if (!original.isSameAsServed(seq, length, ackRequested)) {
            return false;
        }
        if (responses.hasPassed(original)) {
            return false;
        }
        if (nowNs - original.servedNs() >= COPY_NS) {
            retransmitsUnchanged = true;
        }
        return !retransmitsUnchanged && original.isFirstCopy();
    }

    /** Rules R6, R20, R21: nothing is executed again. */
    private void atomic(long seq, ResponderResource.Kind kind, long nowNs) {
        ResponderResource original = responses.find(seq);
        if (original == null || original.kind() != kind) {
            context.counters().drop(DropReason.DUPLICATE_ATOMIC_UNKNOWN);
            return;
        }
        if (!original.isComplete()) {
            context.counters().drop(DropReason.NETWORK_COPY);
            return;
        }
        ResponderResource replay = responses.addReplay(nowNs);
        if (replay == null) {
            context.counters().drop(DropReason.REPLAY_QUEUE_FULL);
            return;
        }
        replay.replay(original, responses.messageSequenceNumber());
    }
}
