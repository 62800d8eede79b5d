package io.rxe.qp.requester;

import io.rxe.memory.ScatterGather;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.OutboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.FlushCoverage;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.Operation;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.Feth;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.SendTime;
import io.rxe.wire.Transport;
import io.rxe.wire.XrcEth;
import org.agrona.MutableDirectBuffer;

/**
 * Writes one request packet into the sink. Any packet of any request can be written from the request alone, so a retransmission needs
 * no copy of the original (rule P6). A message resumed in its middle continues with MIDDLE and LAST packets.
 */
final class RequestPacket {
    private final QueuePairContext context;
    private final FlushCoverage flushCoverage;
    private final Transport transport;
    private final OutboundPacket out;
    /** Whether a header behind the BTH says for whom the message is: DETH or XRCETH. */
    private final boolean addressesMessages;
    private boolean memoryGone;
    private boolean marked;
    private boolean repeated;
    private int readRate;
    private boolean timed;
    /** Every second READ request tells when it leaves instead of the rate. */
    private boolean timesRead;
    private int sendTime;

    RequestPacket(QueuePairContext context, FlushCoverage flushCoverage) {
        this.context = context;
        this.flushCoverage = flushCoverage;
        this.transport = context.type().transport();
        this.addressesMessages = transport == Transport.UD || transport == Transport.XRC;
        this.out = new OutboundPacket(context);
    }

    /** Whether an operation takes a receive request of the peer. */
    static boolean takesReceive(Operation operation) {
        return operation.isSend() || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    /** Whether packets carry the mark from now on (rule G1). */
    void mark(boolean isMarked) {
        marked = isMarked;
    }

    /** Whether packets say from now on that they are sent several times (rule G7). */
    void repeated(boolean isRepeated) {
        repeated = isRepeated;
    }

    /** How fast the responses of READ requests may leave from now on: a code (rule G9). */
    void readRate(int code) {
        readRate = code;
    }

    /** When packets leave from now on, and whether they tell that (rule G10). */
    void sendTime(boolean isTold, long nowNs) {
        timed = isTold;
        timesRead &= isTold;
        sendTime = SendTime.of(nowNs);
    }

    /** Whether the last {@link #write} failed because local memory is no longer registered; otherwise the sink was full. */
    boolean isMemoryGone() {
        return memoryGone;
    }

    /** Whether {@link #write} checks all memory of a request before anything of it is sent: it is one packet, or has bytes of its own. */
    boolean checksAllMemory(SendWqe wqe) {
        return wqe.sendsInlineBytes() || wqe.lengthBytes() <= context.mtu() && !wqe.operation().bringsData();
    }

    /**
     * Writes a packet.
     *
     * @param index packet index in the message.
     * @param end   one past the last index it covers; a READ request covers several, any other packet one.
     * @return false when the sink is full or local memory is gone; then nothing has changed.
     */
    boolean write(PacketSink sink, SendWqe wqe, long index, long end, boolean ackRequested) {
        memoryGone = false;
        Opcode opcode = Opcode.of(opcode(wqe, index).code() | transport.opcodeBits());
        int payload = opcode.hasPayload() ? wqe.payloadBytes(index, context.mtu()) : 0;
        if (!out.claim(sink, transport == Transport.UD ? wqe.datagramFlow() : opcode.hasPayload() ? context.dataFlow() : context.flow(),
            opcode, payload)) {
            return false;
        }
        MutableDirectBuffer buffer = out.buffer();
        int offset = out.offset();
        if (payload > 0 && !copyPayload(wqe, index, buffer, out.payloadOffset(), payload)) {
            memoryGone = true;
            return false;
        }
        boolean solicited = wqe.isSolicited() && opcode.isEnd() && takesReceive(wqe.operation());
        int destination = transport == Transport.UD ? wqe.remoteQpn() : context.attributes().destinationQpn();
        out.writeBth(opcode, solicited, destination, ackRequested, (int) (wqe.firstSeq() + index) & Psn.MASK);
        if (marked) {
            Bth.mark(buffer, offset);
        }
        if (repeated) {
            Bth.repeated(buffer, offset);
        }
        if (opcode.isReadRequest() && !timesRead) {
            Bth.readRate(buffer, offset, readRate);
        } else if (timed) {
            Bth.sendTime(buffer, offset, sendTime);
        }
        if (opcode.isReadRequest()) {
            timesRead = timed && !timesRead;
        }
        writeExtensions(wqe, opcode, index, end, buffer, offset);
        if (opcode == Opcode.RC_FLUSH && flushCoverage.choose(wqe)) {
            out.commitCoveredTwice();
        } else {
            out.commit();
        }
        return true;
    }

    /**
     * Writes a keep-alive: an RDMA WRITE of no bytes that the peer takes for a duplicate (rule T11).
     *
     * @return false when the sink is full; then nothing has changed.
     */
    boolean writeKeepAlive(PacketSink sink, int psn) {
        Opcode opcode = Opcode.RC_RDMA_WRITE_ONLY;
        if (!out.claim(sink, context.flow(), opcode, 0)) {
            return false;
        }
        out.writeBth(opcode, false, context.attributes().destinationQpn(), true, psn);
        Reth.write(out.buffer(), out.at(opcode.rethOffset()), 0, 0, 0);
        out.commit();
        return true;
    }

    private boolean copyPayload(SendWqe wqe, long index, MutableDirectBuffer buffer, int at, int payload) {
        long from = index * context.mtu();
        if (wqe.sendsInlineBytes()) {
            buffer.putBytes(at, wqe.inlineBytes(), (int) from, payload);
            return true;
        }
        return ScatterGather.gather(wqe.scatterGather(), context.keys(), context.domain(), from, buffer, at, payload);
    }

    private void writeExtensions(SendWqe wqe, Opcode opcode, long index, long end, MutableDirectBuffer buffer, int offset) {
        if (addressesMessages) {
            writeAddress(wqe, opcode, buffer, offset);
        }
        if (opcode.hasReth()) {
            long skipped = index * context.mtu();
            long bytes = opcode.isReadRequest() ? Math.min(end * context.mtu(), wqe.lengthBytes()) - skipped
                : opcode.isFlush() ? wqe.flushBytes() : wqe.lengthBytes();
            Reth.write(buffer, offset + opcode.rethOffset(), wqe.remoteAddress() + skipped, wqe.remoteKey(), bytes);
        }
        if (opcode.hasFeth()) {
            Feth.write(buffer, offset + opcode.fethOffset(), wqe.flushType(), wqe.flushLevel().ordinal());
        }
        if (opcode.hasAtomicEth()) {
            AtomicEth.write(buffer, offset + opcode.atomicEthOffset(), wqe.remoteAddress(), wqe.remoteKey(), wqe.swapOrAddValue(),
                wqe.compareValue());
        }
        if (opcode.hasImmDt()) {
            ImmDt.write(buffer, offset + opcode.immDtOffset(), wqe.immediate());
        }
        if (opcode.hasIeth()) {
            Ieth.write(buffer, offset + opcode.iethOffset(), wqe.invalidateKey());
        }
    }

    private void writeAddress(SendWqe wqe, Opcode opcode, MutableDirectBuffer buffer, int offset) {
        if (opcode.hasXrcEth()) {
            XrcEth.write(buffer, offset + opcode.xrcEthOffset(), wqe.remoteQpn());
            return;
        }
        int key = wqe.remoteQueueKey() < 0 ? context.attributes().queueKey() : wqe.remoteQueueKey();
        Deth.write(buffer, offset + opcode.dethOffset(), key, context.number());
    }

    /** The RC opcode; UC, UD and XRC opcodes differ in the transport bits only. rxe: next_opcode_rc. */
    private static Opcode opcode(SendWqe wqe, long index) {
        boolean first = index == 0;
        boolean last = index == wqe.packets() - 1;
        return switch (wqe.operation()) {
            case SEND -> first ? last ? Opcode.RC_SEND_ONLY : Opcode.RC_SEND_FIRST
                : last ? Opcode.RC_SEND_LAST : Opcode.RC_SEND_MIDDLE;
            case SEND_WITH_IMMEDIATE -> first ? last ? Opcode.RC_SEND_ONLY_WITH_IMMEDIATE : Opcode.RC_SEND_FIRST
                : last ? Opcode.RC_SEND_LAST_WITH_IMMEDIATE : Opcode.RC_SEND_MIDDLE;
            case SEND_WITH_INVALIDATE -> first ? last ? Opcode.RC_SEND_ONLY_WITH_INVALIDATE : Opcode.RC_SEND_FIRST
                : last ? Opcode.RC_SEND_LAST_WITH_INVALIDATE : Opcode.RC_SEND_MIDDLE;
            case RDMA_WRITE -> first ? last ? Opcode.RC_RDMA_WRITE_ONLY : Opcode.RC_RDMA_WRITE_FIRST
                : last ? Opcode.RC_RDMA_WRITE_LAST : Opcode.RC_RDMA_WRITE_MIDDLE;
            case RDMA_WRITE_WITH_IMMEDIATE -> first ? last ? Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE : Opcode.RC_RDMA_WRITE_FIRST
                : last ? Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE : Opcode.RC_RDMA_WRITE_MIDDLE;
            case RDMA_READ -> Opcode.RC_RDMA_READ_REQUEST;
            case COMPARE_AND_SWAP -> Opcode.RC_COMPARE_SWAP;
            case FETCH_AND_ADD -> Opcode.RC_FETCH_ADD;
            case ATOMIC_WRITE -> Opcode.RC_ATOMIC_WRITE;
            case FLUSH -> Opcode.RC_FLUSH;
            case BIND_MW, LOCAL_INV, REG_MR, RECEIVE, RECEIVE_RDMA_WITH_IMMEDIATE ->
                throw new AssertionError("sends no packet: " + wqe.operation());
        };
    }
}
