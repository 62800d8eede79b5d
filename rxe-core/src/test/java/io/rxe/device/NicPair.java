package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.guard.KernelSafety;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Two NICs joined by a perfect link in virtual time, with one connected pair of queue pairs. Allocates nothing per packet. */
final class NicPair {
    /** A link: holds the frames of one side until they are delivered to the other. */
    static final class Link implements PacketSink {
        private static final int SLOTS = 4096;
        private static final int SLOT_BYTES = 4352;

        private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOTS * SLOT_BYTES));
        private final int[] lengths = new int[SLOTS];
        private final Flow[] flows = new Flow[SLOTS];
        private final Icrc icrc = new Icrc();
        private int head;
        private int tail;
        private KernelSafety emitted;
        private KernelSafety delivered;
        private int roomPerStep = SLOTS;
        private int room = SLOTS;
        private int coveredTwice;

        /** Limits the frames accepted in one step. */
        void limit(int framesPerStep) {
            roomPerStep = framesPerStep;
        }

        @Override
        public int claim(Flow flow, int lengthBytes) {
            if (tail - head == SLOTS || room == 0) {
                return FULL;
            }
            flows[tail & SLOTS - 1] = flow;
            lengths[tail & SLOTS - 1] = lengthBytes;
            return (tail & SLOTS - 1) * SLOT_BYTES;
        }

        @Override
        public MutableDirectBuffer buffer() {
            return buffer;
        }

        @Override
        public void commit() {
            int slot = tail & SLOTS - 1;
            int offset = slot * SLOT_BYTES;
            int covered = lengths[slot] - Icrc.LENGTH;
            Icrc.write(buffer, offset + covered, icrc.compute(buffer, offset, covered, flows[slot].icrcSeed(), true, tail & 0xFFFF));
            if (emitted != null) {
                emitted.onEmitted(buffer, offset, lengths[slot]);
            }
            tail++;
            room--;
        }

        @Override
        public void commitCoveredTwice() {
            coveredTwice++;
            commit();
        }

        /** Frames for which the NIC asked for an ICRC that covers the headers twice. */
        int coveredTwice() {
            return coveredTwice;
        }

        /** Frames that wait for their delivery. */
        int waiting() {
            return tail - head;
        }

        int deliver(Nic nic, long nowNs) {
            room = roomPerStep;
            int count = tail - head;
            while (head != tail) {
                int slot = head & SLOTS - 1;
                if (delivered != null) {
                    delivered.onDelivered(buffer, slot * SLOT_BYTES, lengths[slot]);
                }
                nic.engine(0).onPacket(buffer, slot * SLOT_BYTES, lengths[slot], flows[slot], nowNs);
                head++;
            }
            return count;
        }
    }

    /** The resources of one side. */
    final class End {
        final Nic nic;
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final QueuePair pair;
        final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 21);
        final MemoryRegion region;

        End(Nic nic, CompletionChannel channel, boolean acknowledgeFirst) {
            this.nic = nic;
            domain = nic.allocateProtectionDomain();
            queue = nic.createCompletionQueue(1024, channel);
            pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withInline(8)
                .withAcknowledgeFirst(acknowledgeFirst));
            region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
                | AccessFlags.REMOTE_ATOMIC | AccessFlags.FLUSH_GLOBAL);
        }

        void post(WorkRequest request) {
            assertTrue(pair.postSend(request));
        }

        WorkCompletion take(long id) {
            WorkCompletion completion = new WorkCompletion();
            assertTrue(queue.poll(completion), () -> "no completion of " + id);
            assertEquals(id, completion.workRequestId(), completion::toString);
            return completion;
        }
    }

    private final Random random = new Random(7);
    final Nic leftNic;
    final Nic rightNic;
    final Link toRight = new Link();
    final Link toLeft = new Link();
    final End left;
    final End right;
    private long nowNs;

    NicPair() {
        this(SameThread.INLINE);
    }

    NicPair(EngineThread thread) {
        leftNic = new Nic(TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(thread),
            MulticastPort.NONE, null);
        rightNic = new Nic(TestConfig.of(Gid.parse("10.0.0.2"), 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(thread),
            MulticastPort.NONE, null);
        left = new End(leftNic, null, false);
        right = new End(rightNic, null, false);
        connect(left, right);
    }

    End end(Nic nic, CompletionChannel channel) {
        return new End(nic, channel, false);
    }

    /** As {@link #end}, but acknowledgements leave before requests. */
    End endThatAcknowledgesFirst(Nic nic, CompletionChannel channel) {
        return new End(nic, channel, true);
    }

    /** Checks every frame of both sides against rules K1 to K13. For one connection at a time. */
    NicPair guarded() {
        KernelSafety leftSide = new KernelSafety(1024);
        KernelSafety rightSide = new KernelSafety(1024);
        toRight.emitted = leftSide;
        toRight.delivered = rightSide;
        toLeft.emitted = rightSide;
        toLeft.delivered = leftSide;
        return this;
    }

    /** Checks no frame any more. */
    NicPair unguarded() {
        toRight.emitted = null;
        toRight.delivered = null;
        toLeft.emitted = null;
        toLeft.delivered = null;
        return this;
    }

    void connect(End a, End b) {
        bring(a, b, 0xFFFFF0, 0x10);
        bring(b, a, 0x10, 0xFFFFF0);
    }

    private static void bring(End end, End peer, int sendPsn, int receivePsn) {
        end.pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
            | AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT));
        end.pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.nic.gid()), PathMtu.MTU_1024, peer.pair.number(),
            receivePsn));
        end.pair.modify(QueuePairAttributes.toReadyToSend(sendPsn));
    }

    long nowNs() {
        return nowNs;
    }

    /** Runs a number of steps of one microsecond each; returns the work done. */
    int steps(int count) {
        int work = 0;
        for (int i = 0; i < count; i++) {
            nowNs += 1000;
            work += leftNic.engine(0).poll(nowNs, toRight) + rightNic.engine(0).poll(nowNs, toLeft);
            work += toRight.deliver(rightNic, nowNs) + toLeft.deliver(leftNic, nowNs);
        }
        return work;
    }

    /** As {@link #steps}, while the right side stands still: its thread waits for a processor, its socket keeps what arrives. */
    void stepsOfLeft(int count) {
        for (int i = 0; i < count; i++) {
            nowNs += 1000;
            leftNic.engine(0).poll(nowNs, toRight);
            toLeft.deliver(leftNic, nowNs);
        }
    }

    /** Runs until both engines are idle. */
    void run() {
        int idle = 0;
        while (idle < 2) {
            idle = steps(1) == 0 ? idle + 1 : 0;
        }
    }
}
