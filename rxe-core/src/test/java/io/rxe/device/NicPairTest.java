package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Two NICs joined by a perfect link in virtual time: the data path end to end without a socket. */
class NicPairTest {
    private static final EngineThread INLINE = new EngineThread() {
        @Override
        public void call(Runnable command) {
            command.run();
        }

        @Override
        public void wake() {
            // The test polls.
        }
    };

    private record Datagram(byte[] bytes, Flow flow) {
    }

    private static final class Link implements PacketSink {
        private final ArrayDeque<Datagram> queue = new ArrayDeque<>();
        private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
        private final Icrc icrc = new Icrc();
        private Flow flow;
        private int length;

        @Override
        public int claim(Flow newFlow, int lengthBytes) {
            flow = newFlow;
            length = lengthBytes;
            return 0;
        }

        @Override
        public MutableDirectBuffer buffer() {
            return buffer;
        }

        @Override
        public void commit() {
            int covered = length - Icrc.LENGTH;
            Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, flow.icrcSeed(), flow.isIpv4(), 0x1234));
            byte[] bytes = new byte[length];
            buffer.getBytes(0, bytes);
            queue.add(new Datagram(bytes, flow));
        }
    }

    private final Random random = new Random(7);
    private final Nic left = new Nic(new NicConfig(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(INLINE));
    private final Nic right = new Nic(new NicConfig(Gid.parse("10.0.0.2"), 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(INLINE));
    private final Link toRight = new Link();
    private final Link toLeft = new Link();
    private long nowNs;

    private void run() {
        int idle = 0;
        while (idle < 2) {
            nowNs += 1000;
            int work = left.engine(0).poll(nowNs, toRight) + right.engine(0).poll(nowNs, toLeft);
            work += deliver(toRight, right) + deliver(toLeft, left);
            idle = work == 0 ? idle + 1 : 0;
        }
    }

    private int deliver(Link link, Nic nic) {
        int count = 0;
        while (!link.queue.isEmpty()) {
            Datagram datagram = link.queue.poll();
            UnsafeBuffer buffer = new UnsafeBuffer(datagram.bytes);
            nic.engine(0).onPacket(buffer, 0, datagram.bytes.length, datagram.flow, nowNs);
            count++;
        }
        return count;
    }

    private final class End {
        private final ProtectionDomain domain;
        private final CompletionQueue queue;
        private final QueuePair pair;
        private final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 21);
        private final MemoryRegion region;

        End(Nic nic) {
            domain = nic.allocateProtectionDomain();
            queue = nic.createCompletionQueue(256);
            pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue));
            region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
                | AccessFlags.REMOTE_ATOMIC);
        }

        void connect(Nic peerNic, End peer, int sendPsn, int receivePsn) {
            pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
            pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peerNic.gid()), PathMtu.MTU_1024, peer.pair.number(),
                receivePsn));
            pair.modify(QueuePairAttributes.toReadyToSend(sendPsn));
        }
    }

    @Test
    void everyOperationMovesItsData() {
        End a = new End(left);
        End b = new End(right);
        a.connect(right, b, 0xFFFFF0, 0x10);
        b.connect(left, a, 0x10, 0xFFFFF0);
        for (int size : new int[] {0, 1, 1023, 1024, 1025, 65536, 1 << 20}) {
            for (int i = 0; i < 1 << 20; i++) {
                a.memory.put(i, (byte) random.nextInt());
            }
            assertTrue(b.pair.postReceive(new ReceiveRequest().id(9).add(b.region, 0, 1 << 20)));
            assertTrue(a.pair.postSend(new WorkRequest().id(1).sendWithImmediate(77).add(a.region, 0, size)));
            run();
            WorkCompletion wc = new WorkCompletion();
            assertTrue(a.queue.poll(wc), () -> "no completion");
            assertEquals(CompletionStatus.SUCCESS, wc.status(), wc::toString);
            assertTrue(b.queue.poll(wc));
            assertEquals(CompletionStatus.SUCCESS, wc.status(), wc::toString);
            assertEquals(size, wc.byteLength());
            assertEquals(77, wc.immediate());
            assertEquals(a.memory.slice(0, size), b.memory.slice(0, size));
            assertTrue(a.pair.postSend(new WorkRequest().id(2).write(b.region.address() + (1 << 20), b.region.rKey())
                .add(a.region, 0, size)));
            assertTrue(a.pair.postSend(new WorkRequest().id(3).read(b.region.address() + (1 << 20), b.region.rKey())
                .add(a.region, 1 << 20, size)));
            run();
            assertTrue(a.queue.poll(wc));
            assertEquals(CompletionStatus.SUCCESS, wc.status(), wc::toString);
            assertTrue(a.queue.poll(wc));
            assertEquals(CompletionStatus.SUCCESS, wc.status(), wc::toString);
            assertEquals(a.memory.slice(0, size), a.memory.slice(1 << 20, size));
        }
    }
}
