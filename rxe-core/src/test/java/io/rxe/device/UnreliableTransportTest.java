package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** UC, UD, shared receive queues and multicast: two NICs joined by a link that loses the packets a test selects. */
public class UnreliableTransportTest {
    private static final int QUEUE_KEY = 0x1111_1111;
    private static final int BYTES = 1 << 16;

    private record Datagram(byte[] bytes, Flow flow) {
    }

    private static final class Link implements PacketSink {
        private final ArrayDeque<Datagram> queue = new ArrayDeque<>();
        private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
        private final Icrc icrc = new Icrc();
        private final List<Integer> lost = new ArrayList<>();
        private Flow flow;
        private int length;
        private int count;

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
            Icrc.write(buffer, covered, icrc.compute(buffer, 0, covered, flow.icrcSeed(), flow.isIpv4(), 0));
            byte[] bytes = new byte[length];
            buffer.getBytes(0, bytes);
            if (!lost.contains(count++)) {
                queue.add(new Datagram(bytes, flow));
            }
        }
    }

    private final Random random = new Random(11);
    private final List<Gid> joined = new ArrayList<>();
    private boolean refusesGroups;
    private final MulticastPort multicast = new MulticastPort() {
        @Override
        public void joinMulticast(Gid group) {
            if (refusesGroups) {
                throw new IllegalStateException("test: the port has no more groups");
            }
            joined.add(group);
        }

        @Override
        public void leaveMulticast(Gid group) {
            joined.remove(group);
        }
    };
    private final Nic left = nic("10.0.0.1");
    private final Nic right = nic("10.0.0.2");
    private final Link toRight = new Link();
    private final Link toLeft = new Link();
    private final WorkCompletion wc = new WorkCompletion();
    private long nowNs;

    private Nic nic(String address) {
        return new Nic(TestConfig.of(Gid.parse(address), 4791, PathMtu.MTU_1024, 1), random::nextInt, List.of(SameThread.INLINE),
            multicast, null);
    }

    private final class End {
        private final ProtectionDomain domain;
        private final CompletionQueue queue;
        private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
        private final MemoryRegion region;

        End(Nic nic) {
            domain = nic.allocateProtectionDomain();
            queue = nic.createCompletionQueue(256);
            region = domain.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
            for (int i = 0; i < BYTES; i++) {
                memory.put(i, (byte) random.nextInt());
            }
        }

        QueuePair create(QueuePairType type) {
            return domain.createQueuePair(QueuePairConfig.of(type, queue, queue));
        }

        CompletionStatus next() {
            assertTrue(queue.poll(wc), "no completion");
            return wc.status();
        }
    }

    private final End a = new End(left);
    private final End b = new End(right);

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
        for (Datagram datagram = link.queue.poll(); datagram != null; datagram = link.queue.poll()) {
            nic.engine(0).onPacket(new UnsafeBuffer(datagram.bytes), 0, datagram.bytes.length, datagram.flow, nowNs);
            count++;
        }
        return count;
    }

    private static void connect(QueuePair from, Nic toNic, QueuePair to) {
        from.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
        QueuePairAttributes rtr = QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(toNic.gid()))
            .pathMtu(PathMtu.MTU_1024).destinationQpn(to.number()).receivePsn(0xFFFFFE);
        if (from.type() == QueuePairType.RC) {
            rtr.maxDestRdAtomic(1).minRnrTimer(12);
        }
        from.modify(rtr);
        from.modify(from.type() == QueuePairType.RC ? QueuePairAttributes.toReadyToSend(0xFFFFFE)
            : QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0xFFFFFE));
    }

    private static void open(QueuePair pair) {
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(QUEUE_KEY));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(5));
    }

    @Test
    void ucMovesSendsAndWrites() {
        QueuePair x = a.create(QueuePairType.UC);
        QueuePair y = b.create(QueuePairType.UC);
        connect(x, right, y);
        connect(y, left, x);
        y.postReceive(new ReceiveRequest().id(1).add(b.region, 0, 8000));
        y.postReceive(new ReceiveRequest().id(2));
        x.postSend(new WorkRequest().id(10).sendWithImmediate(42).add(a.region, 0, 5000));
        x.postSend(new WorkRequest().id(11).write(b.region.address() + 10000, b.region.rKey()).add(a.region, 100, 3000));
        x.postSend(new WorkRequest().id(12).writeWithImmediate(b.region.address() + 20000, b.region.rKey(), 7).add(a.region, 0, 1));
        run();
        for (int id = 10; id <= 12; id++) {
            assertEquals(CompletionStatus.SUCCESS, a.next());
            assertEquals(id, wc.workRequestId());
        }
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(42, wc.immediate());
        assertEquals(5000, wc.byteLength());
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(7, wc.immediate());
        assertEquals(a.memory.slice(0, 5000), b.memory.slice(0, 5000));
        assertEquals(a.memory.slice(100, 3000), b.memory.slice(10000, 3000));
        assertTrue(toLeft.queue.isEmpty());
        assertEquals(0, right.counter(NicCounter.SENT_PKTS), "UC never sends a response");
    }

    @Test
    @DisplayName("S1 a lost UC packet discards its message up to the next first or only packet, without a reply")
    void ucDiscardsAMessageWithAGap() {
        QueuePair x = a.create(QueuePairType.UC);
        QueuePair y = b.create(QueuePairType.UC);
        connect(x, right, y);
        connect(y, left, x);
        toRight.lost.add(1);
        for (int i = 0; i < 3; i++) {
            y.postReceive(new ReceiveRequest().id(i).add(b.region, i * 8000L, 8000));
        }
        x.postSend(new WorkRequest().id(10).send().add(a.region, 0, 3000));
        x.postSend(new WorkRequest().id(11).send().add(a.region, 3000, 100));
        x.postSend(new WorkRequest().id(12).send().add(a.region, 4000, 2500));
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(0, wc.workRequestId(), "the next message must use the receive request of the lost one");
        assertEquals(100, wc.byteLength());
        assertEquals(a.memory.slice(3000, 100), b.memory.slice(0, 100));
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(2500, wc.byteLength());
        assertFalse(b.queue.poll(wc));
        assertEquals(1, right.counter(DropReason.MESSAGE_INCOMPLETE));
        assertEquals(QueuePairState.RTS, y.state());
    }

    @Test
    @DisplayName("S1 R8 a UC SEND that lost a packet leaves its receive request to the next SEND; a WRITE without immediate takes none")
    void ucAWriteBehindALostSendCompletesNoReceive() {
        QueuePair x = a.create(QueuePairType.UC);
        QueuePair y = b.create(QueuePairType.UC);
        connect(x, right, y);
        connect(y, left, x);
        toRight.lost.add(1);
        y.postReceive(new ReceiveRequest().id(1).add(b.region, 0, 8000));
        x.postSend(new WorkRequest().id(10).send().add(a.region, 0, 3000));
        x.postSend(new WorkRequest().id(11).write(b.region.address() + 10000, b.region.rKey()).add(a.region, 0, 64));
        run();
        assertFalse(b.queue.poll(wc), () -> "the WRITE completed a receive request: " + wc);
        x.postSend(new WorkRequest().id(12).send().add(a.region, 3000, 100));
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(1, wc.workRequestId());
        assertEquals(100, wc.byteLength());
    }

    @Test
    void ucDropsAWriteWithAWrongKeyAndGoesOn() {
        QueuePair x = a.create(QueuePairType.UC);
        QueuePair y = b.create(QueuePairType.UC);
        connect(x, right, y);
        connect(y, left, x);
        y.postReceive(new ReceiveRequest().id(1).add(b.region, 0, 100));
        x.postSend(new WorkRequest().id(10).write(b.region.address(), b.region.rKey() + 1).add(a.region, 0, 64));
        x.postSend(new WorkRequest().id(11).send().add(a.region, 0, 64));
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(1, right.counter(DropReason.REFUSED_MESSAGE));
    }

    @Test
    void udDeliversTheGrhAndTheSender() {
        QueuePair x = a.create(QueuePairType.UD);
        QueuePair y = b.create(QueuePairType.UD);
        open(x);
        open(y);
        y.postReceive(new ReceiveRequest().id(1).add(b.region, 0, 1064));
        x.postSend(new WorkRequest().id(10).sendWithImmediate(3).add(a.region, 0, 1000)
            .to(a.domain.createAddressHandle(new AddressVector(right.gid(), AddressVector.ROCE_PORT, 0xB9, 64)), y.number(), QUEUE_KEY));
        run();
        assertEquals(CompletionStatus.SUCCESS, a.next());
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(1040, wc.byteLength());
        assertEquals(x.number(), wc.sourceQueuePairNumber());
        assertTrue(wc.hasGrh());
        assertEquals(3, wc.immediate());
        assertEquals(a.memory.slice(0, 1000), b.memory.slice(40, 1000));
        assertEquals(left.gid(), AddressVector.ofSender(b.memory).destination());
        assertEquals(0xB8, AddressVector.ofSender(b.memory).trafficClass());
        assertEquals(0x45, b.memory.get(20));
    }

    @Test
    void udChecksTheQueueKeyAndTheHighBitSelectsItsOwn() {
        QueuePair x = a.create(QueuePairType.UD);
        QueuePair y = b.create(QueuePairType.UD);
        open(x);
        open(y);
        y.postReceive(new ReceiveRequest().id(1).add(b.region, 0, 1064));
        var handle = a.domain.createAddressHandle(AddressVector.to(right.gid()));
        x.postSend(new WorkRequest().id(10).send().add(a.region, 0, 8).to(handle, y.number(), QUEUE_KEY + 1));
        run();
        assertFalse(b.queue.poll(wc));
        assertEquals(1, right.counter(DropReason.WRONG_QUEUE_KEY));
        x.postSend(new WorkRequest().id(11).send().add(a.region, 0, 8).to(handle, y.number(), 0x8000_0000));
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
    }

    @Test
    void udRejectsMessagesLongerThanAPacket() {
        QueuePair x = a.create(QueuePairType.UD);
        open(x);
        WorkRequest request = new WorkRequest().send().add(a.region, 0, 1025)
            .to(a.domain.createAddressHandle(AddressVector.to(right.gid())), 17, QUEUE_KEY);
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> x.postSend(request));
        assertTrue(error.getMessage().contains("1025 bytes > port MTU 1024"), error.getMessage());
    }

    @Test
    @DisplayName("S1 a datagram longer than the receive request is dropped and counted; the request serves the next one")
    void udDropsADatagramThatDoesNotFit() {
        QueuePair x = a.create(QueuePairType.UD);
        QueuePair y = b.create(QueuePairType.UD);
        open(x);
        open(y);
        y.postReceive(new ReceiveRequest().id(7).add(b.region, 0, 40 + 8));
        y.postReceive(new ReceiveRequest().id(8).add(b.region, 100, 40 + 8));
        AddressHandle toRight = a.domain.createAddressHandle(AddressVector.to(right.gid()));
        for (int length : new int[] {9, 8, 9}) {
            x.postSend(new WorkRequest().send().add(a.region, 0, length).to(toRight, y.number(), QUEUE_KEY));
        }
        run();
        assertEquals(2, right.counter(DropReason.RECEIVE_TOO_SHORT));
        assertEquals(QueuePairState.RTS, y.state());
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(7, wc.workRequestId());
        assertEquals(48, wc.byteLength());
        y.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        run();
        assertEquals(CompletionStatus.WR_FLUSH_ERR, b.next());
        assertEquals(8, wc.workRequestId());
    }

    @Test
    void udWithoutAReceiveRequestDropsAndCounts() {
        QueuePair x = a.create(QueuePairType.UD);
        QueuePair y = b.create(QueuePairType.UD);
        open(x);
        open(y);
        x.postSend(new WorkRequest().send().add(a.region, 0, 8)
            .to(a.domain.createAddressHandle(AddressVector.to(right.gid())), y.number(), QUEUE_KEY));
        run();
        assertEquals(1, right.counter(DropReason.NO_RECEIVE_REQUEST));
        assertEquals(QueuePairState.RTS, y.state());
    }

    @Test
    void multicastReachesEveryMemberAndNoOther() {
        Gid group = Gid.parse("239.1.2.3");
        QueuePair x = a.create(QueuePairType.UD);
        QueuePair y = b.create(QueuePairType.UD);
        QueuePair z = b.create(QueuePairType.UD);
        QueuePair outsider = b.create(QueuePairType.UD);
        List.of(x, y, z, outsider).forEach(UnreliableTransportTest::open);
        y.attachMulticast(group);
        z.attachMulticast(group);
        assertEquals(List.of(group, group), joined);
        for (QueuePair pair : List.of(y, z, outsider)) {
            pair.postReceive(new ReceiveRequest().id(pair.number()).add(b.region, 0, 200));
        }
        WorkRequest datagram = new WorkRequest().send().add(a.region, 0, 100)
            .to(a.domain.createAddressHandle(AddressVector.to(group)), 0xFFFFFF, QUEUE_KEY);
        x.postSend(datagram);
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(y.number(), wc.workRequestId());
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(z.number(), wc.workRequestId());
        assertFalse(b.queue.poll(wc));
        y.detachMulticast(group);
        z.close();
        assertEquals(List.of(), joined);
        x.postSend(datagram);
        run();
        assertEquals(1, right.counter(DropReason.UNKNOWN_QUEUE_PAIR));
    }

    @Test
    void aGroupThatThePortRejectsCanBeJoinedLater() {
        Gid group = Gid.parse("239.1.2.3");
        QueuePair x = b.create(QueuePairType.UD);
        open(x);
        refusesGroups = true;
        assertThrows(IllegalStateException.class, () -> x.attachMulticast(group));
        refusesGroups = false;
        x.attachMulticast(group);
        assertEquals(List.of(group), joined);
        x.close();
        assertEquals(List.of(), joined);
    }

    @Test
    void aSharedReceiveQueueServesSeveralQueuePairsAndReportsItsLimit() {
        SharedReceiveQueue shared = b.domain.createSharedReceiveQueue(8, 2);
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, b.queue, b.queue).withSharedReceiveQueue(shared);
        QueuePair x1 = a.create(QueuePairType.RC);
        QueuePair x2 = a.create(QueuePairType.RC);
        QueuePair y1 = b.domain.createQueuePair(config);
        QueuePair y2 = b.domain.createQueuePair(config);
        connect(x1, right, y1);
        connect(y1, left, x1);
        connect(x2, right, y2);
        connect(y2, left, x2);
        for (int i = 0; i < 4; i++) {
            assertTrue(shared.postReceive(new ReceiveRequest().id(i).add(b.region, i * 4096L, 4096)));
        }
        shared.armLimit(2);
        x1.postSend(new WorkRequest().send().add(a.region, 0, 3000));
        x2.postSend(new WorkRequest().send().add(a.region, 0, 3000));
        x1.postSend(new WorkRequest().send().add(a.region, 0, 10));
        run();
        for (int i = 0; i < 3; i++) {
            assertEquals(CompletionStatus.SUCCESS, b.next());
        }
        AsyncEvent event = limitEvent();
        assertNotNull(event);
        assertEquals(shared, event.sharedReceiveQueue());
        assertEquals(0, shared.limit());
        assertEquals(1, shared.size());
        shared.resize(32);
        assertEquals(32, shared.capacity());
        x2.postSend(new WorkRequest().send().add(a.region, 0, 10));
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(3, wc.workRequestId());
    }

    /** Its requests name memory of its own domain, and remote keys grant memory of the queue pair's. */
    @ParameterizedTest
    @EnumSource(names = {"RC", "UC"})
    void aSharedReceiveQueueMayBeOfAnotherDomain(QueuePairType type) {
        ProtectionDomain other = right.allocateProtectionDomain();
        ByteBuffer memory = ByteBuffer.allocateDirect(64);
        MemoryRegion ofOther = other.register(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE, 0, memory);
        SharedReceiveQueue shared = other.createSharedReceiveQueue(8, 1);
        QueuePair x = a.create(type);
        QueuePair y = b.domain.createQueuePair(QueuePairConfig.of(type, b.queue, b.queue).withSharedReceiveQueue(shared));
        connect(x, right, y);
        connect(y, left, x);
        assertTrue(shared.postReceive(new ReceiveRequest().add(ofOther, 0, 64)));
        x.postSend(new WorkRequest().send().add(a.region, 0, 64));
        x.postSend(new WorkRequest().write(b.region.address(), b.region.rKey()).add(a.region, 0, 8));
        run();
        assertEquals(CompletionStatus.SUCCESS, b.next());
        assertEquals(QueuePairState.RTS, y.state());
        if (type == QueuePairType.RC) {
            x.postSend(new WorkRequest().write(ofOther.address(), ofOther.rKey()).add(a.region, 0, 8));
            run();
            assertEquals(QueuePairState.ERROR, x.state(), "a remote key of the shared receive queue's domain grants nothing");
        }
    }

    private AsyncEvent limitEvent() {
        for (AsyncEvent event = right.pollAsyncEvent(); event != null; event = right.pollAsyncEvent()) {
            if (event.type() == AsyncEvent.Type.SRQ_LIMIT_REACHED) {
                return event;
            }
        }
        return null;
    }

    @Test
    void aFailedQueuePairWithASharedQueueReportsItsLastRequest() {
        SharedReceiveQueue shared = b.domain.createSharedReceiveQueue(8, 2);
        QueuePair y = b.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, b.queue, b.queue).withSharedReceiveQueue(shared));
        QueuePair x = a.create(QueuePairType.RC);
        connect(y, left, x);
        shared.postReceive(new ReceiveRequest().id(1).add(b.region, 0, 64));
        y.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        run();
        assertFalse(b.queue.poll(wc), "requests in the shared queue are not flushed");
        assertEquals(AsyncEvent.Type.QP_LAST_WQE_REACHED, right.pollAsyncEvent().type());
        assertEquals(1, shared.size());
    }
}
