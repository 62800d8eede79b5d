package io.rxe.bench.micro;

import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.fault.VerbFaults;
import io.rxe.port.EcnOptions;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Two NICs of one engine each, connected through memory. One thread drives both. */
final class JoinedNics {
    static final int MEMORY_BYTES = 1 << 20;
    /** First PSN of both sides. */
    static final int FIRST_PSN = 1000;

    private static final EngineThread SAME_THREAD = new EngineThread() {
        @Override
        public void call(Runnable command) {
            command.run();
        }

        @Override
        public boolean isCurrent() {
            return true;
        }

        @Override
        public void report(String where, Throwable fault) {
            throw new AssertionError(where, fault);
        }

        @Override
        public void wake() {
            // The benchmark polls.
        }
    };

    /** One direction. */
    static final class Wire implements PacketSink {
        private static final int SLOTS = 256;
        private static final int SLOT_BYTES = 4352;

        private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOTS * SLOT_BYTES));
        private final int[] lengths = new int[SLOTS];
        private final Flow[] flows = new Flow[SLOTS];
        private final Icrc icrc = new Icrc();
        private int count;

        @Override
        public int claim(Flow flow, int lengthBytes) {
            if (count == SLOTS) {
                return FULL;
            }
            flows[count] = flow;
            lengths[count] = lengthBytes;
            return count * SLOT_BYTES;
        }

        @Override
        public MutableDirectBuffer buffer() {
            return buffer;
        }

        @Override
        public void commit() {
            int covered = lengths[count] - Icrc.LENGTH;
            int offset = count * SLOT_BYTES;
            Icrc.write(buffer, offset + covered, icrc.compute(buffer, offset, covered, flows[count].icrcSeed(), true, count));
            count++;
        }

        /** Delivers all frames to a NIC; returns their number. */
        int deliver(Nic nic, long nowNs) {
            int delivered = count;
            for (int i = 0; i < delivered; i++) {
                nic.engine(0).onPacket(buffer, i * SLOT_BYTES, lengths[i], flows[i], nowNs);
            }
            count = 0;
            return delivered;
        }

        /** Discards all frames; returns their number. */
        int discard() {
            int discarded = count;
            count = 0;
            return discarded;
        }
    }

    /** A NIC, and the resources of one program on it. */
    static final class Side {
        final Nic nic;
        final Gid gid;
        final QueuePair queuePair;
        final MemoryRegion region;
        private final CompletionQueue completions;
        private final WorkCompletion[] batch = new WorkCompletion[64];

        Side(String address, Random random) {
            gid = Gid.parse(address);
            nic = new Nic(new NicConfig(List.of(gid), AddressVector.ROCE_PORT, PathMtu.MTU_4096, 1,
                NicConfig.DEFAULT_WINDOW_BYTES, Set.of(),
                NicConfig.DEFAULT_REORDER_BYTES, NicConfig.DEFAULT_PATH_BYTES, PartitionKeys.DEFAULT, EcnOptions.OFF,
                CongestionOptions.DELAY, VerbFaults.NONE), random::nextInt,
                List.of(SAME_THREAD), MulticastPort.NONE, null);
            ProtectionDomain domain = nic.allocateProtectionDomain();
            completions = nic.createCompletionQueue(1024, null);
            queuePair = domain.createQueuePair(
                QueuePairConfig.of(QueuePairType.RC, completions, completions).withRequests(256, 256));
            region = domain.register(ByteBuffer.allocateDirect(MEMORY_BYTES),
                AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
            for (int i = 0; i < batch.length; i++) {
                batch[i] = new WorkCompletion();
            }
        }

        void connect(Side peer, PathMtu pathMtu) {
            queuePair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ));
            queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.gid, AddressVector.ROCE_PORT), pathMtu,
                peer.queuePair.number(), FIRST_PSN));
            queuePair.modify(QueuePairAttributes.toReadyToSend(FIRST_PSN));
        }

        /** Polls completions, which must all be successes; returns their number. */
        int takeCompletions() {
            int count = completions.poll(batch);
            for (int i = 0; i < count; i++) {
                if (!batch[i].isSuccess()) {
                    throw new IllegalStateException(batch[i].toString());
                }
            }
            return count;
        }
    }

    final Side left;
    final Side right;
    final Wire toRight = new Wire();
    final Wire toLeft = new Wire();
    private long nowNs;

    JoinedNics(PathMtu pathMtu) {
        Random random = new Random(7);
        left = new Side("10.0.0.1", random);
        right = new Side("10.0.0.2", random);
        left.connect(right, pathMtu);
        right.connect(left, pathMtu);
    }

    /** Advances time by a microsecond. */
    long tick() {
        nowNs += 1000;
        return nowNs;
    }

    /** Polls both NICs until neither has work; returns the frames delivered, both ways. */
    int run() {
        int frames = 0;
        int work;
        do {
            long nowNs = tick();
            work = left.nic.engine(0).poll(nowNs, toRight) + right.nic.engine(0).poll(nowNs, toLeft);
            frames += toRight.deliver(right.nic, nowNs) + toLeft.deliver(left.nic, nowNs);
        } while (work > 0);
        return frames;
    }
}
