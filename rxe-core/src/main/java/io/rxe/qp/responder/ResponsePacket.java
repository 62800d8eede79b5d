package io.rxe.qp.responder;

import io.rxe.memory.Region;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.OutboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.time.HostDelay;
import io.rxe.verbs.AccessFlags;
import io.rxe.wire.Aeth;
import io.rxe.wire.AtomicAckEth;
import io.rxe.wire.Bth;
import io.rxe.wire.FiveBitCode;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.SendTime;
import io.rxe.wire.Syndrome;

/**
 * Writes one response packet into the sink. A method that writes returns false when the sink is full; then nothing has changed.
 *
 * <p>Owned by the engine thread.
 */
final class ResponsePacket {
    /** In each group of this size of the responses to a READ, the second tells when it leaves, instead of a delay (rule G10). */
    private static final int TIMED_EVERY = 4;

    private final QueuePairContext context;
    private final CreditGrants credits;
    private final GapReports reports;
    private final HostDelay hostDelay;
    private final ResponseOpcodes opcodes;
    private final OutboundPacket out;
    private boolean memoryGone;
    private boolean memoryFaulty;

    ResponsePacket(QueuePairContext context, CreditGrants credits, GapReports reports, HostDelay hostDelay) {
        this.context = context;
        this.credits = credits;
        this.reports = reports;
        this.hostDelay = hostDelay;
        this.opcodes = new ResponseOpcodes(context.type().transport());
        this.out = new OutboundPacket(context);
    }

    /** Whether the last {@link #writeRead} wrote nothing, since the memory is no longer registered for it. */
    boolean isMemoryGone() {
        return memoryGone;
    }

    /** Whether the last {@link #writeRead} wrote nothing, since the memory faulted. */
    boolean isMemoryFaulty() {
        return memoryFaulty;
    }

    /** Writes the next response to a READ, unless its memory is gone or faulty. */
    boolean writeRead(PacketSink sink, ResponderResource resource, long nowNs) {
        memoryGone = false;
        memoryFaulty = false;
        long index = resource.sent();
        int payload = resource.nextBytes(context.mtu());
        Opcode opcode = opcodes.read(index == 0, index == resource.packets() - 1);
        if (!out.claim(sink, context.dataFlow(), opcode, payload)) {
            return false;
        }
        if (payload > 0) {
            long address = resource.address() + index * context.mtu();
            Region region = context.remoteIn(resource.domain(), resource.key(), AccessFlags.REMOTE_READ, address, payload);
            memoryGone = region == null;
            memoryFaulty = !memoryGone && !region.read(address, out.buffer(), out.payloadOffset(), payload);
            if (memoryGone || memoryFaulty) {
                return true;
            }
        }
        writeBth(opcode, resource.firstSeq() + index);
        if (isTimed(index)) {
            Bth.sendTime(out.buffer(), out.offset(), SendTime.of(nowNs));
        } else {
            // A READ waits for those before it, and for its own responses: that is the host too.
            tellHostDelay(nowNs - resource.arrivedNs());
            Bth.requestWait(out.buffer(), out.offset(), resource.requestWaitCode());
        }
        if (opcode.hasAeth()) {
            writeAeth(opcode, resource.messageSequenceNumber());
        }
        out.commit();
        return true;
    }

    /** Rule G10. */
    private boolean isTimed(long index) {
        return reports.isKnown() && index % TIMED_EVERY == 1;
    }

    boolean writeAtomicAcknowledge(PacketSink sink, ResponderResource resource) {
        Opcode opcode = opcodes.atomicAcknowledge();
        if (!out.claim(sink, context.flow(), opcode, 0)) {
            return false;
        }
        writeBth(opcode, resource.firstSeq());
        tellHostDelay(hostDelay.unseenNs());
        writeAeth(opcode, resource.messageSequenceNumber());
        AtomicAckEth.write(out.buffer(), out.at(opcode.atomicAckEthOffset()), resource.originalValue());
        out.commit();
        return true;
    }

    /** Writes an ACK, with the gap report that is due, or a NAK. */
    boolean writeAcknowledge(PacketSink sink, int syndrome, long seq, int msn) {
        Opcode opcode = opcodes.acknowledge();
        boolean hasReport = Syndrome.isAck(syndrome) && reports.isCarried();
        if (!out.claim(sink, context.flow(), opcode, hasReport ? reports.collect() : 0)) {
            return false;
        }
        writeBth(opcode, seq);
        tellHostDelay(hostDelay.unseenNs());
        Aeth.write(out.buffer(), out.at(opcode.aethOffset()), syndrome, msn);
        if (hasReport) {
            reports.write(out.buffer(), out.payloadOffset());
        }
        out.commit();
        return true;
    }

    /** The AETH of a READ or atomic response. */
    private void writeAeth(Opcode opcode, int msn) {
        Aeth.write(out.buffer(), out.at(opcode.aethOffset()), credits.syndrome(msn), msn);
    }

    private void writeBth(Opcode opcode, long seq) {
        out.writeBth(opcode, false, context.attributes().destinationQpn(), false, (int) seq & Psn.MASK);
        if (reports.isMarking()) {
            Bth.mark(out.buffer(), out.offset());
        }
    }

    /** Rule G8. */
    private void tellHostDelay(long ns) {
        if (reports.isKnown()) {
            Bth.hostDelay(out.buffer(), out.offset(), FiveBitCode.HOST_DELAY.of(ns));
        }
    }
}
