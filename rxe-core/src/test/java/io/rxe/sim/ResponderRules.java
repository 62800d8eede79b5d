package io.rxe.sim;

import io.rxe.guard.KernelSafety;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/** Checks what a responder sends: no response to a request it cannot have executed, and none that a kernel peer misreads. */
final class ResponderRules {
    private final ProtocolMonitor monitor;
    /** All packets before it have been delivered to the responder. */
    private long deliveredEdge;
    private long messagesDelivered;
    private int lastMsn;
    private long lastSequenceNak = -1;
    private final Set<Long> readStarts = new HashSet<>();
    private long runNext = -1;
    private long gapSeq = -1;
    private long gaps;
    private boolean rnrSent;

    ResponderRules(ProtocolMonitor monitor, long startSeq, int maxDestRdAtomic) {
        this.monitor = monitor;
        this.deliveredEdge = startSeq;
        if (monitor.settings.maxRdAtomic > maxDestRdAtomic) {
            throw new IllegalArgumentException("max_rd_atomic " + monitor.settings.maxRdAtomic + " > the peer's max_dest_rd_atomic "
                + maxDestRdAtomic);
        }
    }

    void onRequestDelivered(Opcode opcode, long seq, UnsafeBuffer buffer) {
        if (monitor.sentMessage(seq) == null) {
            // A keep-alive before the first request.
            return;
        }
        int count = packets(opcode, buffer);
        if (opcode.isReadRequest()) {
            readStarts.add(seq);
        }
        for (int i = 0; i < count; i++) {
            monitor.packet(seq + i).delivered = true;
            if (!rnrSent) {
                // After an RNR NAK the responder drops later packets without a response (R8).
                monitor.packet(seq + i).unansweredDeliveries++;
            }
        }
        while (deliveredEdge < monitor.nextSeq() && monitor.packet(deliveredEdge).delivered) {
            WireMessage message = monitor.packet(deliveredEdge).message;
            deliveredEdge++;
            if (deliveredEdge == message.endSeq()) {
                messagesDelivered = message.number;
            }
        }
        if (!rnrSent && seq > deliveredEdge && gapSeq != deliveredEdge) {
            gapSeq = deliveredEdge;
            gaps++;
        }
    }

    /** PSNs that a request takes. */
    private int packets(Opcode opcode, UnsafeBuffer buffer) {
        return opcode.isReadRequest()
            ? (int) Math.max(1, (Reth.dmaLength(buffer, opcode.rethOffset()) + monitor.mtu() - 1) / monitor.mtu()) : 1;
    }

    /** An {@link RxeResponder} discarded a request behind a gap, which our responder would keep: no response to it is due. */
    void onDiscarded(Opcode opcode, long seq, UnsafeBuffer buffer) {
        for (int i = 0; i < packets(opcode, buffer) && seq + i < monitor.nextSeq(); i++) {
            WirePacket packet = monitor.packet(seq + i);
            packet.unansweredDeliveries = Math.max(0, packet.unansweredDeliveries - 1);
        }
    }

    long gaps() {
        return gaps;
    }

    void onSent(Opcode opcode, long seq, UnsafeBuffer buffer, int length) {
        markAnswered(opcode, seq);
        if (opcode.isReadResponse()) {
            checkReadResponse(opcode, seq, HeaderValidator.payloadLength(buffer, 0, length, opcode));
        } else {
            runNext = -1;
        }
        int syndrome = opcode.hasAeth() ? Aeth.syndrome(buffer, opcode.aethOffset()) : Syndrome.ACK_UNLIMITED;
        if (!opcode.isAck() || Syndrome.isAck(syndrome)) {
            if (seq >= deliveredEdge) {
                throw monitor.failure(opcode + " for " + ProtocolMonitor.psn(seq) + ", but only the packets before "
                    + ProtocolMonitor.psn(deliveredEdge) + " have arrived (rule R2)");
            }
        }
        if (opcode.hasAeth()) {
            checkMsn(opcode, seq, syndrome, Aeth.messageSequenceNumber(buffer, opcode.aethOffset()));
        }
        if (opcode.hasAeth() && Syndrome.isAck(syndrome)) {
            monitor.credits().checkGiven(opcode, buffer, syndrome);
        }
        if (opcode.isAtomicAck()) {
            WireMessage message = monitor.packet(seq).message;
            message.responseBegun = true;
            if (!message.request.operation.isAtomic()) {
                throw monitor.failure("ATOMIC_ACKNOWLEDGE for " + ProtocolMonitor.psn(seq) + ", which is " + message.request);
            }
        } else if (opcode.isAck()) {
            boolean mayBeInside = Bth.isMarked(buffer, 0) && KernelSafety.isMemoryGone(syndrome);
            checkAcknowledge(syndrome, seq, HeaderValidator.payloadLength(buffer, 0, length, opcode) > 0, mayBeInside);
        }
    }

    /** An ACK answers all SENDs and WRITEs up to its PSN; other responses answer one packet. */
    void markAnswered(Opcode opcode, long seq) {
        if (seq >= monitor.nextSeq()) {
            return;
        }
        for (long i = opcode.isAck() ? monitor.ackedSeq() : seq; i <= seq; i++) {
            if (i == seq || !monitor.packet(i).message.isReadOrAtomic()) {
                monitor.packet(i).unansweredDeliveries = 0;
            }
        }
    }

    /** A run of READ responses starts at the PSN of a READ request, has the right lengths and no gaps. */
    private void checkReadResponse(Opcode opcode, long seq, int payload) {
        if (seq >= deliveredEdge) {
            throw monitor.failure(opcode + " for " + ProtocolMonitor.psn(seq) + ", whose request has not arrived");
        }
        WireMessage message = monitor.packet(seq).message;
        if (PlacementRules.isConfirmed(message.request) && opcode.isOnly() && payload == 0) {
            message.responseBegun = true;
            runNext = -1;
            return;
        }
        if (!message.isRead) {
            throw monitor.failure(opcode + " for " + ProtocolMonitor.psn(seq) + ", which is " + message.request);
        }
        if (opcode.isStart() ? !readStarts.contains(seq) : seq != runNext) {
            throw monitor.failure(opcode + " at " + ProtocolMonitor.psn(seq) + " neither continues a run nor starts at a request");
        }
        int expected = message.responseBytes((int) (seq - message.firstSeq), monitor.mtu());
        if (payload != expected) {
            throw monitor.failure(opcode + " at " + ProtocolMonitor.psn(seq) + " has " + payload + " bytes, not " + expected);
        }
        message.responseBegun = true;
        runNext = opcode.isEnd() ? -1 : seq + 1;
    }

    /** Rule R15. A replayed response may carry its old MSN; the MSN of an ACK never decreases. */
    private void checkMsn(Opcode opcode, long seq, int syndrome, int msn) {
        long minMsn = monitor.wholeMessages();
        if (monitor.sentMessage(seq) == null && seq < monitor.nextSeq()) {
            // A grant before the first SEND or WRITE (R19).
            minMsn = 0;
        } else if (seq < monitor.nextSeq()) {
            WireMessage message = monitor.packet(seq).message;
            boolean isWhole = Syndrome.isAck(syndrome) && (message.isReadOrAtomic() || seq + 1 == message.endSeq());
            minMsn = isWhole ? message.number : message.number - 1;
        }
        boolean isBelow = Psn.subtract(msn, (int) minMsn & Psn.MASK) < 0;
        boolean isAbove = Psn.subtract(msn, (int) messagesDelivered & Psn.MASK) > 0;
        boolean back = opcode.isAck() && Psn.subtract(msn, lastMsn) < 0;
        if (isBelow || isAbove || back) {
            throw monitor.failure(opcode + " at " + ProtocolMonitor.psn(seq) + " has MSN " + msn + "; at least " + minMsn + ", at most "
                + messagesDelivered + " messages can be complete, and the last MSN was " + lastMsn + " (rule R15)");
        }
        if (opcode.isAck()) {
            lastMsn = msn;
        }
    }

    /** @param mayBeInside whether the NAK may name a PSN within a READ: a known peer gets it when memory has gone (rule R14). */
    private void checkAcknowledge(int syndrome, long seq, boolean isReport, boolean mayBeInside) {
        if (Syndrome.isAck(syndrome)) {
            // What a report calls arrived, a further NAK may revoke (rule G3).
            lastSequenceNak = isReport ? -1 : lastSequenceNak;
            WireMessage message = monitor.sentMessage(seq);
            if (message != null && message.isReadOrAtomic()) {
                throw monitor.failure("a plain ACK carries " + ProtocolMonitor.psn(seq) + " of " + message.request
                    + ": a kernel peer would complete it with success (rule K1)");
            }
            return;
        }
        if (seq > deliveredEdge) {
            throw monitor.failure(Syndrome.describe(syndrome) + " for " + ProtocolMonitor.psn(seq)
                + " acknowledges packets that have not arrived:"
                + " only those before " + ProtocolMonitor.psn(deliveredEdge) + " have (rule R2)");
        }
        if (seq < monitor.nextSeq() && !mayBeInside) {
            WireMessage message = monitor.packet(seq).message;
            if (message.isReadOrAtomic() && message.responseBegun || message.isRead && seq != message.firstSeq) {
                throw monitor.failure(Syndrome.describe(syndrome) + " inside " + message.request
                    + ", whose response has begun: a kernel peer would complete it with success (rules R14, K2)");
            }
        }
        if (Syndrome.isRnr(syndrome)) {
            rnrSent = true;
        }
        if (syndrome == Syndrome.PSN_SEQUENCE_ERROR) {
            if (seq <= lastSequenceNak) {
                throw monitor.failure("a second PSN sequence NAK for " + ProtocolMonitor.psn(seq) + " (rule R1)");
            }
            lastSequenceNak = seq;
        }
    }
}
