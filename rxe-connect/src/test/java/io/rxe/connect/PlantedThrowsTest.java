package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.ConnectionEnd.Reason;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Wherever the application throws, every future completes, the end arrives and the other connections go on")
@Timeout(240)
class PlantedThrowsTest {
    private static final ConnectOptions DEFAULTS = ConnectOptions.defaults();

    private final Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
    private Pair pair;

    /** Where the server's application throws; the client's only for its end. */
    enum Place {
        SET_UP, ACCEPTED_STAGE, ON_MESSAGE, ON_MESSAGE_OF_AN_EXECUTOR, EXECUTOR, ON_WRITABLE, ONE_SIDED, STAGE, ON_CLOSED
    }

    @BeforeEach
    void open() throws Exception {
        // The application's handler of what its callbacks throw is no better than they are.
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            throw new IllegalStateException("a handler that throws", thrown);
        });
        pair = new Pair();
    }

    @AfterEach
    void close() {
        pair.close();
        Thread.setDefaultUncaughtExceptionHandler(usual);
    }

    static Stream<Arguments> places() {
        return Stream.of(Place.values()).flatMap(place -> Stream.of(new IllegalStateException("planted"), new AssertionError("planted"),
            new OutOfMemoryError("planted")).map(thrown -> Arguments.of(place, thrown)));
    }

    /** Throws whatever it is, as callbacks in Kotlin or Scala may. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private static void fail(Place place, Place here, Throwable thrown) {
        if (place == here) {
            PlantedThrowsTest.<RuntimeException>sneak(thrown);
        }
    }

    private void setUp(RxeConnection set, Place place, Throwable thrown, ExecutorService executor) {
        RemoteMemory counter = RemoteMemory.of(set.peerData());
        RxeConnection.MessageHandler handler = (from, message) -> {
            fail(place, Place.ON_MESSAGE, thrown);
            fail(place, Place.ON_MESSAGE_OF_AN_EXECUTOR, thrown);
            if (place == Place.ONE_SIDED) {
                from.oneSided().fetchAdd(counter, 0, 1, (id, value, error) -> fail(place, Place.ONE_SIDED, thrown), 0);
            } else if (place == Place.STAGE) {
                from.oneSided().fetchAdd(counter, 0, 1).whenComplete((value, error) -> {
                    from.close();
                    fail(place, Place.STAGE, thrown);
                });
            } else if (place == Place.ON_WRITABLE) {
                PostStatus status = from.send(message.position(0));
                while (status == PostStatus.POSTED) {
                    status = from.send(message.position(0));
                }
            } else {
                from.close();
            }
        };
        if (place == Place.EXECUTOR) {
            set.onMessage(handler, task -> fail(place, Place.EXECUTOR, thrown));
        } else if (place == Place.ON_MESSAGE_OF_AN_EXECUTOR) {
            set.onMessage(handler, executor);
        } else {
            set.onMessage(handler);
        }
        set.onWritable(to -> fail(place, Place.ON_WRITABLE, thrown));
        set.onClosed(end -> fail(place, Place.ON_CLOSED, thrown));
        set.connected().thenAccept(open -> fail(place, Place.ACCEPTED_STAGE, thrown));
        fail(place, Place.SET_UP, thrown);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("places")
    void everyEndArrives(Place place, Throwable thrown) throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            List<RxeConnection> servers = new ArrayList<>();
            pair.listen(DEFAULTS, set -> {
                servers.add(set);
                boolean isFirst = servers.size() == 1;
                setUp(set, isFirst ? place : null, thrown, executor);
            });
            ProtectionDomain domain = pair.clientNic.device().allocateProtectionDomain();
            MemoryRegion counter = domain.register(ByteBuffer.allocateDirect(16).alignedSlice(8), AccessFlags.LOCAL_WRITE
                | AccessFlags.REMOTE_ATOMIC);
            ConnectOptions options = DEFAULTS.withPrivateData(RemoteMemory.of(counter).toBytes());
            pair.client = new RxeClient(pair.clientNic, domain);
            RxeConnection first = pair.client.connect(Pair.SERVER, Pair.PORT, options, set -> set.onClosed(end -> {
                throw new AssertionError("at the client too");
            }));
            if (place == Place.SET_UP) {
                assertThrows(ExecutionException.class, () -> Pair.get(first.connected()));
            } else {
                Pair.get(first.connected()).send(ByteBuffer.allocate(8));
            }
            ConnectionEnd end = Pair.get(servers.get(0).closed());
            assertTrue(Pair.get(first.closed()).reason() != Reason.CLOSED_HERE);
            assertTrue(servers.get(0).connected().isDone());
            switch (place) {
                case STAGE, ACCEPTED_STAGE, ON_CLOSED -> assertEquals(Reason.CLOSED_HERE, end.reason());
                default -> {
                    assertEquals(Reason.FAILED, end.reason());
                    assertSame(thrown, end.cause(), end::toString);
                }
            }
            // Neither the engines nor the connection threads have suffered.
            RxeConnection second = Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, options, set -> { }).connected());
            second.send(ByteBuffer.allocate(8));
            assertEquals(Reason.CLOSED_BY_PEER, Pair.get(second.closed()).reason());
            pair.client.close();
            pair.server.close();
            assertTrue(pair.client.connections().isEmpty() && pair.server.connections().isEmpty());
            counter.close();
            domain.close();
        } finally {
            executor.shutdown();
        }
    }

    /** Throws itself to whoever asks for its words. */
    private static final class Unspeakable extends Error {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw this;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what has no words ends the connection all the same")
    void whatHasNoWords(boolean isOnExecutor) throws Exception {
        Unspeakable thrown = new Unspeakable();
        RxeConnection.MessageHandler handler = (from, message) -> {
            throw thrown;
        };
        RxeConnection client = pair.connect(DEFAULTS, set -> {
            if (isOnExecutor) {
                set.onMessage(handler, task -> new Thread(task).start());
            } else {
                set.onMessage(handler);
            }
        }, DEFAULTS, set -> { });
        client.send(ByteBuffer.allocate(4));
        ConnectionEnd end = Pair.get(Pair.get(pair.accepted).closed());
        assertSame(thrown, end.cause());
        assertEquals("onMessage threw", end.explanation());
    }

    @Test
    @DisplayName("an executor that is shut down drops what it was given: the connection ends all the same, and says so")
    void anExecutorThatDropsTasks() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        CountDownLatch leave = new CountDownLatch(1);
        executor.execute(() -> {
            try {
                leave.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<Void> given = new CompletableFuture<>();
        RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) -> { }, task -> {
            executor.execute(task);
            given.complete(null);
        }), DEFAULTS, set -> { });
        client.send(ByteBuffer.allocate(4));
        Pair.get(given);
        assertEquals(1, executor.shutdownNow().size());
        client.close();
        ConnectionEnd end = Pair.get(Pair.get(pair.accepted).closed());
        assertEquals(Reason.FAILED, end.reason());
        assertTrue(end.explanation().startsWith("the executor of onMessage refused a message: close connections"), end::toString);
    }

    @Test
    @DisplayName("a handler on an executor may close its client and server without waiting for itself, and is told where it would")
    void aHandlerThatWaitsForItsEnd() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Throwable> refused = new CompletableFuture<>();
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) -> {
                pair.server.close();
                refused.complete(assertThrows(IllegalStateException.class, () -> from.closed().join()));
            }, executor), DEFAULTS, set -> { });
            client.send(ByteBuffer.allocate(4));
            assertTrue(Pair.get(refused).getMessage().startsWith("join in a callback on pool-"), refused.join()::getMessage);
            assertEquals(Reason.CLOSED_HERE, Pair.get(Pair.get(pair.accepted).closed()).reason());
        } finally {
            executor.shutdown();
        }
    }

    @Test
    @DisplayName("what blocks the connection thread is named by its own line, also below a stage")
    void theBlockingLineOfTheConnectionThread() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<Void> leave = new CompletableFuture<>();
        RxeConnection client = pair.connect(DEFAULTS, set -> { }, DEFAULTS, set -> set.closed().thenAccept(end -> {
            inside.countDown();
            leave.join();
        }));
        client.close();
        assertTrue(inside.await(60, TimeUnit.SECONDS));
        String held = pair.client.held();
        leave.complete(null);
        assertTrue(held.contains("PlantedThrowsTest") && held.contains("on thread rxe-client"), held);
    }

    @Test
    @DisplayName("a connect that throws completes the futures of the connection that its set-up has seen")
    void aSetUpOfTheClientThatThrows() throws Exception {
        pair.client = new RxeClient(pair.clientNic);
        CompletableFuture<RxeConnection> seen = new CompletableFuture<>();
        assertThrows(AssertionError.class, () -> pair.client.connect(Pair.SERVER, Pair.PORT, set -> {
            seen.complete(set);
            throw new AssertionError("planted");
        }));
        assertEquals(Reason.FAILED, Pair.get(seen.join().closed()).reason());
        assertThrows(ExecutionException.class, () -> Pair.get(seen.join().connected()));
        assertFalse(seen.join().isOpen());
        assertTrue(pair.client.connections().isEmpty());
    }
}
