package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.memory.Region;
import io.rxe.port.EngineEvent;
import io.rxe.port.PacketSink;
import io.rxe.qp.QueuePairContext;
import io.rxe.time.TokenBucket;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AsyncEvent;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Syndrome;
import org.agrona.MutableDirectBuffer;

/**
 * What the responder owes its peer, in the order it has to leave:
 *
 * <pre>
 *   1. answers to READs and atomics, oldest first      a ring of max_dest_rd_atomic places (rule R7)
 *   2. answers to repeated READs and atomics           a few at a time
 *   3. one NAK                                         acknowledges all before it, so it comes after 1 (rule R2)
 *   4. one acknowledgement                             cumulative: the last SEND or WRITE packet executed
 * </pre>
 *
 * <p>An acknowledgement never carries the PSN of a READ or an atomic: a kernel peer would take it for their success.
 *
 * <p>Owned by the engine thread.
 */
final class Replies {
    /** Packets of one poll. */
    private static final int BUDGET = 128;
    /** Repeated requests answered at the same time; a further one is dropped, and repeated by the peer once more. */
    private static final int MAX_REPLAYS = 16;
    private static final int NO_NAK = -1;
    /** A peer that provokes more, or whoever sends in its name, waits for them. */
    private static final int NAKS_PER_SECOND = 10_000;
    private static final long AT_ONCE = Long.MIN_VALUE;

    private final QueuePairContext context;
    private final Reply[] replays = new Reply[MAX_REPLAYS];
    private final TokenBucket nakRate = new TokenBucket(NAKS_PER_SECOND);
    private Reply[] ring = new Reply[0];
    private long oldest;
    private long sending;
    private long end;
    private int replayHead;
    private int replayCount;
    private int nakSyndrome = NO_NAK;
    private long nakSeq;
    private long nakDueNs = AT_ONCE;
    private boolean ackDue;
    private boolean ackDeferralCounted;
    private long ackSeq;
    private int messageSequenceNumber;

    Replies(QueuePairContext context) {
        this.context = context;
    }

    /** A new connection with so many places for READs and atomics. */
    void start(int places) {
        ring = new Reply[places];
        oldest = 0;
        sending = 0;
        end = 0;
        replayCount = 0;
        nakSyndrome = NO_NAK;
        ackDue = false;
        ackSeq = -1;
        messageSequenceNumber = 0;
    }

    /** Whether another READ or atomic can be taken: a free place, or one whose answer is out (rule R7). */
    boolean hasPlace() {
        return ring.length > 0 && (end - oldest < ring.length || oldest < sending);
    }

    /** A place for a READ or an atomic, to be filled; {@link #hasPlace} was asked. */
    Reply add() {
        if (end - oldest == ring.length) {
            oldest++;
        }
        int position = (int) (end % ring.length);
        if (ring[position] == null) {
            ring[position] = new Reply();
        }
        end++;
        return ring[position];
    }

    /** What is remembered of the READ or atomic that holds a sequence number, or null. */
    Reply find(long seq) {
        for (long i = end - 1; i >= oldest; i--) {
            Reply reply = ring[(int) (i % ring.length)];
            if (seq >= reply.firstSeq() && seq < reply.endSeq()) {
                return reply;
            }
        }
        return null;
    }

    /** A place for the answer to a repeated request, or null when too many are owed. */
    Reply addReplay() {
        if (replayCount == MAX_REPLAYS) {
            return null;
        }
        int position = (replayHead + replayCount++) % MAX_REPLAYS;
        if (replays[position] == null) {
            replays[position] = new Reply();
        }
        return replays[position];
    }

    /** A SEND or WRITE packet was executed. */
    void executed(long seq) {
        ackSeq = seq;
    }

    /** Counts a completed message (rule R15). */
    int nextMessage() {
        messageSequenceNumber = Psn.next(messageSequenceNumber);
        return messageSequenceNumber;
    }

    int messageSequenceNumber() {
        return messageSequenceNumber;
    }

    /** An acknowledgement of the last SEND or WRITE packet is owed; false when there was none yet. */
    boolean acknowledge() {
        ackDue = ackSeq >= 0;
        return ackDue;
    }

    /** A NAK is owed, at the PSN that was expected. */
    void negative(int syndrome, long seq) {
        nakSyndrome = syndrome;
        nakSeq = seq;
    }

    /** Takes back a NAK that has not left: what was missing has come. */
    void withdrawNegative() {
        nakSyndrome = NO_NAK;
    }

    /** Whether a NAK has not left yet. */
    boolean isNegativeOwed() {
        return nakSyndrome != NO_NAK;
    }

    /** Whether all that is left to send is a NAK that has to wait because there were too many. */
    boolean isNegativeHeld(long nowNs) {
        return nowNs < nakDueNs && nakSyndrome != NO_NAK && sending == end && replayCount == 0;
    }

    /** When a NAK may leave. */
    long negativeDueNs() {
        return nakDueNs;
    }

    /** Whether anything is owed. */
    boolean isOwing() {
        return sending < end || replayCount > 0 || nakSyndrome != NO_NAK || ackDue;
    }

    /** Whether all that is owed is a plain acknowledgement. */
    boolean isOwingAckOnly() {
        return ackDue && sending == end && replayCount == 0 && nakSyndrome == NO_NAK;
    }

    private void deferAck() {
        if (!ackDeferralCounted) {
            ackDeferralCounted = true;
            context.counters().count(NicCounter.ACK_DEFERRED);
        }
    }

    /** Nothing is owed any more. */
    void clear() {
        sending = end;
        replayCount = 0;
        nakSyndrome = NO_NAK;
        ackDue = false;
    }

    /**
     * Sends what is owed, as far as the sink has room.
     *
     * @param ackDeferred whether a plain acknowledgement has to wait.
     * @return packets sent.
     */
    int poll(PacketSink sink, boolean ackDeferred, long nowNs) {
        int sent = 0;
        while (sent < BUDGET && isOwing()) {
            if (ackDeferred && isOwingAckOnly()) {
                deferAck();
                return sent;
            }
            if (isNegativeHeld(nowNs) || !sendNext(sink, nowNs)) {
                return sent;
            }
            sent++;
        }
        return sent;
    }

    private boolean sendNext(PacketSink sink, long nowNs) {
        // A run of READ responses is never broken by another: its MIDDLE and LAST would come out of nothing.
        boolean replayBegun = replayCount > 0 && replays[replayHead].sent() > 0;
        if (sending < end && !replayBegun) {
            Reply reply = ring[(int) (sending % ring.length)];
            if (!sendPart(sink, reply, true)) {
                return false;
            }
            if (reply.isComplete()) {
                sending++;
            }
            return true;
        }
        if (replayCount > 0) {
            Reply reply = replays[replayHead];
            if (!sendPart(sink, reply, false)) {
                return false;
            }
            if (reply.isComplete()) {
                replayHead = (replayHead + 1) % MAX_REPLAYS;
                replayCount--;
            }
            return true;
        }
        if (nakSyndrome != NO_NAK) {
            if (!sendAcknowledge(sink, nakSyndrome, nakSeq)) {
                return false;
            }
            nakSyndrome = NO_NAK;
            nakRate.take(nowNs);
            nakDueNs = nakRate.dueNs(nowNs);
            ackDue = false;
            return true;
        }
        if (!sendAcknowledge(sink, Syndrome.ACK_UNLIMITED, ackSeq)) {
            return false;
        }
        ackDue = false;
        ackDeferralCounted = false;
        return true;
    }

    private boolean sendPart(PacketSink sink, Reply reply, boolean isFirstAnswer) {
        return reply.isAtomic() ? sendAtomicAcknowledge(sink, reply) : sendReadResponse(sink, reply, isFirstAnswer);
    }

    /**
     * rxe: read_reply. The memory is looked up for every packet. If it is gone the queue pair fails silently (rule R14), but not for
     * a repeated request, which may be a late copy (rule R3).
     */
    private boolean sendReadResponse(PacketSink sink, Reply reply, boolean isFirstAnswer) {
        long index = reply.sent();
        int mtu = context.mtu();
        int payload = (int) Math.min(mtu, reply.lengthBytes() - index * mtu);
        boolean last = index == reply.packets() - 1;
        Opcode opcode = index == 0
            ? last ? Opcode.RC_RDMA_READ_RESPONSE_ONLY : Opcode.RC_RDMA_READ_RESPONSE_FIRST
            : last ? Opcode.RC_RDMA_READ_RESPONSE_LAST : Opcode.RC_RDMA_READ_RESPONSE_MIDDLE;
        int pad = -payload & 3;
        int offset = sink.claim(context.flow(), opcode.headerLength() + payload + pad + Icrc.LENGTH);
        if (offset < 0) {
            return false;
        }
        MutableDirectBuffer buffer = sink.buffer();
        int payloadOffset = offset + opcode.headerLength();
        if (payload > 0) {
            long address = reply.address() + index * mtu;
            Region region = context.keys().find(reply.key(), context.domain(), AccessFlags.REMOTE_READ, address, payload);
            if (region == null) {
                reply.abandon();
                if (isFirstAnswer) {
                    context.fail();
                    context.raise(AsyncEvent.Type.QP_ACCESS_ERR, "memory was deregistered while " + context.peer() + " read it");
                }
                return true;
            }
            region.read(address, buffer, payloadOffset, payload);
        }
        for (int i = 0; i < pad; i++) {
            buffer.putByte(payloadOffset + payload + i, (byte) 0);
        }
        writeBth(buffer, offset, opcode, pad, reply.firstSeq() + index);
        if (opcode.hasAeth()) {
            Aeth.write(buffer, offset + opcode.aethOffset(), Syndrome.ACK_UNLIMITED, reply.messageSequenceNumber());
        }
        commit(sink, opcode.headerLength() + payload + pad + Icrc.LENGTH);
        reply.sentOne();
        return true;
    }

    private boolean sendAtomicAcknowledge(PacketSink sink, Reply reply) {
        Opcode opcode = Opcode.RC_ATOMIC_ACKNOWLEDGE;
        int offset = sink.claim(context.flow(), opcode.headerLength() + Icrc.LENGTH);
        if (offset < 0) {
            return false;
        }
        MutableDirectBuffer buffer = sink.buffer();
        writeBth(buffer, offset, opcode, 0, reply.firstSeq());
        Aeth.write(buffer, offset + opcode.aethOffset(), Syndrome.ACK_UNLIMITED, reply.messageSequenceNumber());
        AtomicAckEth.write(buffer, offset + opcode.atomicAckEthOffset(), reply.originalValue());
        commit(sink, opcode.headerLength() + Icrc.LENGTH);
        reply.sentOne();
        return true;
    }

    private boolean sendAcknowledge(PacketSink sink, int syndrome, long seq) {
        Opcode opcode = Opcode.RC_ACKNOWLEDGE;
        int offset = sink.claim(context.flow(), opcode.headerLength() + Icrc.LENGTH);
        if (offset < 0) {
            return false;
        }
        writeBth(sink.buffer(), offset, opcode, 0, seq);
        Aeth.write(sink.buffer(), offset + opcode.aethOffset(), syndrome, messageSequenceNumber);
        commit(sink, opcode.headerLength() + Icrc.LENGTH);
        if (!Syndrome.isAck(syndrome)) {
            context.counters().event(EngineEvent.NAK_SENT, (int) seq & Psn.MASK, syndrome);
        }
        if (Syndrome.isRnr(syndrome)) {
            context.counters().count(NicCounter.SEND_RNR_ERR);
        } else if (syndrome == Syndrome.PSN_SEQUENCE_ERROR) {
            context.counters().count(NicCounter.SEND_SEQ_ERR);
        }
        return true;
    }

    private void writeBth(MutableDirectBuffer buffer, int offset, Opcode opcode, int pad, long seq) {
        Bth.write(buffer, offset, opcode, false, pad, context.attributes().destinationQpn(), false, (int) seq & Psn.MASK);
    }

    private void commit(PacketSink sink, int length) {
        sink.commit();
        context.counters().count(NicCounter.SENT_PKTS);
        context.counters().count(NicCounter.SENT_BYTES, length);
    }
}
