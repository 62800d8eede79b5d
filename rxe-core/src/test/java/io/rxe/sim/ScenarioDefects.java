package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.device.Engine;
import io.rxe.memory.KeySlot;
import io.rxe.memory.KeyTable;
import io.rxe.memory.Region;
import io.rxe.port.Flow;
import io.rxe.qp.context.CompletionRing;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.XrcReceiveQueue;
import io.rxe.qp.send.ReadProgress;
import io.rxe.qp.send.SendState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.agrona.collections.Int2ObjectHashMap;

/** Advice for the defects that only scenarios with a {@link Feature} reveal; each class is for one method. See {@link Defect}. */
public final class ScenarioDefects {
    private ScenarioDefects() {
    }

    /** For ReadProgress.requestEnd: one request asks for the whole READ. */
    static final class DoesNotSplitReads {
        private DoesNotSplitReads() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("packets") long packets, @Advice.Return(readOnly = false) long end) {
            end = packets;
        }
    }

    /** For ReadProgress.placesInUse: a READ of several requests takes one place of max_rd_atomic. */
    static final class CountsSplitReadOnce {
        private CountsSplitReadOnce() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int places) {
            places = Math.min(places, 1);
        }
    }

    /** For Requester.isAckRequested: no packet but the last of a message has AckReq. */
    static final class RequestsAckAtEndOnly {
        private RequestsAckAtEndOnly() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(2) boolean isLast, @Advice.Return(readOnly = false) boolean requested) {
            requested = isLast;
        }
    }

    /** For Region.isRevoked: the region of a bound window is not considered. */
    static final class OutlivesRegion {
        private OutlivesRegion() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("revoked") boolean isRevoked, @Advice.Return(readOnly = false) boolean result) {
            result = isRevoked;
        }
    }

    /** For QueuePairTable.draw: the number belongs to another engine. */
    static final class DrawsNumberOfOtherEngine {
        private DrawsNumberOfOtherEngine() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) int number) {
            number = number < 4 ? number : number - 1;
        }
    }

    /** For Nic.counter: the sum over the engines ends after the first. */
    static final class CountsFirstEngineOnly {
        private CountsFirstEngineOnly() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) Object which, @Advice.FieldValue("engines") List<Engine> engines,
                         @Advice.Return(readOnly = false) long value) {
            if (which instanceof NicCounter) {
                value = engines.get(0).counters().get((NicCounter) which);
            }
        }
    }

    /** For NicCompletionQueue.poll: only the ring of the first engine is polled. */
    static final class PollsOneRing {
        private PollsOneRing() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue("rings") CompletionRing[] rings) {
            Arrays.fill(rings, rings[0]);
        }
    }

    /** For PacketAdmission.checkAddresses: the source address is not compared. */
    static final class AcceptsAnySource {
        private AcceptsAnySource() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) DropReason reason) {
            if (reason == DropReason.WRONG_SOURCE_ADDRESS) {
                reason = DropReason.NONE;
            }
        }
    }

    /** For InboundMessage.checkKey: only the first packet of a WRITE looks up the key. */
    public static final class WritesToDeregisteredMemory {
        /** The region of the WRITE in progress, by message. */
        public static final Map<Object, Region> REGIONS = new IdentityHashMap<>();

        private WritesToDeregisteredMemory() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Object message, @Advice.Argument(0) InboundPacket packet,
                             @Advice.FieldValue(value = "target", readOnly = false) Region target) {
            boolean isLater = packet.opcode().isWrite() && !packet.opcode().isStart();
            if (isLater) {
                target = REGIONS.get(message);
            }
            return isLater;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This Object message, @Advice.Argument(0) InboundPacket packet,
                         @Advice.FieldValue("target") Region target) {
            if (packet.opcode().isWrite() && packet.opcode().isStart()) {
                REGIONS.put(message, target);
            }
        }
    }

    /** For ReadProgress.firstRequestable: every gap may be requested at any time. */
    static final class RequestsLaterGapFirst {
        private RequestsLaterGapFirst() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This ReadProgress read, @Advice.Argument(0) long from, @Advice.Return(readOnly = false) long index) {
            index = read.firstMissing(from);
        }
    }

    /** For KeyTable.find: the key in force of the index is as good. */
    static final class IgnoresOwnerBits {
        private IgnoresOwnerBits() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.This KeyTable table, @Advice.Argument(value = 0, readOnly = false) int key) {
            KeySlot slot = table.slot(key);
            key = slot == null ? key : slot.current().key();
        }
    }

    /** For Region.window: the address of the part is taken for that of the region when addresses begin at 0. */
    static final class ShiftsWindow {
        private ShiftsWindow() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.This Region region, @Advice.Argument(value = 3, readOnly = false) long address,
                          @Advice.Argument(5) boolean zeroBased) {
            address = zeroBased ? region.baseAddress() : address;
        }
    }

    /** For OutboundPacket.claim: acknowledgements keep the flow of the first packet. */
    static final class AnswersOnTheOldPath {
        // Public, because advice runs in the class it is woven into.
        public static final Map<Object, Flow> FLOWS = new IdentityHashMap<>();

        private AnswersOnTheOldPath() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.This Object packet, @Advice.Argument(value = 1, readOnly = false) Flow flow,
                          @Advice.Argument(2) Opcode opcode) {
            if (FLOWS.get(packet) == null) {
                FLOWS.put(packet, flow);
            }
            flow = opcode.isAck() ? FLOWS.get(packet) : flow;
        }
    }

    /** For Completer.poll: requests that have run are not completed. */
    static final class WaitsForAcknowledgement {
        private WaitsForAcknowledgement() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.FieldValue("send") SendState send, @Advice.FieldValue("context") QueuePairContext context) {
            return context.queues().sends().consumerIndex() < send.ackIndex();
        }
    }

    /** For XrcReceiveQueues.find: the number does not matter. */
    static final class FindsFirstQueue {
        private FindsFirstQueue() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("queues") Int2ObjectHashMap<XrcReceiveQueue> queues,
                         @Advice.Return(readOnly = false) XrcReceiveQueue found) {
            found = found == null ? null : queues.values().iterator().next();
        }
    }

    /** For XrcReceiveQueues.find: an unknown number stands for some queue. */
    static final class FindsQueueForAnyNumber {
        private FindsQueueForAnyNumber() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("queues") Int2ObjectHashMap<XrcReceiveQueue> queues,
                         @Advice.Return(readOnly = false) XrcReceiveQueue found) {
            found = found == null ? queues.values().iterator().next() : found;
        }
    }

    /** For QueuePairContext.receiveFrom: the completion queue of the first message stays. */
    public static final class KeepsCompletionQueue {
        /** The completion queue of the first message, by queue pair. */
        public static final Map<Object, CompletionRing> FIRST = new IdentityHashMap<>();

        private KeepsCompletionQueue() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This Object context,
                         @Advice.FieldValue(value = "receiveCompletions", readOnly = false) CompletionRing ring) {
            FIRST.putIfAbsent(context, ring);
            ring = FIRST.get(context);
        }
    }

    /** For QueuePairContext.receiveFrom: the protection domain of the first request stays. */
    public static final class KeepsDomain {
        /** The protection domain of the first request, by queue pair. */
        public static final Map<Object, Integer> FIRST = new IdentityHashMap<>();

        private KeepsDomain() {
        }

        @Advice.OnMethodExit
        static void exit(@Advice.This Object context, @Advice.FieldValue(value = "domain", readOnly = false) int domain) {
            FIRST.putIfAbsent(context, domain);
            domain = FIRST.get(context);
        }
    }

    /** For QueuePairContext.remoteIn: the domain that the READ began with is forgotten. */
    static final class ReadsInLatestDomain {
        private ReadsInLatestDomain() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false) int inDomain, @Advice.FieldValue("domain") int domain) {
            inDomain = domain;
        }
    }

    /** For XrcEth.write: the number is 0. */
    static final class WritesNoNumber {
        private WritesNoNumber() {
        }

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 2, readOnly = false) int number) {
            number = 0;
        }
    }
}
