package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.rxe.net.RxeNic;
import io.rxe.verbs.QueuePairState;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Messages of io.rxe.connect, on real sockets")
@Timeout(240)
class MessagesTest {
    private static final ConnectOptions DEFAULTS = ConnectOptions.defaults();

    private static void nothing(RxeConnection connection) {
        assertFalse(connection.isOpen(), "the set-up comes before the connection");
    }

    private static ByteBuffer text(String words) {
        return StandardCharsets.UTF_8.encode(words);
    }

    /** Sends as soon as there is room. */
    private static void post(RxeConnection connection, ByteBuffer message) {
        PostStatus status = connection.send(message);
        while (status != PostStatus.POSTED) {
            assertTrue(status == PostStatus.FULL || status == PostStatus.NO_CREDITS, () -> connection + " refuses");
            Thread.yield();
            status = connection.send(message);
        }
    }

    @Test
    @DisplayName("both ends connect to each other at once, on the same port: two connections each time, and messages on each")
    void bothEndsConnectAtOnce() throws Exception {
        try (Pair pair = new Pair(); RxeClient back = new RxeClient(pair.serverNic);
             RxeServer other = RxeServer.listen(pair.clientNic, Pair.PORT, set -> set.onMessage(RxeConnection::send))) {
            pair.listen(DEFAULTS, set -> set.onMessage(RxeConnection::send));
            pair.client = new RxeClient(pair.clientNic);
            for (int round = 0; round < 20; round++) {
                CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
                CompletableFuture<ByteBuffer> answerBack = new CompletableFuture<>();
                RxeConnection there = pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.onMessage((from, message) ->
                    answer.complete(ByteBuffer.allocate(4).putInt(0, message.getInt()))));
                RxeConnection here = back.connect(Pair.CLIENT, Pair.PORT, set -> set.onMessage((from, message) ->
                    answerBack.complete(ByteBuffer.allocate(4).putInt(0, message.getInt()))));
                post(Pair.get(there.connected()), ByteBuffer.allocate(4).putInt(0, round));
                post(Pair.get(here.connected()), ByteBuffer.allocate(4).putInt(0, -round));
                assertEquals(round, Pair.get(answer).getInt(0));
                assertEquals(-round, Pair.get(answerBack).getInt(0));
            }
            assertEquals(20, other.connections().size());
            assertEquals(20, pair.server.connections().size());
        }
    }

    @Test
    void aMessageComesBackAndPrivateDataGoesBothWays() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS.withPrivateData(new byte[] {7, 0, 8}), server -> server
                    .onMessage((from, message) -> from.send(message)),
                DEFAULTS.withPrivateData(new byte[ConnectOptions.MAX_REQUEST_DATA]), set -> set
                    .onMessage((from, message) -> answer.complete(StandardCharsets.UTF_8.decode(message).toString())));
            assertEquals(PostStatus.POSTED, client.send(text("hello")));
            assertEquals("hello", Pair.get(answer));
            assertArrayEquals(new byte[] {7, 0, 8}, client.peerData());
            RxeConnection server = Pair.get(pair.accepted);
            assertEquals(ConnectOptions.MAX_REQUEST_DATA, server.peerData().length);
            assertEquals(Pair.CLIENT, server.peer().toString().replace("::ffff:", ""));
            assertEquals(QueuePairState.RTS, client.queuePair().state());
            assertEquals(PostStatus.POSTED, client.send(ByteBuffer.allocate(0)), "an empty message is a message");
            pair.expectNoRnr();
        }
    }

    @ParameterizedTest(name = "{0} threads, depths {1} and {2}, fault {3}, {4} engines")
    @CsvSource({"1,1,1,'',1", "4,1,3,'',1", "4,64,2,'loss 2%',1",
        "3,2,64,'loss 1% duplicate 1% delay 50us 50us reorder 5%',1", "4,64,64,'',2"})
    void manyThreadsSendBothWaysAndNobodyWaitsForAReceive(int threads, int sends, int receives, String fault, int engines)
        throws Exception {
        int each = 100;
        ConnectOptions options = DEFAULTS.withDepths(sends, receives).withMessageBytes(64);
        List<Queue<Long>> arrived = List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        CountDownLatch all = new CountDownLatch(2 * threads * each);
        try (Pair pair = new Pair(fault, engines)) {
            RxeConnection client = pair.connect(options, set -> set.onMessage((from, message) -> keep(message, arrived.get(0), all)),
                options, set -> set.onMessage((from, message) -> keep(message, arrived.get(1), all)));
            List<RxeConnection> sides = List.of(client, Pair.get(pair.accepted));
            List<Thread> senders = new ArrayList<>();
            for (RxeConnection side : sides) {
                for (int thread = 0; thread < threads; thread++) {
                    long name = (long) thread << 32;
                    senders.add(new Thread(() -> {
                        for (int number = 0; number < each; number++) {
                            post(side, ByteBuffer.allocate(8).putLong(0, name | number));
                        }
                    }));
                }
            }
            senders.forEach(Thread::start);
            assertTrue(all.await(120, TimeUnit.SECONDS), () -> all.getCount() + " messages are missing: " + sides);
            for (Queue<Long> messages : arrived) {
                for (int thread = 0; thread < threads; thread++) {
                    int name = thread;
                    List<Long> numbers = messages.stream().filter(message -> message >> 32 == name)
                        .map(message -> message & 0xFFFF_FFFFL).toList();
                    assertEquals(IntStream.range(0, each).mapToObj(Long::valueOf).toList(), numbers,
                        "each once, those of a thread in order");
                }
            }
            pair.expectNoRnr();
        }
    }

    private static void keep(ByteBuffer message, Queue<Long> to, CountDownLatch all) {
        assertEquals(8, message.remaining());
        to.add(message.getLong());
        all.countDown();
    }

    @Test
    @DisplayName("a busy receiver is a status; onWritable follows when it has room again")
    void backPressure() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch writable = new CountDownLatch(1);
        AtomicInteger received = new AtomicInteger();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS.withDepths(4, 4), set -> set.onMessage((from, message) -> {
                try {
                    // Forbidden to applications: here it is the busy receiver.
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                received.incrementAndGet();
            }), DEFAULTS.withDepths(64, 4), set -> set.onWritable(connection -> writable.countDown()));
            for (int message = 0; message < 4; message++) {
                assertEquals(PostStatus.POSTED, client.send(text("x")));
            }
            assertEquals(PostStatus.NO_CREDITS, client.send(text("one more")));
            assertEquals(1, writable.getCount());
            go.countDown();
            assertTrue(writable.await(60, TimeUnit.SECONDS));
            post(client, text("one more"));
            client.close();
            assertEquals(ConnectionEnd.Reason.CLOSED_HERE, Pair.get(client.closed()).reason());
            assertEquals(ConnectionEnd.Reason.CLOSED_BY_PEER, Pair.get(Pair.get(pair.accepted).closed()).reason());
            assertEquals(5, received.get(), "close waits for what was sent, and the end comes after the messages");
            pair.expectNoRnr();
        }
    }

    @Test
    @DisplayName("a message put in place is what lies before the position, big-endian, whatever an earlier one left")
    void inPlace() throws Exception {
        BlockingQueue<ByteBuffer> arrived = new LinkedBlockingQueue<>();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) ->
                arrived.add(ByteBuffer.allocate(message.remaining()).put(message).flip())), DEFAULTS.withDepths(1, 1), set ->
                assertEquals(PostStatus.NOT_CONNECTED, set.sendInPlace(message -> fail("there is no connection"))));
            for (int length : new int[] {4096, 8, 0}) {
                PostStatus status;
                do {
                    status = client.sendInPlace(message -> {
                        assertEquals(4096, message.remaining());
                        assertEquals(ByteOrder.BIG_ENDIAN, message.order());
                        message.order(ByteOrder.LITTLE_ENDIAN);
                        while (message.position() < length) {
                            message.putLong(length);
                        }
                    });
                } while (status == PostStatus.FULL);
                assertEquals(PostStatus.POSTED, status);
                ByteBuffer message = arrived.poll(60, TimeUnit.SECONDS);
                assertEquals(length, message.remaining());
                while (message.hasRemaining()) {
                    assertEquals(Long.reverseBytes(length), message.getLong());
                }
            }
            pair.expectNoRnr();
        }
    }

    @Test
    @DisplayName("a writer that flips its buffer sends nothing of it, and does not harm the next message of that buffer")
    void aWriterThatFlips() throws Exception {
        BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) -> arrived.add(message.remaining())),
                DEFAULTS.withDepths(1, 1), set -> { });
            assertEquals(PostStatus.POSTED, client.sendInPlace(message -> message.putInt(1).flip()));
            assertEquals(0, arrived.poll(60, TimeUnit.SECONDS));
            PostStatus status;
            do {
                Thread.onSpinWait();
                status = client.send(ByteBuffer.allocate(100));
            } while (status == PostStatus.FULL || status == PostStatus.NO_CREDITS);
            assertEquals(PostStatus.POSTED, status);
            assertEquals(100, arrived.poll(60, TimeUnit.SECONDS));
        }
    }

    @Test
    @DisplayName("a writer that throws sends nothing, and who was refused meanwhile may send: onWritable runs")
    void aWriterThatThrows() throws Exception {
        CompletableFuture<String> arrived = new CompletableFuture<>();
        CountDownLatch writable = new CountDownLatch(1);
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) ->
                arrived.complete(StandardCharsets.UTF_8.decode(message).toString())), DEFAULTS.withDepths(1, 1), set ->
                set.onWritable(connection -> writable.countDown()));
            RuntimeException thrown = assertThrows(IllegalStateException.class, () -> client.sendInPlace(message -> {
                assertEquals(PostStatus.FULL, client.send(text("meanwhile")));
                throw new IllegalStateException("no more data");
            }));
            assertEquals("no more data", thrown.getMessage());
            assertTrue(writable.await(60, TimeUnit.SECONDS));
            assertEquals(PostStatus.POSTED, client.send(text("later")));
            assertEquals("later", Pair.get(arrived));
        }
    }

    @Test
    @DisplayName("close waits for a writer, whose message arrives")
    void closeInAWriter() throws Exception {
        CompletableFuture<Integer> arrived = new CompletableFuture<>();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) -> arrived.complete(message.getInt())),
                DEFAULTS, set -> { });
            assertEquals(PostStatus.POSTED, client.sendInPlace(message -> {
                client.close();
                assertEquals(PostStatus.NOT_CONNECTED, client.send(text("late")));
                message.putInt(7);
            }));
            assertEquals(7, Pair.get(arrived));
            assertEquals(ConnectionEnd.Reason.CLOSED_HERE, Pair.get(client.closed()).reason());
            assertEquals(PostStatus.NOT_CONNECTED, client.sendInPlace(message -> fail("it is closed")));
        }
    }

    @Test
    void theLongestMessageIsThatOfTheSmallerSide() throws Exception {
        CompletableFuture<Integer> length = new CompletableFuture<>();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS.withMessageBytes(100_000), set -> set.onMessage((from, message) ->
                length.complete(message.remaining())), DEFAULTS.withMessageBytes(70_000), set -> { });
            assertEquals(70_000, client.maxMessageBytes());
            assertEquals(PostStatus.POSTED, client.send(ByteBuffer.allocate(70_000)));
            assertEquals(70_000, Pair.get(length));
        }
    }

    /** Sends each message back, and tells how much the engine that does so allocates. */
    private static final class Meter {
        private static final int MESSAGES = 2000;
        /** Netty copies the address for each send, and a run of the event loop has an empty array (LoopFaults.deliverPending). */
        private static final int BYTES_PER_SEND = 80;
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final ByteBuffer answer = ByteBuffer.allocateDirect(64);
        private final MessageWriter writer = message -> message.position(64);
        private volatile Thread engine;
        private volatile int count;

        void onMessage(RxeConnection from, ByteBuffer message) {
            engine = Thread.currentThread();
            int now = count + 1;
            count = now;
            if (now % 2 == 0) {
                from.send(answer);
            } else {
                from.sendInPlace(writer);
            }
        }

        /** Whether less than a byte for each of some thousand messages was allocated: the smallest object has 16. */
        boolean isFree(RxeNic nic) throws InterruptedException {
            while (engine == null) {
                Thread.sleep(1);
            }
            long sends = nic.countersByName().get("send_calls");
            long bytes = threads.getThreadAllocatedBytes(engine.getId());
            int begin = count;
            while (count - begin < MESSAGES) {
                Thread.sleep(1);
            }
            int messages = count - begin;
            long allocated = threads.getThreadAllocatedBytes(engine.getId()) - bytes;
            return allocated < messages + BYTES_PER_SEND * (nic.countersByName().get("send_calls") - sends);
        }
    }

    @Test
    @DisplayName("sending and receiving allocate nothing for a message")
    void nothingIsAllocated() throws Exception {
        Meter left = new Meter();
        Meter right = new Meter();
        try (Pair pair = new Pair()) {
            RxeConnection client = pair.connect(DEFAULTS, set -> set.onMessage(left::onMessage), DEFAULTS,
                set -> set.onMessage(right::onMessage));
            for (int message = 0; message < 32; message++) {
                post(client, ByteBuffer.allocate(64));
            }
            // Compilation of the hot methods takes some rounds.
            while (!left.isFree(pair.serverNic) || !right.isFree(pair.clientNic)) {
                assertTrue(client.isOpen());
            }
        }
    }
}
