package io.rxe.qp.responder;

import io.rxe.memory.Region;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import io.rxe.wire.Syndrome;
import net.bytebuddy.asm.Advice;

/** Defects to plant into the responder; each class is advice for one method, copied into it by ByteBuddy. See io.rxe.sim.Defect. */
public final class ResponderDefects {
    private ResponderDefects() {
    }

    /** For Responder.duplicate: a WRITE of one packet is executed again. */
    public static final class RepeatsWrite {
        private RepeatsWrite() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("packet") InboundPacket packet, @Advice.FieldValue("opcode") Opcode opcode,
                          @Advice.FieldValue("context") QueuePairContext context) {
            if (opcode.isWrite() && opcode.isStart() && packet.payloadLength() > 0) {
                int at = packet.at(opcode.rethOffset());
                Region region = context.keys().find(Reth.rKey(packet.buffer(), at));
                if (region != null) {
                    region.write(Reth.virtualAddress(packet.buffer(), at), packet.buffer(), packet.payloadOffset(),
                        packet.payloadLength());
                }
            }
        }
    }

    /** For CreditGrants.available: counts one receive request too many. */
    public static final class GivesACreditTooMany {
        private GivesACreditTooMany() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int available) {
            available++;
        }
    }

    /** For Responder.duplicate: a SEND of one packet is delivered again. */
    public static final class RepeatsSend {
        private RepeatsSend() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("packet") InboundPacket packet, @Advice.FieldValue("opcode") Opcode opcode,
                          @Advice.FieldValue("context") QueuePairContext context) {
            ReceiveRequest receive = new ReceiveRequest();
            if (opcode == Opcode.RC_SEND_ONLY && context.queues().receives().take(receive)) {
                WorkCompletion completion = context.queues().claimReceive(receive.id(), CompletionStatus.SUCCESS, Operation.RECEIVE);
                completion.byteLength(packet.payloadLength());
                context.queues().publishReceive(false);
            }
        }
    }

    /** For DuplicateRequests.onDuplicate: an atomic takes effect again before its saved result is sent. */
    public static final class RepeatsAtomic {
        private RepeatsAtomic() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(0) InboundPacket packet, @Advice.FieldValue("context") QueuePairContext context) {
            if (packet.opcode() == Opcode.RC_FETCH_ADD) {
                int at = packet.at(packet.opcode().atomicEthOffset());
                Region region = context.keys().find(AtomicEth.rKey(packet.buffer(), at));
                if (region != null) {
                    region.fetchAndAdd(AtomicEth.virtualAddress(packet.buffer(), at), AtomicEth.swapOrAdd(packet.buffer(), at));
                }
            }
        }
    }

    /** For DuplicateRequests.onDuplicate: an ATOMIC_WRITE is executed again. */
    public static final class RepeatsAtomicWrite {
        private RepeatsAtomicWrite() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(0) InboundPacket packet, @Advice.FieldValue("context") QueuePairContext context) {
            if (packet.opcode() == Opcode.RC_ATOMIC_WRITE) {
                int at = packet.at(packet.opcode().rethOffset());
                Region region = context.keys().find(Reth.rKey(packet.buffer(), at));
                if (region != null) {
                    region.writeAtomically(Reth.virtualAddress(packet.buffer(), at), packet.buffer(), packet.payloadOffset());
                }
            }
        }
    }

    /** For DuplicateRequests.onDuplicate: an ATOMIC_WRITE over XRC is executed again. */
    public static final class RepeatsXrcAtomicWrite {
        private RepeatsXrcAtomicWrite() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(0) InboundPacket packet, @Advice.FieldValue("context") QueuePairContext context) {
            if (packet.opcode() == Opcode.XRC_ATOMIC_WRITE) {
                int at = packet.at(packet.opcode().rethOffset());
                Region region = context.keys().find(Reth.rKey(packet.buffer(), at));
                if (region != null) {
                    region.writeAtomically(Reth.virtualAddress(packet.buffer(), at), packet.buffer(), packet.payloadOffset());
                }
            }
        }
    }

    /** For DuplicateRequests.atomic: nothing that was confirmed is confirmed again. */
    public static final class DropsFlushReplay {
        private DropsFlushReplay() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.Argument(1) ResponderResource.Kind kind) {
            return kind == ResponderResource.Kind.CONFIRMATION;
        }
    }

    /** For Responder.gap: a FLUSH behind a gap is confirmed at once. */
    public static final class FlushOvertakes {
        private FlushOvertakes() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("packet") InboundPacket packet, @Advice.FieldValue("opcode") Opcode opcode,
                         @Advice.FieldValue("responses") ResponseQueue responses, @Advice.FieldValue("expectedSeq") long expectedSeq) {
            if (opcode.isFlush() && responses.hasPlace(true)) {
                long seq = expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
                responses.add(0).confirm(true, seq, responses.messageSequenceNumber());
            }
        }
    }

    /** For Responder.gap: a FLUSH over XRC behind a gap is confirmed at once. */
    public static final class XrcFlushOvertakes {
        private XrcFlushOvertakes() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("packet") InboundPacket packet, @Advice.FieldValue("opcode") Opcode opcode,
                         @Advice.FieldValue("responses") ResponseQueue responses, @Advice.FieldValue("expectedSeq") long expectedSeq) {
            if (opcode == Opcode.XRC_FLUSH && responses.hasPlace(true)) {
                long seq = expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK);
                responses.add(0).confirm(true, seq, responses.messageSequenceNumber());
            }
        }
    }

    /** For RequestDigests.contradict: compares AckReq too, which a kept request seldom has and a retransmission often. */
    public static final class DistrustsRetransmissions {
        private DistrustsRetransmissions() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("entries") long[] entries, @Advice.Argument(0) long seq,
                         @Advice.Argument(1) InboundPacket request, @Advice.Return(readOnly = false) boolean contradicts) {
            if (entries != null && (int) (entries[(int) seq & entries.length - 1] >>> Integer.SIZE) == (int) seq
                && request.isAckRequested()) {
                contradicts = true;
            }
        }
    }

    /** For DuplicateRequests.read: the response starts at the beginning of the READ, whatever part is requested. */
    public static final class ReplaysWholeRead {
        private ReplaysWholeRead() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 1, readOnly = false) long seq, @Advice.FieldValue("responses") ResponseQueue responses) {
            ResponderResource original = responses.find(seq);
            if (original != null) {
                seq = original.firstSeq();
            }
        }
    }

    /** For Responder.gap: a request behind a gap is acknowledged at once. */
    public static final class AcknowledgesEarly {
        private AcknowledgesEarly() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("packet") InboundPacket packet, @Advice.FieldValue("opcode") Opcode opcode,
                         @Advice.FieldValue("responses") ResponseQueue responses, @Advice.FieldValue("expectedSeq") long expectedSeq) {
            if (opcode.isSend() || opcode.isWrite()) {
                responses.executed(expectedSeq + Psn.subtract(packet.psn(), (int) expectedSeq & Psn.MASK));
                responses.acknowledge();
            }
        }
    }

    /** For Responder.duplicate: a duplicate gets a sequence NAK. */
    public static final class NaksDuplicates {
        private NaksDuplicates() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("responses") ResponseQueue responses, @Advice.FieldValue("expectedSeq") long expectedSeq) {
            responses.nak(Syndrome.PSN_SEQUENCE_ERROR, expectedSeq);
        }
    }

    /** For Responder.execute: a plain acknowledgement follows a READ. */
    public static final class AcknowledgesReads {
        private AcknowledgesReads() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("opcode") Opcode opcode, @Advice.FieldValue("responses") ResponseQueue responses,
                         @Advice.FieldValue("expectedSeq") long expectedSeq) {
            if (opcode.isReadRequest()) {
                responses.executed(expectedSeq - 1);
                responses.acknowledge();
            }
        }
    }

    /** For ResponseQueue.nextMessage: the MSN does not advance. */
    public static final class ForgetsMessageNumber {
        private ForgetsMessageNumber() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue(value = "messageSequenceNumber", readOnly = false) int number) {
            number = Psn.previous(number);
        }
    }

    /** For ResponseQueue.sendNext: an acknowledgement that finds the sink full is forgotten. */
    public static final class LosesAcknowledgement {
        private LosesAcknowledgement() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return boolean sent, @Advice.FieldValue(value = "ackDue", readOnly = false) boolean ackDue) {
            if (!sent) {
                ackDue = false;
            }
        }
    }

    /** For DatagramResponder.onRequest: a datagram that does not fit ends the queue pair. */
    public static final class EndsWithALongDatagram {
        private EndsWithALongDatagram() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("holdsReceive") boolean doesNotFit, @Advice.FieldValue("context") QueuePairContext context) {
            if (doesNotFit) {
                context.fail();
            }
        }
    }

    /** For GapReport.writeGap: each gap is a packet too long. */
    public static final class LengthensGaps {
        private LengthensGaps() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 4, readOnly = false) int packets) {
            packets++;
        }
    }
}
