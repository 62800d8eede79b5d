package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.Operation;
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
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** XRC through the verbs: what arrives where, and every way in which it is refused. */
class XrcTest {
    private final XrcPair pair = new XrcPair();

    private WorkRequest send(long id, int offset, int bytes) {
        return new WorkRequest().send().id(id).add(pair.region, offset, bytes);
    }

    private void fill(int offset, int bytes, int seed) {
        for (int i = 0; i < bytes; i++) {
            pair.memory.put(offset + i, (byte) (seed + i));
        }
    }

    private static void expect(ByteBuffer memory, int offset, int bytes, int seed) {
        for (int i = 0; i < bytes; i++) {
            assertEquals((byte) (seed + i), memory.get(offset + i), "byte " + i);
        }
    }

    private WorkCompletion done(long id) {
        WorkCompletion completion = XrcPair.take(pair.sent, id);
        assertTrue(completion.isSuccess(), completion::toString);
        return completion;
    }

    private List<AsyncEvent.Type> events(Nic nic) {
        List<AsyncEvent.Type> types = new ArrayList<>();
        for (AsyncEvent event = nic.pollAsyncEvent(); event != null; event = nic.pollAsyncEvent()) {
            types.add(event.type());
        }
        return types;
    }

    @Test
    @DisplayName("X2, X3: a SEND goes to the queue it names, its completion to that queue's completion queue")
    void aSendGoesToTheQueueItNames() {
        pair.first.post(1, 0, 4096);
        pair.second.post(2, 0, 4096);
        fill(0, 3000, 5);
        pair.post(send(10, 0, 3000), pair.second.queue);
        done(10);
        WorkCompletion received = pair.second.take(2);
        assertEquals(3000, received.byteLength());
        assertEquals(Operation.RECEIVE, received.operation());
        assertEquals(pair.target.number(), received.queuePairNumber());
        assertSame(pair.target, received.queuePair());
        expect(pair.second.memory, 0, 3000, 5);
        assertFalse(pair.first.completions.poll(new WorkCompletion()));
        assertEquals(1, pair.first.queue.size());
        pair.post(new WorkRequest().sendWithImmediate(0x01020304).id(11).add(pair.region, 8, 16), pair.first.queue);
        done(11);
        assertEquals(0x01020304, pair.first.take(1).immediate());
        expect(pair.first.memory, 0, 16, 13);
    }

    @Test
    @DisplayName("X4: WRITE, READ and atomics use the memory of the protection domain of the queue they name")
    void memoryBelongsToTheQueuesDomain() {
        fill(0, 5000, 9);
        pair.post(new WorkRequest().write(pair.second.region.address() + 64, pair.second.region.rKey()).id(1).add(pair.region, 0, 5000),
            pair.second.queue);
        done(1);
        expect(pair.second.memory, 64, 5000, 9);
        pair.post(new WorkRequest().read(pair.second.region.address() + 64, pair.second.region.rKey()).id(2)
            .add(pair.region, 8192, 5000), pair.second.queue);
        done(2);
        expect(pair.memory, 8192, 5000, 9);
        pair.first.memory.order(ByteOrder.nativeOrder()).putLong(0, 40);
        pair.memory.order(ByteOrder.nativeOrder());
        pair.post(new WorkRequest().fetchAndAdd(pair.first.region.address(), pair.first.region.rKey(), 2).id(3).add(pair.region, 0, 8),
            pair.first.queue);
        done(3);
        assertEquals(40, pair.memory.getLong(0));
        pair.post(new WorkRequest().compareAndSwap(pair.first.region.address(), pair.first.region.rKey(), 42, 7).id(4)
            .add(pair.region, 8, 8), pair.first.queue);
        done(4);
        assertEquals(42, pair.memory.getLong(8));
        assertEquals(7, pair.first.memory.getLong(0));
        pair.first.post(5, 0, 0);
        pair.post(new WorkRequest().writeWithImmediate(pair.first.region.address() + 100, pair.first.region.rKey(), 77).id(5)
            .add(pair.region, 0, 8), pair.first.queue);
        done(5);
        WorkCompletion received = pair.first.take(5);
        assertEquals(Operation.RECEIVE_RDMA_WITH_IMMEDIATE, received.operation());
        assertEquals(77, received.immediate());
    }

    @Test
    @DisplayName("X5, R20, R21: a WRITE, a FLUSH behind it and an ATOMIC_WRITE in the domain of the queue they name; inline, too")
    void placement() {
        MemoryRegion there = pair.second.region;
        pair.memory.order(ByteOrder.nativeOrder()).putLong(8, 0x0102030405060708L);
        fill(4096, 3000, 3);
        for (WorkRequest request : List.of(
            new WorkRequest().write(there.address() + 100, there.rKey()).id(1).add(pair.region, 4096, 3000),
            new WorkRequest().flush(there.address() + 100, there.rKey(), 3000, FlushType.GLOBAL, FlushLevel.RANGE).id(2),
            new WorkRequest().atomicWrite(there.address() + 8, there.rKey()).id(3).add(pair.region, 8, 8),
            new WorkRequest().flush(0, there.rKey(), 0, FlushType.GLOBAL, FlushLevel.REGION).id(4),
            new WorkRequest().atomicWrite(there.address() + 16, there.rKey()).id(5).inline(ByteBuffer.wrap(new byte[] {8, 7, 6, 5, 4, 3, 2,
                1})))) {
            pair.post(request, pair.second.queue);
            done(request.id());
        }
        assertEquals(0x0102030405060708L, pair.second.memory.order(ByteOrder.nativeOrder()).getLong(8));
        assertEquals(0x0807060504030201L, pair.second.memory.order(ByteOrder.BIG_ENDIAN).getLong(16));
        expect(pair.second.memory, 100, 3000, 3);
    }

    @Test
    @DisplayName("X4, X5: an ATOMIC_WRITE and a FLUSH of memory of the other queue's domain are refused; so is one for an unknown queue")
    void refusedPlacement() {
        List<WorkRequest> requests = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            XrcPair fresh = new XrcPair();
            MemoryRegion other = fresh.second.region;
            requests.add(new WorkRequest().atomicWrite(other.address(), other.rKey()).id(7).add(fresh.region, 0, 8));
            requests.add(new WorkRequest().flush(other.address(), other.rKey(), 8, FlushType.GLOBAL, FlushLevel.RANGE).id(7));
            requests.add(new WorkRequest().flush(0, other.rKey(), 0, FlushType.GLOBAL, FlushLevel.REGION).id(7));
            fresh.post(requests.get(4 * i), fresh.first.queue);
            assertEquals(CompletionStatus.REM_ACCESS_ERR, XrcPair.take(fresh.sent, 7).status());
            assertEquals(QueuePairState.ERROR, fresh.target.state());
        }
        assertTrue(pair.initiator.postSend(new WorkRequest().atomicWrite(0, 1).id(7).add(pair.region, 0, 8)
            .toSharedReceiveQueue(0x123456)));
        pair.nics.run();
        assertEquals(CompletionStatus.REM_INV_REQ_ERR, XrcPair.take(pair.sent, 7).status());
    }

    @Test
    @DisplayName("X5, Q16: a FLUSH over XRC that nobody answers leaves as specified each time, and its failure names no kernel")
    void anUnansweredFlushIsNeverCoveredTwice() {
        MemoryRegion there = pair.first.region;
        assertTrue(pair.initiator.postSend(new WorkRequest().flush(there.address(), there.rKey(), 8, FlushType.GLOBAL, FlushLevel.RANGE)
            .id(1).toSharedReceiveQueue(pair.first.queue.number())));
        WorkCompletion failed = new WorkCompletion();
        for (int i = 0; i < 10_000 && !pair.sent.poll(failed); i++) {
            pair.nics.stepsOfLeft(1000);
        }
        assertEquals(CompletionStatus.RETRY_EXC_ERR, failed.status());
        assertTrue(failed.explanation().contains("does not know FLUSH and drops it: "), failed.explanation());
        assertTrue(pair.nics.toRight.waiting() > 7, "retransmissions");
        assertEquals(0, pair.nics.toRight.coveredTwice());
    }

    @Test
    @DisplayName("X4: a key of the other queue's protection domain is refused with a remote access error")
    void aKeyOfAnotherDomainIsRefused() {
        pair.post(new WorkRequest().read(pair.second.region.address(), pair.second.region.rKey()).id(1).add(pair.region, 0, 8),
            pair.first.queue);
        WorkCompletion completion = XrcPair.take(pair.sent, 1);
        assertEquals(CompletionStatus.REM_ACCESS_ERR, completion.status());
        assertEquals(QueuePairState.ERROR, pair.target.state());
        assertTrue(events(pair.nics.rightNic).contains(AsyncEvent.Type.QP_ACCESS_ERR));
    }

    @Test
    @DisplayName("a SEND with invalidate ends a key of the domain of the queue it names")
    void sendWithInvalidate() {
        AllocatedRegion allocated = pair.first.domain.allocateRegion(1);
        allocated.map(0, ByteBuffer.allocateDirect(4096));
        // Registered through a queue pair of its domain; only the target's peer invalidates it.
        CompletionQueue queue = pair.nics.rightNic.createCompletionQueue(4);
        QueuePair local = pair.first.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue));
        local.modify(QueuePairAttributes.toInit(0));
        local.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(pair.nics.leftNic.gid()),
            PathMtu.MTU_1024, 0x4711, 0));
        local.modify(QueuePairAttributes.toReadyToSend(0));
        int key = allocated.nextKey();
        assertTrue(local.postSend(new WorkRequest().registerMemory(allocated, key, XrcPair.ACCESS).id(9)));
        pair.nics.run();
        assertTrue(XrcPair.take(queue, 9).isSuccess());
        pair.first.post(1, 0, 64);
        pair.post(new WorkRequest().sendWithInvalidate(key).id(2).add(pair.region, 0, 8), pair.first.queue);
        done(2);
        assertEquals(key, pair.first.take(1).invalidatedKey());
        pair.post(new WorkRequest().write(0, key).id(3).add(pair.region, 0, 8), pair.first.queue);
        assertEquals(CompletionStatus.REM_ACCESS_ERR, XrcPair.take(pair.sent, 3).status());
    }

    @Test
    @DisplayName("X2: a number that is no queue's, a queue of another XRC domain and a closed queue are refused")
    void wrongNumbers() {
        int unknown = pair.first.queue.number() ^ pair.second.queue.number() ^ 0x111;
        refused(unknown);
        XrcPair other = new XrcPair();
        XrcDomain elsewhere = other.nics.rightNic.openXrcDomain();
        XrcPair.Port port = new XrcPair.Port(other.nics.rightNic, elsewhere);
        port.post(1, 0, 64);
        assertTrue(other.initiator.postSend(new WorkRequest().send().id(4).toSharedReceiveQueue(port.queue.number())));
        other.nics.run();
        assertEquals(CompletionStatus.REM_INV_REQ_ERR, XrcPair.take(other.sent, 4).status());
        assertEquals(1, port.queue.size());
        XrcPair third = new XrcPair();
        int number = third.first.queue.number();
        third.first.post(1, 0, 64);
        third.first.queue.close();
        assertTrue(third.initiator.postSend(new WorkRequest().send().id(5).toSharedReceiveQueue(number)));
        third.nics.run();
        assertEquals(CompletionStatus.REM_INV_REQ_ERR, XrcPair.take(third.sent, 5).status());
    }

    private void refused(int number) {
        assertTrue(pair.initiator.postSend(new WorkRequest().send().id(3).toSharedReceiveQueue(number)));
        pair.nics.run();
        WorkCompletion completion = XrcPair.take(pair.sent, 3);
        assertEquals(CompletionStatus.REM_INV_REQ_ERR, completion.status());
        assertTrue(completion.explanation().contains("shared receive queue 0x" + Integer.toHexString(number)), completion.explanation());
        assertEquals(QueuePairState.ERROR, pair.target.state());
        AsyncEvent event = pair.nics.rightNic.pollAsyncEvent();
        while (event.type() != AsyncEvent.Type.QP_ACCESS_ERR) {
            event = pair.nics.rightNic.pollAsyncEvent();
        }
        assertSame(pair.target, event.queuePair());
        assertTrue(event.explanation().contains("0x" + Integer.toHexString(number)), event.explanation());
        assertTrue(event.explanation().contains("XRC domain"), event.explanation());
    }

    @Test
    @DisplayName("R8: an empty queue asks for a retry, whatever the other queues hold")
    void anEmptyQueueAsksForARetry() {
        pair.first.post(1, 0, 64);
        assertTrue(pair.initiator.postSend(send(2, 0, 8).toSharedReceiveQueue(pair.second.queue.number())));
        pair.nics.steps(50);
        assertFalse(pair.sent.poll(new WorkCompletion()));
        assertEquals(1, pair.nics.rightNic.counter(NicCounter.SEND_RNR_ERR));
        pair.second.post(3, 0, 64);
        pair.nics.steps(2000);
        done(2);
        pair.second.take(3);
        assertEquals(1, pair.first.queue.size());
    }

    @Test
    @DisplayName("each queue has a limit of its own")
    void limitEvents() {
        for (int i = 0; i < 3; i++) {
            pair.first.post(i, 0, 64);
            pair.second.post(i, 0, 64);
        }
        pair.second.queue.armLimit(2);
        pair.first.queue.armLimit(2);
        pair.post(send(1, 0, 8), pair.second.queue);
        pair.post(send(2, 0, 8), pair.second.queue);
        AsyncEvent event = pair.nics.rightNic.pollAsyncEvent();
        while (event.type() != AsyncEvent.Type.SRQ_LIMIT_REACHED) {
            event = pair.nics.rightNic.pollAsyncEvent();
        }
        assertSame(pair.second.queue, event.sharedReceiveQueue());
        assertEquals(2, pair.first.queue.limit());
        assertFalse(events(pair.nics.rightNic).contains(AsyncEvent.Type.SRQ_LIMIT_REACHED));
    }

    @Test
    @DisplayName("X1: X1, X5: nothing can be posted to a target, no receive to an initiator, and no operation that XRC lacks")
    void posts() {
        WorkRequest request = new WorkRequest().send().toSharedReceiveQueue(1);
        pair.target.modify(QueuePairAttributes.to(QueuePairState.RTS).timeout(14).sendPsn(0));
        String refusal = assertThrows(IllegalArgumentException.class, () -> pair.target.postSend(request)).getMessage();
        assertTrue(refusal.contains("no send queue"), refusal);
        assertThrows(IllegalStateException.class, () -> pair.target.postReceive(new ReceiveRequest()));
        refusal = assertThrows(IllegalStateException.class, () -> pair.initiator.postReceive(new ReceiveRequest())).getMessage();
        assertTrue(refusal.contains("receives nothing"), refusal);
        for (int number : new int[] {0, -1, 1 << 24}) {
            refusal = assertThrows(IllegalArgumentException.class,
                () -> pair.initiator.postSend(new WorkRequest().send().toSharedReceiveQueue(number))).getMessage();
            assertTrue(refusal.contains("toSharedReceiveQueue"), refusal);
        }
        refusal = assertThrows(IllegalArgumentException.class, () -> pair.initiator.postSend(new WorkRequest()
            .bindWindow(pair.leftDomain.allocateWindow(MemoryWindowType.TYPE_2), MemoryBinding.NONE).toSharedReceiveQueue(1)))
            .getMessage();
        assertTrue(refusal.contains("BIND_MW"), refusal);
        assertTrue(pair.target.toString().contains("no receive queue"), pair.target::toString);
        assertEquals("target", pair.target.attachment());
    }

    @Test
    @DisplayName("what does not fit together is refused when it is created")
    void creation() {
        Nic nic = pair.nics.rightNic;
        ProtectionDomain domain = nic.allocateProtectionDomain();
        CompletionQueue queue = nic.createCompletionQueue(4);
        assertThrows(IllegalArgumentException.class,
            () -> domain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_RECV, queue, queue)));
        assertThrows(IllegalArgumentException.class, () -> QueuePairConfig.of(QueuePairType.XRC_SEND, queue, queue)
            .withSharedReceiveQueue(domain.createSharedReceiveQueue(4, 1)));
        String refusal = assertThrows(IllegalArgumentException.class, () -> pair.first.domain.createQueuePair(
            QueuePairConfig.of(QueuePairType.RC, queue, queue).withSharedReceiveQueue(pair.first.queue))).getMessage();
        assertTrue(refusal.contains("XRC_RECV"), refusal);
        assertThrows(IllegalArgumentException.class,
            () -> domain.createSharedReceiveQueue(pair.nics.leftNic.openXrcDomain(), queue, 4, 1));
        assertThrows(IllegalArgumentException.class,
            () -> domain.createSharedReceiveQueue(pair.xrcDomain, pair.sent, 4, 1));
        assertThrows(IllegalArgumentException.class, () -> domain.createSharedReceiveQueue(pair.xrcDomain, queue, 0, 1));
        queue.close();
        assertThrows(IllegalStateException.class, () -> domain.createSharedReceiveQueue(pair.xrcDomain, queue, 4, 1));
        pair.xrcDomain.close();
        assertThrows(IllegalStateException.class, () -> pair.xrcDomain.createQueuePair());
        assertThrows(IllegalStateException.class, () -> pair.first.queue.postReceive(new ReceiveRequest()));
        assertThrows(IllegalStateException.class, () -> pair.target.modify(QueuePairAttributes.to(QueuePairState.RESET)));
        assertEquals(0, domain.createSharedReceiveQueue(4, 1).number());
        assertNotEquals(0, pair.first.queue.number());
    }

    @Test
    @DisplayName("X1: a request for an initiator and a response for a target are dropped")
    void wrongSide() {
        // Both ends are initiators, so that the request of one finds no responder.
        QueuePair second = pair.leftDomain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, pair.sent, pair.sent));
        CompletionQueue queue = pair.nics.rightNic.createCompletionQueue(4);
        ProtectionDomain domain = pair.nics.rightNic.allocateProtectionDomain();
        QueuePair third = domain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, queue, queue));
        initiate(second, third);
        assertTrue(second.postSend(new WorkRequest().send().id(1).toSharedReceiveQueue(1)));
        pair.nics.steps(50);
        assertTrue(pair.nics.rightNic.counter(DropReason.WRONG_XRC_SIDE) > 0);
        assertEquals(QueuePairState.RTS, third.state());
    }

    private void initiate(QueuePair from, QueuePair to) {
        for (QueuePair each : List.of(from, to)) {
            QueuePair peer = each == from ? to : from;
            Nic peerNic = each == from ? pair.nics.rightNic : pair.nics.leftNic;
            each.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE));
            each.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(peerNic.gid()))
                .pathMtu(PathMtu.MTU_1024).destinationQpn(peer.number()).receivePsn(0));
            each.modify(QueuePairAttributes.toReadyToSend(0));
        }
    }

    @Test
    @DisplayName("two initiators of one XRC domain share a queue; each completion has the number of its target")
    void twoInitiators() {
        QueuePair initiator = pair.leftDomain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, pair.sent, pair.sent));
        QueuePair target = pair.xrcDomain.createQueuePair();
        assertNull(target.attachment());
        pair.connect(initiator, target);
        SharedReceiveQueue queue = pair.first.queue;
        pair.first.post(1, 0, 64);
        pair.first.post(2, 64, 64);
        assertTrue(initiator.postSend(send(3, 0, 8).toSharedReceiveQueue(queue.number())));
        pair.nics.run();
        done(3);
        pair.post(send(4, 8, 8), queue);
        done(4);
        assertEquals(target.number(), pair.first.take(1).queuePairNumber());
        assertEquals(pair.target.number(), pair.first.take(2).queuePairNumber());
    }

    @Test
    @DisplayName("an XRC domain that is closed while a queue of it is created leaves none open")
    void closedWhileAQueueIsCreated() {
        AtomicReference<Runnable> onDraw = new AtomicReference<>(() -> { });
        Random random = new Random(7);
        Nic nic = new Nic(TestConfig.of(Gid.parse("10.0.0.3"), 4791, PathMtu.MTU_1024, 1), () -> {
            onDraw.get().run();
            return random.nextInt();
        }, List.of(SameThread.INLINE), MulticastPort.NONE, null);
        XrcDomain xrcDomain = nic.openXrcDomain();
        ProtectionDomain domain = nic.allocateProtectionDomain();
        CompletionQueue completions = nic.createCompletionQueue(4);
        onDraw.set(xrcDomain::close);
        String text = assertThrows(IllegalStateException.class,
            () -> domain.createSharedReceiveQueue(xrcDomain, completions, 4, 1)).getMessage();
        assertTrue(text.contains("XRC domain is closed"), text);
        assertTrue(xrcDomain.toString().contains(": 0 shared receive queues"), xrcDomain::toString);
        assertTrue(domain.toString().contains(" 0 shared receive queues"), domain::toString);
    }

    @Test
    @DisplayName("a READ goes on from the memory of its queue's domain while requests for another queue arrive")
    void aLongReadKeepsItsDomain() {
        for (int i = 0; i < 60_000; i++) {
            pair.second.memory.put(i, (byte) (i * 7));
        }
        pair.nics.toLeft.limit(3);
        pair.first.post(1, 0, 64);
        MemoryRegion second = pair.second.region;
        assertTrue(pair.initiator.postSend(new WorkRequest().read(second.address(), second.rKey()).id(1).add(pair.region, 0, 60_000)
            .toSharedReceiveQueue(pair.second.queue.number())));
        assertTrue(pair.initiator.postSend(new WorkRequest().send().id(2).add(pair.region, 60_000, 8)
            .toSharedReceiveQueue(pair.first.queue.number())));
        pair.nics.run();
        done(1);
        done(2);
        for (int i = 0; i < 60_000; i++) {
            assertEquals((byte) (i * 7), pair.memory.get(i));
        }
    }
}
