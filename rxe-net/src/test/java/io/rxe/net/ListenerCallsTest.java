package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.PortSpace;
import io.rxe.net.port.NetCounter;
import io.rxe.port.Progress;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RegionChange;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Every public method, called in a listener on an engine's thread, returns: it works, or says why it cannot")
@Timeout(240)
class ListenerCallsTest {
    private static final Gid GROUP = Gid.parse("239.1.2.3");
    private static final Gid NOBODY = Gid.parse("127.0.0.9");
    private static final String[] WORKS = {};

    /** Where a listener runs. */
    private enum Where {
        COMPLETION_LISTENER, CONNECTION_LISTENER
    }

    /** A NIC and one of each of its resources. */
    private static final class Held implements AutoCloseable {
        final RxeNic nic;
        final ProtectionDomain domain;
        final CompletionChannel channel = new CompletionChannel();
        final CompletionQueue queue;
        final QueuePair pair;
        final QueuePair datagrams;
        final MemoryRegion region;
        final SharedReceiveQueue shared;
        final CmEventChannel events = new CmEventChannel();
        final ConnectionService service;
        final NicEvents nicEvents;
        final CompletableFuture<Optional<Throwable>> outcome = new CompletableFuture<>();
        private final AtomicBoolean called = new AtomicBoolean();
        /** The queue of {@link #calling}. */
        private CompletionQueue calls;

        Held(int engines, Progress progress) throws IOException {
            nic = RxeNic.open(CmSide.options("127.0.0.2", FreePorts.udp("127.0.0.2")).withEngines(engines).withProgress(progress));
            domain = nic.device().allocateProtectionDomain();
            queue = nic.device().createCompletionQueue(16, channel);
            pair = create(QueuePairType.RC, queue);
            datagrams = create(QueuePairType.UD, queue);
            region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
            shared = domain.createSharedReceiveQueue(8, 1);
            service = nic.connections();
            nicEvents = nic.events();
            service.listen(events, PortSpace.TCP, CmSide.PORT);
        }

        QueuePair create(QueuePairType type, CompletionQueue completions) {
            return domain.createQueuePair(QueuePairConfig.of(type, completions, completions));
        }

        /** Runs a call in a listener, soon. */
        void inListener(Where where, Call call) {
            if (where == Where.COMPLETION_LISTENER) {
                inCompletionListener(calling(completions -> run(call)));
            } else {
                CmEventChannel calling = new CmEventChannel(8, () -> run(call));
                service.connector(calling).connect(create(QueuePairType.RC, queue), NOBODY, 1, new ConnectParameters().timeoutNs(1));
            }
        }

        /** A queue pair whose completions call a listener. */
        QueuePair calling(Consumer<CompletionQueue> listener) {
            calls = nic.device().createCompletionQueue(4, CompletionChannel.calling(listener));
            calls.requestNotification(false);
            return create(QueuePairType.RC, calls);
        }

        /** Its receive is flushed. */
        static void inCompletionListener(QueuePair flushed) {
            flushed.modify(QueuePairAttributes.toInit(0));
            assertTrue(flushed.postReceive(new ReceiveRequest()));
            flushed.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        }

        /** Once: the end of the NIC calls listeners of connection events too, on the thread that closes it. */
        private void run(Call call) {
            if (called.getAndSet(true)) {
                return;
            }
            try {
                call.run(this);
                outcome.complete(Optional.empty());
            } catch (Throwable e) {
                outcome.complete(Optional.of(e));
            }
        }

        @Override
        public void close() {
            nic.close();
        }
    }

    /** What the listener calls. */
    private interface Call {
        void run(Held of) throws Exception;
    }

    /** A row: the call, and the words of the refusal; none if it works. */
    private record Row(String name, Call call, String... words) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Row works(String name, Call call) {
        return new Row(name, call, WORKS);
    }

    private static Row awaits(String name, Call call) {
        return new Row(name, call, "await in a listener", "another thread");
    }

    private static Stream<Row> verbs() {
        return Stream.of(
            works("Device.allocateProtectionDomain", of -> of.nic.device().allocateProtectionDomain().close()),
            works("Device.createCompletionQueue", of -> of.nic.device().createCompletionQueue(4, of.channel).close()),
            works("Device.pollAsyncEvent", of -> of.nic.device().pollAsyncEvent()),
            works("Device.attributes", of -> of.nic.device().attributes()),
            works("ProtectionDomain.register", of -> of.domain.register(ByteBuffer.allocateDirect(8), 0).close()),
            works("ProtectionDomain.createQueuePair", of -> of.create(QueuePairType.RC, of.queue).close()),
            works("ProtectionDomain.createSharedReceiveQueue", of -> of.domain.createSharedReceiveQueue(8, 1).close()),
            works("ProtectionDomain.createAddressHandle", of -> of.domain.createAddressHandle(AddressVector.to(NOBODY))),
            works("ProtectionDomain.allocateWindow", of -> of.domain.allocateWindow(MemoryWindowType.TYPE_2).close()),
            works("ProtectionDomain.close", of -> of.domain.close()),
            works("QueuePair.modify", of -> of.pair.modify(QueuePairAttributes.toInit(0))),
            works("QueuePair.query", of -> of.pair.query()),
            works("QueuePair.postReceive", of -> {
                of.pair.modify(QueuePairAttributes.toInit(0));
                assertTrue(of.pair.postReceive(new ReceiveRequest().add(of.region, 0, 8)));
            }),
            works("QueuePair.drain", of -> of.pair.drain()),
            works("QueuePair.attachMulticast", of -> of.datagrams.attachMulticast(GROUP)),
            works("QueuePair.close", of -> of.pair.close()),
            works("CompletionQueue.poll", of -> of.queue.poll(new WorkCompletion())),
            works("CompletionQueue.requestNotification", of -> of.queue.requestNotification(false)),
            works("CompletionQueue.resize", of -> of.queue.resize(64)),
            works("CompletionQueue.close", of -> of.queue.close()),
            works("SharedReceiveQueue.postReceive", of -> of.shared.postReceive(new ReceiveRequest().add(of.region, 0, 8))),
            works("SharedReceiveQueue.armLimit", of -> of.shared.armLimit(1)),
            works("SharedReceiveQueue.resize", of -> of.shared.resize(16)),
            works("SharedReceiveQueue.close", of -> of.shared.close()),
            works("MemoryRegion.reregister", of -> of.region.reregister(RegionChange.none().access(AccessFlags.LOCAL_WRITE))),
            works("MemoryRegion.close", of -> of.region.close()),
            works("CompletionChannel.await(0)", of -> of.channel.await(0)),
            awaits("CompletionChannel.await", of -> of.channel.await(Long.MAX_VALUE)),
            works("CompletionChannel.wakeup", of -> of.channel.wakeup()),
            works("CompletionChannel.close", of -> of.channel.close()));
    }

    private static Stream<Row> connections() {
        return Stream.of(
            works("ConnectionService.listen", of -> of.service.listen(of.events, PortSpace.TCP, 1).close()),
            works("ConnectionService.close", of -> of.service.close()),
            works("Connector.connect", of -> of.service.connector(of.events).connect(of.pair, NOBODY, 1, new ConnectParameters())),
            works("Connector.resolve", of -> of.service.connector(of.events).resolve(NOBODY, 1, new ConnectParameters()).close()),
            works("CmConnection.disconnect",
                of -> of.service.connector(of.events).connect(of.pair, NOBODY, 1, new ConnectParameters()).disconnect()),
            works("CmConnection.close",
                of -> of.service.connector(of.events).connect(of.pair, NOBODY, 1, new ConnectParameters()).close()),
            works("CmEventChannel.poll", of -> of.events.poll()),
            works("CmEventChannel.await(0)", of -> of.events.await(0)),
            awaits("CmEventChannel.await", of -> of.events.await(Long.MAX_VALUE)),
            works("CmEventChannel.wakeup", of -> of.events.wakeup()),
            works("CmEventChannel.close", of -> of.events.close()));
    }

    private static Stream<Row> nic() {
        return Stream.of(
            works("RxeNic.connections", of -> assertNotNull(of.nic.connections())),
            works("RxeNic.events", of -> of.nic.events().close()),
            works("RxeNic.resolve", of -> of.nic.resolve("127.0.0.3")),
            works("RxeNic.count", of -> of.nic.count(NetCounter.values()[0])),
            works("RxeNic.toString", of -> of.nic.toString()),
            new Row("RxeNic.close", of -> of.nic.close(), "on the thread of an engine", "another thread"),
            works("NicEvents.await(0)", of -> assertNull(of.nicEvents.await(0))),
            awaits("NicEvents.await", of -> of.nicEvents.await(Long.MAX_VALUE)),
            works("NicEvents.wakeup", of -> of.nicEvents.wakeup()),
            works("NicEvents.selectableChannel", of -> of.nicEvents.selectableChannel()),
            works("NicEvents.close", of -> of.nicEvents.close()));
    }

    static Stream<Arguments> everywhere() {
        List<Row> rows = new ArrayList<>();
        Stream.of(verbs(), connections(), nic()).forEach(part -> part.forEach(rows::add));
        return rows.stream().flatMap(row -> Stream.of(Where.values()).map(where -> Arguments.of(row, where)));
    }

    @ParameterizedTest(name = "{0} in a {1}")
    @MethodSource("everywhere")
    void returns(Row row, Where where) throws Exception {
        try (Held held = new Held(1, Progress.THREAD)) {
            held.inListener(where, row.call);
            Optional<Throwable> thrown = held.outcome.get(60, TimeUnit.SECONDS);
            if (row.words.length == 0) {
                assertEquals(Optional.empty(), thrown);
            } else {
                assertEquals(IllegalStateException.class, thrown.orElseThrow().getClass());
                for (String word : row.words) {
                    assertTrue(thrown.get().getMessage().contains(word), thrown.get()::getMessage);
                }
            }
            // The engine goes on.
            held.nic.device().allocateProtectionDomain().close();
        }
    }

    @Test
    @DisplayName("listeners of two engines that wait for each other: one is refused, both return")
    void twoEnginesDoNotWaitForEachOther() throws Exception {
        try (Held held = new Held(2, Progress.THREAD)) {
            CyclicBarrier both = new CyclicBarrier(2);
            List<CompletableFuture<Optional<Throwable>>> outcomes = List.of(new CompletableFuture<>(), new CompletableFuture<>());
            List<QueuePair> pairs = new ArrayList<>();
            for (int engine = 0; engine < 2; engine++) {
                int own = engine;
                Consumer<CompletionQueue> call = completions -> outcomes.get(own).complete(callOther(held, both, 1 - own));
                QueuePair pair = held.calling(call);
                while (pair.number() % 2 != own) {
                    // Queue pair numbers select the engine.
                    pair = held.calling(call);
                }
                pairs.add(pair);
            }
            for (QueuePair pair : pairs) {
                Thread thread = new Thread(() -> Held.inCompletionListener(pair));
                thread.setDaemon(true);
                thread.start();
            }
            Optional<Throwable> left = outcomes.get(0).get(60, TimeUnit.SECONDS);
            Optional<Throwable> right = outcomes.get(1).get(60, TimeUnit.SECONDS);
            for (Optional<Throwable> thrown : List.of(left, right)) {
                thrown.ifPresent(refusal -> assertTrue(refusal.getMessage().contains("wait for each other's engine"),
                    refusal::getMessage));
            }
        }
    }

    /** What a verb of a queue pair of the other engine does. */
    private static Optional<Throwable> callOther(Held of, CyclicBarrier both, int engine) {
        try {
            both.await(60, TimeUnit.SECONDS);
            of.nic.core().engine(engine).thread().call(() -> { });
            return Optional.empty();
        } catch (Exception e) {
            return Optional.of(e);
        }
    }

    static Stream<List<Progress>> circles() {
        Stream<List<Progress>> pairs = Stream.of(Progress.values())
            .flatMap(one -> Stream.of(Progress.values()).map(other -> List.of(one, other)));
        return Stream.concat(pairs, Stream.of(List.of(Progress.values()), List.of(Progress.MANUAL, Progress.POLLING, Progress.THREAD)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("circles")
    @DisplayName("listeners of NICs that call verbs of the next one, in a circle: one at least is refused, all return")
    void nicsDoNotWaitForEachOther(List<Progress> circle) throws Exception {
        List<Held> nics = new ArrayList<>();
        try {
            CyclicBarrier all = new CyclicBarrier(circle.size());
            List<Thread> threads = new ArrayList<>();
            for (Progress progress : circle) {
                nics.add(new Held(1, progress));
            }
            for (Held nic : nics) {
                Held next = nics.get((nics.indexOf(nic) + 1) % nics.size());
                Thread thread = new Thread(() -> {
                    nic.inListener(Where.COMPLETION_LISTENER, of -> {
                        all.await(60, TimeUnit.SECONDS);
                        next.pair.query();
                    });
                    while (!nic.outcome.isDone()) {
                        nic.nic.progress();
                    }
                });
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            int refused = 0;
            for (Held nic : nics) {
                Optional<Throwable> thrown = nic.outcome.get(60, TimeUnit.SECONDS);
                thrown.ifPresent(refusal -> assertTrue(refusal.getMessage().contains("wait for each other's engine"), refusal::toString));
                refused += thrown.isPresent() ? 1 : 0;
            }
            assertTrue(refused > 0, "each was in its listener while it waited for the next");
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            nics.forEach(Held::close);
        }
    }

    @Test
    @DisplayName("a queue pair that ends in a listener does not drive the engine in it")
    void anEndInAListenerDrivesNothing() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        CompletableFuture<Integer> most = new CompletableFuture<>();
        try (Held held = new Held(1, Progress.THREAD)) {
            QueuePair[] posting = new QueuePair[1];
            QueuePair flushed = held.calling(queue -> {
                int depth = inside.incrementAndGet();
                if (depth == 1 && !most.isDone()) {
                    queue.requestNotification(false);
                    posting[0].postSend(new WorkRequest().send().to(held.domain.createAddressHandle(
                        AddressVector.to(held.nic.device().gid(), held.nic.device().udpPort())), 2, 1));
                    posting[0].close();
                }
                most.complete(inside.getAndSet(0));
            });
            posting[0] = held.create(QueuePairType.UD, held.calls);
            ConnectionService.prepare(posting[0]);
            Held.inCompletionListener(flushed);
            assertEquals(1, most.get(60, TimeUnit.SECONDS));
        }
    }
}
