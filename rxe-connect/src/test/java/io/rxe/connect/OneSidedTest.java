package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("One-sided operations of io.rxe.connect, on real sockets")
@Timeout(240)
class OneSidedTest {
    private static final int BYTES = 1 << 20;
    private static final int REMOTE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE
        | AccessFlags.REMOTE_ATOMIC;

    private final ByteBuffer table = ByteBuffer.allocateDirect(BYTES + 8).alignedSlice(8).order(ByteOrder.nativeOrder());
    private final ConnectOptions options = ConnectOptions.defaults().withOneSidedDepth(8);
    private Pair pair;
    private RxeConnection client;
    private RemoteMemory remote;

    /** The server sends its memory in private data. */
    @BeforeEach
    void connect() throws Exception {
        pair = new Pair("loss 1%", 1);
        client = pair.connect(options, set -> set.answer(options.withPrivateData(RemoteMemory.of(set.register(table.limit(BYTES), REMOTE))
            .toBytes())), options, set -> { });
        remote = RemoteMemory.of(client.peerData());
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return Pair.get(stage.toCompletableFuture());
    }

    @Test
    void whatOneWritesIsRead() throws Exception {
        assertEquals(BYTES, remote.length());
        get(client.oneSided().write(StandardCharsets.UTF_8.encode("at the end"), remote, BYTES - 10));
        assertEquals("at the end", StandardCharsets.UTF_8.decode(table.duplicate().position(BYTES - 10)).toString());
        table.putLong(16, 42);
        ByteBuffer read = get(client.oneSided().read(remote.slice(16, 8), 0, 8));
        assertEquals(42, read.order(ByteOrder.nativeOrder()).getLong());
        assertEquals(0, get(client.oneSided().read(remote, BYTES, 0)).remaining());
    }

    @Test
    void atomicsReturnWhatWasThere() throws Exception {
        table.putLong(0, 5);
        assertEquals(5, get(client.oneSided().compareAndSwap(remote, 0, 4, 9)));
        assertEquals(5, table.getLong(0));
        assertEquals(5, get(client.oneSided().compareAndSwap(remote, 0, 5, 9)));
        assertEquals(9, get(client.oneSided().fetchAdd(remote, 0, -2)));
        assertEquals(7, table.getLong(0));
    }

    @Test
    @DisplayName("four threads with callbacks: each operation once, and back-pressure is a status")
    void manyThreads() throws Exception {
        int each = 500;
        AtomicInteger done = new AtomicInteger();
        ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
        OneSidedCallback count = (id, value, error) -> {
            if (error != null || value < 0 || value >= 4 * each) {
                errors.add("operation " + id + ": " + value + " " + error);
            }
            done.incrementAndGet();
        };
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            long name = thread;
            threads.add(new Thread(() -> {
                for (int number = 0; number < each; number++) {
                    while (client.oneSided().fetchAdd(remote, 8, 1, count, name) != PostStatus.POSTED) {
                        Thread.yield();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        client.close();
        Pair.get(client.closed());
        assertEquals(4 * each, done.get());
        assertEquals(List.of(), List.copyOf(errors));
        assertEquals(4 * each, table.getLong(8));
    }

    @Test
    void memoryOfTheApplicationNeedsNoCopy() throws Exception {
        ByteBuffer own = ByteBuffer.allocateDirect(BYTES);
        MemoryRegion region = client.register(own, AccessFlags.LOCAL_WRITE);
        for (int at = 0; at < BYTES; at++) {
            table.put(at, (byte) (at * 31));
        }
        CompletableFuture<Long> read = new CompletableFuture<>();
        assertEquals(PostStatus.POSTED, client.oneSided().read(remote, 0, region, 0, BYTES, (id, value, error) -> read.complete(value), 1));
        assertEquals(BYTES, Pair.get(read));
        assertEquals(-1, own.mismatch(table.duplicate()));
        own.put(5, (byte) 99);
        CompletableFuture<String> written = new CompletableFuture<>();
        assertEquals(PostStatus.POSTED, client.oneSided().write(region, 0, BYTES, remote, 0,
            (id, value, error) -> written.complete(id + " " + value + " " + error), 2));
        assertEquals("2 " + BYTES + " null", Pair.get(written));
        assertEquals(99, table.get(5));
    }

    @Test
    @DisplayName("more stages than oneSidedDepth: those beyond it are rejected, the others complete")
    void fullStages() throws Exception {
        List<CompletableFuture<Long>> stages = new ArrayList<>();
        for (int number = 0; number < 1000; number++) {
            stages.add(client.oneSided().fetchAdd(remote, 0, 1).toCompletableFuture());
        }
        int rejected = 0;
        for (CompletableFuture<Long> stage : stages) {
            try {
                Pair.get(stage);
            } catch (ExecutionException e) {
                assertInstanceOf(RejectedExecutionException.class, e.getCause());
                assertEquals("8 one-sided operations are in flight, as many as oneSidedDepth allows: wait for one, or raise it in the"
                    + " ConnectOptions", e.getCause().getMessage());
                rejected++;
            }
        }
        assertTrue(rejected > 0);
        assertEquals(1000 - rejected, table.getLong(0));
    }

    @Test
    @DisplayName("more threads than oneSidedDepth, in the form that waits: none is refused, and each operation runs once")
    void moreThreadsThanPlaces() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(24);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int thread = 0; thread < 24; thread++) {
                ends.add(threads.submit(() -> {
                    for (int number = 0; number < 50; number++) {
                        get(client.oneSided().waiting().fetchAdd(remote, 0, 1));
                    }
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } finally {
            threads.shutdown();
        }
        assertEquals(24 * 50, table.getLong(0));
    }

    @Test
    @DisplayName("a thread that waits for a place ends with the connection, with an interrupt, and is refused on an engine")
    void waitsThatEnd() throws Exception {
        OneSided waiting = client.oneSided().waiting();
        CompletableFuture<Throwable> onEngine = new CompletableFuture<>();
        CompletableFuture<Void> hang = pair.hangServer();
        try {
            for (int place = 0; place < 8; place++) {
                client.oneSided().fetchAdd(remote, 0, 1).whenComplete((value, error) -> {
                    if (error == null) {
                        onEngine.complete(assertThrows(IllegalStateException.class, () -> waiting.fetchAdd(remote, 0, 1)));
                    }
                });
            }
            CompletableFuture<Throwable> interrupted = new CompletableFuture<>();
            Thread interrupting = new Thread(() -> {
                Thread.currentThread().interrupt();
                interrupted.complete(assertThrows(ExecutionException.class, () -> get(waiting.fetchAdd(remote, 0, 1))).getCause());
            });
            interrupting.setUncaughtExceptionHandler((thread, thrown) -> interrupted.complete(thrown));
            interrupting.start();
            assertInstanceOf(RejectedExecutionException.class, Pair.get(interrupted));
            CompletableFuture<PostStatus> ended = CompletableFuture.supplyAsync(() -> waiting.fetchAdd(remote, 0, 1,
                (id, value, error) -> { }, 0), task -> new Thread(task).start());
            client.close();
            assertEquals(PostStatus.NOT_CONNECTED, Pair.get(ended));
        } finally {
            hang.complete(null);
        }
        assertTrue(Pair.get(onEngine).getMessage().contains("the thread that ends operations"), onEngine.join()::getMessage);
    }

    @Test
    @DisplayName("memory of a domain of the application is registered before the server listens, and outlives it")
    void memoryBeforeTheServer() throws Exception {
        try (Pair other = new Pair(); ProtectionDomain domain = other.serverNic.device().allocateProtectionDomain()) {
            ByteBuffer shared = ByteBuffer.allocateDirect(8);
            MemoryRegion region = domain.register(shared, REMOTE);
            ConnectOptions announcing = options.withPrivateData(RemoteMemory.of(region).toBytes());
            RxeClient reader = new RxeClient(other.clientNic);
            for (int port = Pair.PORT; port < Pair.PORT + 2; port++) {
                try (RxeServer server = RxeServer.listen(other.serverNic, port, announcing, domain, set -> { })) {
                    assertSame(domain, server.domain());
                    RxeConnection connection = Pair.get(reader.connect(Pair.SERVER, port, set -> { }).connected());
                    get(connection.oneSided().write(ByteBuffer.wrap(new byte[] {(byte) port}), RemoteMemory.of(connection.peerData()), 0));
                    assertEquals((byte) port, shared.get(0));
                }
            }
            reader.close();
            region.close();
        }
    }

    @Test
    @DisplayName("a key that the peer has taken back fails the operation and ends the connection, with the reason")
    void aWrongKey() throws Exception {
        RemoteMemory wrong = new RemoteMemory(remote.address(), remote.length(), remote.key() ^ 0x100);
        ExecutionException failed = assertThrows(ExecutionException.class, () -> get(client.oneSided().read(wrong, 0, 8)));
        assertInstanceOf(IOException.class, failed.getCause());
        ConnectionEnd end = Pair.get(client.closed());
        assertEquals(ConnectionEnd.Reason.FAILED, end.reason());
        assertTrue(end.explanation().contains("access"), end.explanation());
        ExecutionException late = assertThrows(ExecutionException.class, () -> get(client.oneSided().read(remote, 0, 8)));
        assertEquals("the connection is not open: wait for connected(), and see the reason of its end", late.getCause().getMessage());
        assertEquals(PostStatus.NOT_CONNECTED, client.oneSided().fetchAdd(remote, 0, 1, (id, value, error) -> { }, 0));
    }

    @Test
    @DisplayName("who was refused for an operation that is then given up is called: onWritable runs")
    void anOperationGivenUpMakesRoom() throws Exception {
        Semaphore writable = new Semaphore(0);
        ConnectOptions one = ConnectOptions.defaults().withOneSidedDepth(1);
        try (Pair other = new Pair()) {
            RxeConnection connection = other.connect(one, set -> set.answer(one.withPrivateData(RemoteMemory.of(set.register(
                ByteBuffer.allocateDirect(64), REMOTE)).toBytes())), one, set -> set.onWritable(to -> writable.release()));
            RemoteMemory there = RemoteMemory.of(connection.peerData());
            MemoryRegion region = connection.register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE);
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger refusals = new AtomicInteger();
            CompletableFuture<Void> refusing = CompletableFuture.runAsync(() -> {
                while (!done.get()) {
                    try {
                        // Four bytes beyond the end of the region.
                        assertEquals(PostStatus.FULL, connection.oneSided().write(region, 60, 8, there, 0, (id, value, error) -> { }, 0));
                    } catch (IllegalArgumentException e) {
                        refusals.incrementAndGet();
                    }
                }
            }, task -> new Thread(task).start());
            try {
                for (int written = 0; written < 2000; ) {
                    if (connection.oneSided().write(region, 0, 8, there, 0, (id, value, error) -> { }, 0) == PostStatus.POSTED) {
                        written++;
                    } else {
                        assertTrue(writable.tryAcquire(60, TimeUnit.SECONDS), "no onWritable after a refusal");
                    }
                }
            } finally {
                done.set(true);
            }
            Pair.get(refusing);
            assertTrue(refusals.get() > 0);
        }
    }

    @Test
    @DisplayName("data that cannot be copied, as another thread has shortened its buffer meanwhile, leaves the place to the next operation")
    void dataThatCannotBeCopied() throws Exception {
        OneSided waiting = client.oneSided().waiting();
        ByteBuffer data = ByteBuffer.allocate(8);
        CompletableFuture<Void> hang = pair.hangServer();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        try {
            for (int place = 0; place < options.oneSidedDepth(); place++) {
                client.oneSided().fetchAdd(remote, 0, 1);
            }
            Thread writer = new Thread(() -> thrown.complete(assertThrows(IndexOutOfBoundsException.class,
                () -> waiting.write(data, remote, 0))));
            writer.setUncaughtExceptionHandler((thread, other) -> thrown.complete(other));
            writer.start();
            while (!thrown.isDone() && writer.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            data.limit(2);
        } finally {
            hang.complete(null);
        }
        assertInstanceOf(IndexOutOfBoundsException.class, Pair.get(thrown));
        for (int place = 0; place < 2 * options.oneSidedDepth(); place++) {
            get(waiting.write(data, remote, 8));
        }
        client.close();
        assertEquals(ConnectionEnd.Reason.CLOSED_HERE, Pair.get(client.closed()).reason());
    }
}
