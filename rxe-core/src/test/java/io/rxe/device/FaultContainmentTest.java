package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.port.QueuePairObserver;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryBinding;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is thrown on an engine's thread fails the queue pair that caused it, with a true status and an event, and no other. */
class FaultContainmentTest {
    private static final int PAGE = 4096;
    private static final int FILE_BYTES = 64 * PAGE;

    /** A sink that throws for packets to one queue pair: stands for any error in the middle of a task. */
    private static final class ThrowingSink extends ForwardingSink {
        private final Error error;
        private boolean armed = true;

        ThrowingSink(PacketSink next, Error error) {
            super(next);
            this.error = error;
        }

        @Override
        public int claim(Flow flow, int lengthBytes) {
            if (armed) {
                armed = false;
                throw error;
            }
            return super.claim(flow, lengthBytes);
        }
    }

    private final Reporting reports = new Reporting();
    private final NicPair nics = new NicPair(reports);
    private final NicPair.End otherLeft = nics.end(nics.leftNic, null);
    private final NicPair.End otherRight = nics.end(nics.rightNic, null);

    FaultContainmentTest() {
        nics.connect(otherLeft, otherRight);
    }

    private void othersGoOn() {
        otherLeft.post(new WorkRequest().id(77).write(otherRight.region.address(), otherRight.region.rKey())
            .add(otherLeft.region, 0, 5000));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, otherLeft.take(77).status());
    }

    private static AsyncEvent event(Nic nic, AsyncEvent.Type type) {
        AsyncEvent event = nic.pollAsyncEvent();
        while (event != null && event.type() != type) {
            event = nic.pollAsyncEvent();
        }
        assertNotNull(event, () -> "no " + type);
        return event;
    }

    @Test
    @DisplayName("an Error in the poll of a queue pair fails that queue pair, flushes it and says why; the others go on")
    void anErrorInAPollFailsItsQueuePair() {
        assertTrue(nics.left.pair.postReceive(new ReceiveRequest().id(3).add(nics.left.region, 0, 8)));
        nics.left.post(new WorkRequest().id(1).write(nics.right.region.address(), nics.right.region.rKey()).add(nics.left.region, 0, 8));
        nics.leftNic.engine(0).poll(nics.nowNs(), new ThrowingSink(nics.toRight, new OutOfMemoryError("planted")));
        assertEquals(QueuePairState.ERROR, nics.left.pair.state());
        nics.run();
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(1).status());
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(3).status());
        AsyncEvent event = event(nics.leftNic, AsyncEvent.Type.QP_FATAL);
        assertEquals(nics.left.pair, event.queuePair());
        assertTrue(event.explanation().contains("OutOfMemoryError: planted"), event::explanation);
        assertEquals(1, reports.sentences().size(), reports.sentences()::toString);
        assertTrue(reports.sentences().get(0).contains("0x" + Integer.toHexString(nics.left.pair.number())), reports.sentences()::toString);
        nics.left.post(new WorkRequest().id(4).write(nics.right.region.address(), nics.right.region.rKey()).add(nics.left.region, 0, 8));
        nics.run();
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(4).status());
        othersGoOn();
    }

    @Test
    @DisplayName("a queue pair that failed with an Error works again after a reset")
    void aResetEndsTheFault() {
        nics.left.post(new WorkRequest().id(1).write(nics.right.region.address(), nics.right.region.rKey()).add(nics.left.region, 0, 8));
        nics.leftNic.engine(0).poll(nics.nowNs(), new ThrowingSink(nics.toRight, new StackOverflowError("planted")));
        nics.run();
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(1).status());
        nics.left.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        nics.right.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        nics.connect(nics.left, nics.right);
        nics.left.post(new WorkRequest().id(2).write(nics.right.region.address(), nics.right.region.rKey()).add(nics.left.region, 0, 8));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, nics.left.take(2).status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"modify", "drain", "fail"})
    @DisplayName("a queue pair is flushed although memory ends while a verb moves it to ERROR")
    void memoryEndsOnTheWayToError(String verb) {
        assertTrue(nics.left.pair.postReceive(new ReceiveRequest().id(3).add(nics.left.region, 0, 8)));
        nics.run();
        AtomicInteger failures = new AtomicInteger(1);
        nics.leftNic.engine(0).observe((event, nowNs, qpn, psn, value) -> {
            if (event == EngineEvent.STATE_CHANGE && failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("planted");
            }
        });
        NicQueuePair pair = (NicQueuePair) nics.left.pair;
        assertThrows(OutOfMemoryError.class, () -> {
            switch (verb) {
                case "modify" -> pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
                case "drain" -> pair.drain();
                default -> pair.fail("planted");
            }
        });
        nics.run();
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(3).status());
    }

    @Test
    @DisplayName("where memory ends as a shared receive queue reaches its limit, neither the request nor the limit is lost")
    void memoryEndsAtALimit() {
        SharedReceiveQueue shared = nics.right.domain.createSharedReceiveQueue(4, 1);
        QueuePair to = nics.right.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, nics.right.queue, nics.right.queue)
            .withSharedReceiveQueue(shared));
        NicPair.End from = nics.end(nics.leftNic, null);
        connect(from.pair, nics.rightNic, to.number());
        connect(to, nics.leftNic, from.pair.number());
        assertTrue(shared.postReceive(new ReceiveRequest().id(1).add(nics.right.region, 0, 8)));
        shared.armLimit(1);
        nics.rightNic.onAsyncEvent(event -> {
            if (event.type() == AsyncEvent.Type.SRQ_LIMIT_REACHED) {
                throw new OutOfMemoryError("planted");
            }
        });
        from.post(new WorkRequest().send().add(from.region, 0, 8));
        nics.run();
        assertEquals(1, shared.size());
        assertEquals(1, shared.limit());
        othersGoOn();
    }

    @Test
    @DisplayName("where memory ends as DEVICE_FATAL is queued, it is not lost")
    void memoryEndsAtTheFatalEvent() {
        NicInspection.endMemoryOfEvents(nics.leftNic);
        for (int attempt = 0; attempt < 2; attempt++) {
            nics.leftNic.engine(0).fail(new OutOfMemoryError("planted"));
        }
        event(nics.leftNic, AsyncEvent.Type.DEVICE_FATAL);
        assertNull(nics.leftNic.pollAsyncEvent());
    }

    @Test
    @DisplayName("a binding that throws, as where memory ends, keeps no hold on its region")
    void aBindingThatThrowsHoldsNothing() {
        MemoryRegion region = nics.left.domain.register(nics.left.memory, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
        NicInspection.breakMemory(NicInspection.region(nics.leftNic, region.rKey()));
        MemoryWindow window = nics.left.domain.allocateWindow(MemoryWindowType.TYPE_2);
        nics.left.post(new WorkRequest().id(1).bindWindow(window, window.nextRKey(),
            MemoryBinding.of(region, AccessFlags.REMOTE_ATOMIC)));
        nics.run();
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(1).status());
        region.deregister();
    }

    @ParameterizedTest(name = "an Error: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("a listener that throws at the limit of a shared receive queue fails one of its queue pairs, not each")
    void aListenerThrowsAtALimit(boolean isError) {
        SharedReceiveQueue shared = nics.right.domain.createSharedReceiveQueue(4, 1);
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, nics.right.queue, nics.right.queue).withSharedReceiveQueue(shared);
        List<QueuePair> pairs = List.of(nics.right.domain.createQueuePair(config), nics.right.domain.createQueuePair(config));
        assertTrue(shared.postReceive(new ReceiveRequest().id(1).add(nics.right.region, 0, 8)));
        shared.armLimit(1);
        nics.rightNic.onAsyncEvent(event -> {
            if (event.type() == AsyncEvent.Type.SRQ_LIMIT_REACHED && isError) {
                throw new AssertionError("planted");
            } else if (event.type() == AsyncEvent.Type.SRQ_LIMIT_REACHED) {
                throw new IllegalStateException("planted");
            }
        });
        for (QueuePair to : pairs) {
            NicPair.End from = nics.end(nics.leftNic, null);
            connect(from.pair, nics.rightNic, to.number());
            connect(to, nics.leftNic, from.pair.number());
            from.post(new WorkRequest().send().add(from.region, 0, 8));
            nics.run();
        }
        assertEquals(List.of(QueuePairState.ERROR, QueuePairState.RTS), pairs.stream().map(QueuePair::state).toList());
        assertEquals(0, shared.size());
        othersGoOn();
    }

    private static void connect(QueuePair queuePair, Nic peer, int peerNumber) {
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer.gid()), PathMtu.MTU_1024, peerNumber, 0));
        queuePair.modify(QueuePairAttributes.toReadyToSend(0));
    }

    @Test
    @DisplayName("an Error thrown by a listener is reported, and harms no queue pair")
    void aListenerThatThrowsHarmsNobody() {
        CompletionChannel throwing = CompletionChannel.calling(queue -> {
            throw new StackOverflowError("planted");
        });
        NicPair.End a = nics.end(nics.leftNic, throwing);
        NicPair.End b = nics.end(nics.rightNic, null);
        nics.connect(a, b);
        a.queue.requestNotification(false);
        a.post(new WorkRequest().id(1).write(b.region.address(), b.region.rKey()).add(a.region, 0, 8));
        nics.run();
        assertEquals(CompletionStatus.SUCCESS, a.take(1).status());
        assertEquals(List.of("the listener of a completion channel: java.lang.StackOverflowError: planted"), reports.sentences());
        assertEquals(QueuePairState.RTS, a.pair.state());
        othersGoOn();
    }

    /** What touches the truncated file, and on which side. */
    private enum Access {
        SEND, WRITE, READ_INTO, ATOMIC_INTO, RECEIVE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC
    }

    @ParameterizedTest
    @EnumSource(Access.class)
    @DisplayName("a truncated mapped file fails the request that names it, with a true status, and no other queue pair")
    void aTruncatedFileFailsTheRequestThatNamesIt(Access access, @TempDir Path directory) throws IOException {
        try (FileChannel file = FileChannel.open(directory.resolve("mapped"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES);
            boolean isRemote = access.ordinal() >= Access.RECEIVE.ordinal();
            NicPair.End owner = isRemote ? nics.right : nics.left;
            MemoryRegion region = owner.domain.register(mapped, AccessFlags.ALL);
            file.truncate(PAGE);
            start(access, region);
            nics.run();
            WorkCompletion completion = nics.left.take(1);
            CompletionStatus expected = isRemote ? CompletionStatus.REM_OP_ERR : CompletionStatus.LOC_PROT_ERR;
            assertEquals(expected, completion.status(), completion::toString);
            if (access == Access.RECEIVE) {
                WorkCompletion received = nics.right.take(2);
                assertEquals(CompletionStatus.LOC_PROT_ERR, received.status());
                assertTrue(received.explanation().contains("truncate"), received::explanation);
            } else if (!isRemote) {
                assertTrue(completion.explanation().contains("truncate"), completion::explanation);
            } else {
                AsyncEvent event = event(owner.nic, AsyncEvent.Type.QP_ACCESS_ERR);
                assertEquals(owner.pair, event.queuePair());
                assertTrue(event.explanation().contains("truncate"), event::explanation);
            }
            assertEquals(QueuePairState.ERROR, owner.pair.state());
            assertEquals(List.of(), reports.sentences());
            othersGoOn();
        }
    }

    private void start(Access access, MemoryRegion region) {
        MemoryRegion remote = nics.right.region;
        WorkRequest request = new WorkRequest().id(1);
        int last = FILE_BYTES - PAGE;
        switch (access) {
            case SEND -> {
                assertTrue(nics.right.pair.postReceive(new ReceiveRequest().id(2).add(remote, 0, PAGE)));
                request.send().add(region, last, PAGE);
            }
            case WRITE -> request.write(remote.address(), remote.rKey()).add(region, last, PAGE);
            case READ_INTO -> request.read(remote.address(), remote.rKey()).add(region, last, PAGE);
            case ATOMIC_INTO -> request.fetchAndAdd(remote.address(), remote.rKey(), 1).add(region, last, 8);
            case RECEIVE -> {
                assertTrue(nics.right.pair.postReceive(new ReceiveRequest().id(2).add(region, last, PAGE)));
                request.send().add(nics.left.region, 0, PAGE);
            }
            case REMOTE_WRITE -> request.write(region.address() + last, region.rKey()).add(nics.left.region, 0, PAGE);
            case REMOTE_READ -> request.read(region.address() + last, region.rKey()).add(nics.left.region, 0, PAGE);
            case REMOTE_ATOMIC -> request.fetchAndAdd(region.address() + last, region.rKey(), 1).add(nics.left.region, 0, 8);
        }
        nics.left.post(request);
    }

    @Test
    @DisplayName("when an engine fails everything is flushed, DEVICE_FATAL is raised, verbs refuse with the reason and close works")
    void anEngineThatFailsFlushesEverything() throws InterruptedException {
        CompletionChannel channel = new CompletionChannel();
        NicPair.End armed = nics.end(nics.leftNic, channel);
        NicPair.End peer = nics.end(nics.rightNic, null);
        nics.connect(armed, peer);
        armed.queue.requestNotification(false);
        for (NicPair.End end : List.of(nics.left, armed)) {
            assertTrue(end.pair.postReceive(new ReceiveRequest().id(3).add(end.region, 0, 8)));
            end.post(new WorkRequest().id(1).write(peer.region.address(), peer.region.rKey()).add(end.region, 0, 8));
        }
        nics.leftNic.engine(0).fail(new OutOfMemoryError("planted"));
        nics.leftNic.engine(0).fail(new OutOfMemoryError("again"));
        for (NicPair.End end : List.of(nics.left, armed)) {
            assertEquals(CompletionStatus.WR_FLUSH_ERR, end.take(1).status());
            assertEquals(CompletionStatus.WR_FLUSH_ERR, end.take(3).status());
            assertEquals(QueuePairState.ERROR, end.pair.state());
        }
        assertEquals(armed.queue, channel.await(0));
        AsyncEvent event = event(nics.leftNic, AsyncEvent.Type.DEVICE_FATAL);
        assertTrue(event.explanation().contains("OutOfMemoryError: planted"), event::explanation);
        for (AsyncEvent next = nics.leftNic.pollAsyncEvent(); next != null; next = nics.leftNic.pollAsyncEvent()) {
            assertFalse(next.type() == AsyncEvent.Type.DEVICE_FATAL, "DEVICE_FATAL twice");
        }
        refuses(nics.leftNic::allocateProtectionDomain);
        refuses(() -> nics.leftNic.createCompletionQueue(4));
        refuses(() -> nics.left.domain.register(nics.left.memory, 0));
        refuses(() -> nics.left.pair.modify(QueuePairAttributes.to(QueuePairState.RESET)));
        refuses(() -> nics.left.pair.postSend(new WorkRequest().id(5).send()));
        refuses(() -> nics.left.pair.postReceive(new ReceiveRequest().id(5)));
        assertFalse(nics.leftNic.port(1).active());
        nics.leftNic.close();
        assertNull(nics.leftNic.pollAsyncEvent());
    }

    /** An Error that cannot be described at first, because memory is used up. */
    private static final class WithoutMemory extends OutOfMemoryError {
        private static final long serialVersionUID = 1;
        private int attempts;

        WithoutMemory() {
            super("planted");
        }

        @Override
        public String toString() {
            if (attempts++ < 4) {
                throw new OutOfMemoryError("no memory for a sentence");
            }
            return super.toString();
        }
    }

    @Test
    @DisplayName("an engine that fails for want of memory repeats what it has no memory for, until all is done")
    void aFailureWithoutMemoryIsRepeated() {
        AtomicInteger refusals = new AtomicInteger(3);
        List<AsyncEvent> fatal = new ArrayList<>();
        nics.leftNic.onAsyncEvent(event -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no memory for a listener");
            }
            if (event.type() == AsyncEvent.Type.DEVICE_FATAL) {
                fatal.add(event);
            }
        });
        nics.left.post(new WorkRequest().id(1).write(nics.right.region.address(), nics.right.region.rKey()).add(nics.left.region, 0, 8));
        Engine engine = nics.leftNic.engine(0);
        engine.fail(new WithoutMemory());
        assertEquals(List.of(), fatal, "the listener had no memory");
        refuse(nics.leftNic::allocateProtectionDomain, "no memory is left to say why");
        for (long due = engine.nextDeadlineNs(); due != Long.MAX_VALUE; due = engine.nextDeadlineNs()) {
            engine.poll(due, nics.toRight);
        }
        assertEquals(1, fatal.size());
        assertEquals(fatal.get(0), event(nics.leftNic, AsyncEvent.Type.DEVICE_FATAL));
        assertEquals(QueuePairState.ERROR, nics.left.pair.state());
        assertEquals(CompletionStatus.WR_FLUSH_ERR, nics.left.take(1).status());
    }

    /** Its flush fails twice, as code does that is linked late. */
    private static final class LateObserver implements QueuePairObserver {
        private int ends;

        @Override
        public void onArrival() {
            throw new AssertionError("no packet was sent");
        }

        @Override
        public void onEnd(String cause) {
            ends++;
            if (ends <= 2) {
                throw new NoClassDefFoundError("planted");
            }
        }
    }

    @Test
    @DisplayName("an engine that fails flushes every queue pair, although more of them throw something other than OutOfMemoryError than"
        + " it makes attempts")
    void everyQueuePairHasItsAttempts() {
        List<LateObserver> observers = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            LateObserver observer = new LateObserver();
            observers.add(observer);
            QueuePair pair = nics.left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, nics.left.queue, nics.left.queue));
            pair.modify(QueuePairAttributes.toInit(0));
            nics.leftNic.of(pair).observe(observer);
        }
        // Nothing else than the failure polls them from now on.
        nics.run();
        Engine engine = nics.leftNic.engine(0);
        engine.fail(new OutOfMemoryError("planted"));
        for (long due = engine.nextDeadlineNs(); due != Long.MAX_VALUE; due = engine.nextDeadlineNs()) {
            engine.poll(due, nics.toRight);
        }
        assertEquals(observers.size(), observers.stream().filter(observer -> observer.ends == 3).count());
    }

    @Test
    @DisplayName("DEVICE_FATAL is kept where the queue of events is full")
    void deviceFatalIsNeverDiscarded() {
        EventQueue queue = new EventQueue();
        for (int i = 0; i < 5000; i++) {
            queue.raise(AsyncEvent.Type.COMM_EST, null, null, "");
        }
        queue.addFatal(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, null, null, null, "planted"));
        AsyncEvent last = null;
        for (AsyncEvent next = queue.poll(); next != null; next = queue.poll()) {
            last = next;
        }
        assertNotNull(last);
        assertEquals(AsyncEvent.Type.DEVICE_FATAL, last.type());
    }

    private static void refuse(Runnable verb, String words) {
        String sentence = assertThrows(IllegalStateException.class, verb::run).getMessage();
        assertTrue(sentence.contains(words), sentence);
    }

    private static void refuses(Runnable verb) {
        String sentence = assertThrows(IllegalStateException.class, verb::run).getMessage();
        assertTrue(sentence.contains("OutOfMemoryError: planted") && sentence.contains("close the NIC"), sentence);
    }

    @Test
    @DisplayName("when one engine of a NIC fails the others fail in their next poll, each on its own thread")
    void oneEngineFailsTheDevice() {
        TwoEngines two = new TwoEngines(reports);
        two.nic.engine(0).fail(new OutOfMemoryError("planted"));
        two.nic.engine(1).poll(1, nics.toRight);
        two.nic.engine(0).poll(1, nics.toRight);
        WorkCompletion completion = new WorkCompletion();
        for (int i = 0; i < two.pairs.size(); i++) {
            assertTrue(two.queue.poll(completion), "queue pair " + i + " was not flushed");
            assertEquals(CompletionStatus.WR_FLUSH_ERR, completion.status());
        }
    }
}
