package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.ConnectionEnd.Reason;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.port.Progress;
import io.rxe.verbs.QueuePairAttributes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Callbacks that throw, wait, interrupt or take long harm their own connection at most")
@Timeout(240)
class CallbacksTest {
    private static final ConnectOptions DEFAULTS = ConnectOptions.defaults();
    private static final RemoteMemory FORBIDDEN = new RemoteMemory(4096, 8, 5);

    private Pair pair;

    @BeforeEach
    void open() throws Exception {
        pair = new Pair();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    @DisplayName("callbacks of one-sided operations that throw at the end: each runs, and the end arrives")
    void callbacksThrowAtTheEnd() throws Exception {
        RxeConnection client = pair.connect(DEFAULTS, set -> { }, DEFAULTS, set -> { });
        CompletableFuture<Void> hang = pair.hangServer();
        try {
            AtomicInteger done = new AtomicInteger();
            for (int i = 0; i < 16; i++) {
                client.oneSided().fetchAdd(FORBIDDEN, 0, 1, (id, value, error) -> {
                    done.incrementAndGet();
                    throw new IllegalStateException("of the application");
                }, i);
            }
            // Nothing completes any more: the end calls them.
            client.queuePair().close();
            assertEquals(Reason.CLOSED_HERE, Pair.get(client.closed()).reason());
            assertEquals(16, done.get());
        } finally {
            hang.complete(null);
        }
    }

    @Test
    @DisplayName("get and join of a stage in onMessage throw instead of blocking the engine, also of a derived stage")
    void waitingOnTheEngine() throws Exception {
        LinkedBlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        RxeConnection client = pair.connect(DEFAULTS, set -> { }, DEFAULTS, set -> set.onMessage((from, message) -> {
            CompletableFuture<Long> stage = from.oneSided().fetchAdd(FORBIDDEN, 0, 1).toCompletableFuture();
            thrown.add(assertThrows(IllegalStateException.class, stage::join));
            thrown.add(assertThrows(IllegalStateException.class, stage::get));
            thrown.add(assertThrows(IllegalStateException.class, () -> stage.thenApply(value -> value + 1).join()));
            thrown.add(assertThrows(IllegalStateException.class, () -> from.closed().join()));
        }));
        Pair.get(pair.accepted).send(ByteBuffer.allocate(1));
        Pair.get(client.closed());
        assertEquals(4, thrown.size());
        assertTrue(thrown.peek().getMessage().startsWith("join in a callback on "), thrown.peek().getMessage());
        assertThrows(ExecutionException.class, () -> client.oneSided().fetchAdd(FORBIDDEN, 0, 1).toCompletableFuture().get());
    }

    @Test
    @DisplayName("with MANUAL no stage is waited for in onClosed: the connection thread drives the NIC, and nobody else has to")
    void waitingOnTheThreadThatDrives() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        pair.listen(DEFAULTS, set -> { });
        pair.clientNic.close();
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(Pair.CLIENT).withUdpPort(pair.udpPort).withSeed(3L)
            .withProgress(Progress.MANUAL)); RxeClient manual = new RxeClient(nic)) {
            RxeConnection other = Pair.get(manual.connect(Pair.SERVER, Pair.PORT, DEFAULTS, set -> { }).connected());
            RxeConnection ended = Pair.get(manual.connect(Pair.SERVER, Pair.PORT, DEFAULTS, set -> set.onClosed(end -> {
                CompletableFuture<Long> stage = other.oneSided().fetchAdd(FORBIDDEN, 0, 1).toCompletableFuture();
                thrown.complete(assertThrows(RuntimeException.class, () -> stage.orTimeout(10, TimeUnit.SECONDS).join()));
            })).connected());
            ended.close();
            assertInstanceOf(IllegalStateException.class, Pair.get(thrown));
        }
    }

    @Test
    @DisplayName("a callback that leaves an interrupt behind does not end the other connections")
    void interruptOnTheConnectionThread() throws Exception {
        RxeConnection first = pair.connect(DEFAULTS, set -> { }, DEFAULTS, set -> set.onClosed(end -> Thread.currentThread().interrupt()));
        RxeConnection second = Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS, set -> { }).connected());
        first.close();
        Pair.get(first.closed());
        assertTrue(Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS, set -> { }).connected()).isOpen());
        assertTrue(second.isOpen());
    }

    @Test
    @DisplayName("onMessage on an executor may block: messages come in order, one at a time, and more than receiveDepth arrive")
    void messagesOnAnExecutor() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        try {
            List<Integer> received = new ArrayList<>();
            CountDownLatch first = new CountDownLatch(1);
            CompletableFuture<Boolean> all = new CompletableFuture<>();
            CompletableFuture<Boolean> onEngine = new CompletableFuture<>();
            RxeConnection client = pair.connect(DEFAULTS.withDepths(8, 8), set -> set.onMessage((from, message) -> {
                onEngine.complete(pair.serverNic.isOnEngineThread());
                try {
                    first.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                received.add(message.getInt());
                if (received.size() == 100) {
                    all.complete(true);
                }
            }, executor), DEFAULTS.withDepths(8, 8), set -> { });
            for (int i = 0; i < 100; i++) {
                PostStatus status = client.send(ByteBuffer.allocate(4).putInt(0, i));
                for (; status == PostStatus.NO_CREDITS || status == PostStatus.FULL;
                     status = client.send(ByteBuffer.allocate(4).putInt(0, i))) {
                    // As many as the receiver has receives are waiting: it may go on.
                    first.countDown();
                    Thread.onSpinWait();
                }
                assertEquals(PostStatus.POSTED, status);
            }
            Pair.get(all);
            for (int i = 0; i < 100; i++) {
                assertEquals(i, received.get(i));
            }
            assertFalse(Pair.get(onEngine));
        } finally {
            executor.shutdown();
        }
    }

    @Test
    @DisplayName("an executor that refuses ends the connection with its exception")
    void theExecutorRefuses() throws Exception {
        RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) -> { }, task -> {
            throw new RejectedExecutionException("full");
        }), DEFAULTS, set -> { });
        client.send(ByteBuffer.allocate(4));
        ConnectionEnd end = Pair.get(Pair.get(pair.accepted).closed());
        assertEquals(Reason.FAILED, end.reason());
        assertInstanceOf(RejectedExecutionException.class, end.cause());
    }

    @Test
    @DisplayName("the end waits for onMessage on its executor, and the connection thread does not")
    void theEndWaitsForTheExecutor() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            CountDownLatch entered = new CountDownLatch(1);
            CountDownLatch leave = new CountDownLatch(1);
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage(stayUntil(leave, entered), executor), DEFAULTS, set -> { });
            client.send(ByteBuffer.allocate(4));
            entered.await();
            RxeConnection server = Pair.get(pair.accepted);
            client.close();
            Pair.get(client.closed());
            // The connection thread of the server goes on: it accepts another.
            RxeConnection another = Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS, set -> { }).connected());
            assertTrue(another.isOpen());
            assertFalse(server.closed().isDone());
            assertTrue(server.runningCallback().contains("CallbacksTest"), server.runningCallback());
            leave.countDown();
            assertEquals(Reason.CLOSED_BY_PEER, Pair.get(server.closed()).reason());
        } finally {
            executor.shutdown();
        }
    }

    @Test
    @DisplayName("after the NIC's end the connection thread sleeps until the last callback has returned, also where it is interrupted")
    void interruptWhileTheEndWaits() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        try {
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage(stayUntil(leave, entered), executor), DEFAULTS, set -> { });
            client.send(ByteBuffer.allocate(4));
            entered.await();
            RxeConnection server = Pair.get(pair.accepted);
            Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(one -> one.getName().equals("rxe-server-" + Pair.PORT)).findFirst().orElseThrow();
            pair.serverNic.close();
            await(() -> LockSupport.getBlocker(thread) instanceof ConnectionThread);
            thread.interrupt();
            await(() -> !thread.isInterrupted());
            assertFalse(server.closed().isDone());
            leave.countDown();
            assertEquals(Reason.CLOSED_HERE, Pair.get(server.closed()).reason());
        } finally {
            leave.countDown();
            executor.shutdown();
        }
    }

    private static RxeConnection.MessageHandler stayUntil(CountDownLatch leave, CountDownLatch entered) {
        return (from, message) -> {
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private static void await(BooleanSupplier condition) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < endNs, "it does not come");
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest(name = "{0} ms: code {1}, {2} retries")
    @CsvSource({"100, 12, 5", "540, 15, 4", "530, 14, 7", "5000, 18, 4", "8000, 18, 7"})
    void failureTime(long ms, int code, int retries) throws Exception {
        ConnectOptions options = DEFAULTS.withFailureTimeout(Duration.ofMillis(ms));
        QueuePairAttributes timers = pair.connect(DEFAULTS, set -> { }, options, set -> { }).queuePair().query();
        assertEquals(code, timers.timeout());
        assertEquals(retries, timers.retryCount());
    }
}
