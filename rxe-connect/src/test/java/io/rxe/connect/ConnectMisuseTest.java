package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Mistakes with io.rxe.connect get an error that names the value, the limit and the remedy, and change nothing")
@Timeout(240)
class ConnectMisuseTest {
    private static final ConnectOptions DEFAULTS = ConnectOptions.defaults();
    private static final OneSidedCallback IGNORED = (id, value, error) -> { };

    private Pair pair;
    private RxeConnection client;
    private RxeConnection inSetUp;
    private MemoryRegion region;
    private RemoteMemory remote;

    @BeforeEach
    void connect() throws Exception {
        pair = new Pair();
        client = pair.connect(DEFAULTS, set -> set.onMessage((from, message) -> from.send(message)), DEFAULTS, set -> inSetUp = set);
        region = client.register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE);
        remote = new RemoteMemory(4096, 64, 1);
    }

    /** The connection goes on after every mistake. */
    @AfterEach
    void close() throws Exception {
        try {
            assertTrue(client.isOpen());
            assertEquals(PostStatus.POSTED, client.send(ByteBuffer.allocate(1)));
        } finally {
            pair.close();
        }
    }

    private void expect(Class<? extends Exception> type, String words, Executable mistake) {
        Exception thrown = assertThrows(type, mistake);
        assertTrue(thrown.getMessage().contains(words), thrown.getMessage());
    }

    static Stream<Arguments> wrongOptions() {
        return Stream.of(
            Arguments.of("messageBytes 0 is not in 1..16777216", (Executable) () -> DEFAULTS.withMessageBytes(0)),
            Arguments.of("sendDepth 8193 is not in 1..8192", (Executable) () -> DEFAULTS.withDepths(8193, 1)),
            Arguments.of("receiveDepth -1 is not in 1..8192", (Executable) () -> DEFAULTS.withDepths(1, -1)),
            Arguments.of("oneSidedDepth 0 is not in 1..8192", (Executable) () -> DEFAULTS.withOneSidedDepth(0)),
            Arguments.of("connectTimeoutNs 0 < 1", (Executable) () -> DEFAULTS.withConnectTimeoutNs(0)),
            Arguments.of("failureTimeoutNs 999999 is not in 1000000..3600000000000: give 1 ms to 1 h",
                (Executable) () -> DEFAULTS.withFailureTimeout(Duration.ofNanos(999_999))),
            Arguments.of("is not in 1000000..3600000000000: give 1 ms to 1 h",
                (Executable) () -> DEFAULTS.withFailureTimeout(Duration.ofDays(200_000))),
            Arguments.of("is not in 1000000..3600000000000: give 1 ms to 1 h",
                (Executable) () -> DEFAULTS.withFailureTimeout(Duration.ofDays(-200_000))),
            Arguments.of("private data of 185 bytes > 184", (Executable) () -> DEFAULTS.withPrivateData(new byte[185])),
            Arguments.of("remote memory of -1 bytes < 0", (Executable) () -> new RemoteMemory(0, -1, 0)),
            Arguments.of("a remote memory is 20 bytes, here are 19", (Executable) () -> RemoteMemory.of(new byte[19])));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongOptions")
    void valuesOutOfRange(String words, Executable mistake) {
        expect(IllegalArgumentException.class, words, mistake);
    }

    @Test
    void messagesAndRangesOutside() {
        expect(IllegalArgumentException.class, "message of 4097 bytes > 4096, the smaller messageBytes of both sides",
            () -> client.send(ByteBuffer.allocate(4097)));
        expect(NullPointerException.class, "the message is null", () -> client.send(null));
        for (int attempt = 0; attempt <= DEFAULTS.sendDepth(); attempt++) {
            expect(IllegalArgumentException.class, "a buffer was full when the writer put more into it: message of more than 4096 bytes",
                () -> client.sendInPlace(message -> message.put(new byte[4097])));
            expect(IllegalArgumentException.class, "message of more than 4096 bytes", () -> client.sendInPlace(message -> message
                .position(4096).put((byte) 1)));
        }
        expect(NullPointerException.class, "the writer is null", () -> client.sendInPlace(null));
        OneSided oneSided = client.oneSided();
        expect(IllegalArgumentException.class, "8 bytes at offset 60 are not in remote memory of 64 bytes",
            () -> oneSided.read(remote, 60, 8));
        expect(IllegalArgumentException.class, "8 bytes at offset -8 are not in remote memory", () -> oneSided.fetchAdd(remote, -8, 1));
        expect(IllegalArgumentException.class, "9223372036854775807 bytes at offset 8 are not in", () -> remote.slice(8, Long.MAX_VALUE));
        expect(IllegalArgumentException.class, "address 0x1004 of an atomic is not a multiple of 8",
            () -> oneSided.compareAndSwap(remote, 4, 0, 1));
        expect(IllegalArgumentException.class, "4097 bytes > 4096, the messageBytes of this side",
            () -> oneSided.read(new RemoteMemory(0, 5000, 1), 0, 4097));
        expect(NullPointerException.class, "the remote memory is null", () -> oneSided.read(null, 0, 1));
        expect(NullPointerException.class, "the callback is null", () -> oneSided.read(remote, 0, region, 0, 8, null, 0));
        assertEquals(0, client.queuePair().outstandingSends());
    }

    @Test
    @DisplayName("a writer that raises the limit of its buffer does not reach the next one")
    void beyondTheLimit() throws Exception {
        RxeConnection odd = Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS.withMessageBytes(100), set -> { }).connected());
        expect(IllegalArgumentException.class, "message of 192 bytes > 100, the smaller messageBytes",
            () -> odd.sendInPlace(message -> message.clear().position(message.capacity())));
        assertEquals(PostStatus.POSTED, odd.sendInPlace(message -> message.position(100)));
    }

    @Test
    @DisplayName("a region that does not fit leaves its place free")
    void regionsThatDoNotFit() {
        OneSided oneSided = client.oneSided();
        MemoryRegion foreign = pair.clientNic.device().allocateProtectionDomain().register(ByteBuffer.allocateDirect(64), 1);
        MemoryRegion ended = client.register(ByteBuffer.allocateDirect(64), 1);
        ended.close();
        for (int attempt = 0; attempt < 3 * DEFAULTS.oneSidedDepth(); attempt++) {
            expect(IllegalArgumentException.class, "64", () -> oneSided.read(remote, 0, region, 60, 8, IGNORED, 0));
            expect(NullPointerException.class, "the region is null", () -> oneSided.write(null, 0, 8, remote, 0, IGNORED, 0));
            expect(IllegalArgumentException.class, "domain", () -> oneSided.write(foreign, 0, 8, remote, 0, IGNORED, 0));
            expect(IllegalArgumentException.class, "closed", () -> oneSided.write(ended, 0, 8, remote, 0, IGNORED, 0));
        }
    }

    @Test
    void callsAtTheWrongTime() throws Exception {
        expect(IllegalStateException.class, "onMessage after the set-up of connection with",
            () -> inSetUp.onMessage((from, message) -> { }));
        expect(IllegalStateException.class, "reject after the set-up", () -> inSetUp.reject("too late"));
        expect(IllegalStateException.class, "only requests of peers can be rejected",
            () -> pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.reject("")));
        expect(IllegalStateException.class, "has no queue pair before its set-up callback has returned",
            () -> pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.queuePair()));
        expect(UnknownHostException.class, "no.such.host.invalid", () -> pair.client.connect("no.such.host.invalid", 1, set -> { }));
        expect(IllegalArgumentException.class, "port 0 is not in 1..65535", () -> pair.client.connect(Pair.SERVER, 0, set -> { }));
        expect(IllegalArgumentException.class, "private data of 45 bytes > 44, the most of a client",
            () -> pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS.withPrivateData(new byte[45]), set -> { }));
        expect(IllegalStateException.class, "TCP port 7471 has a listener already", () -> RxeServer.listen(pair.serverNic, Pair.PORT,
            set -> { }));
        expect(NullPointerException.class, "the NIC is null", () -> new RxeClient(null));
        assertEquals(1, pair.client.connections().size(), "what failed leaves nothing");
    }

    @Test
    @DisplayName("sizes and depths come in any order: what they need together counts where they are used, and an answer is rejected")
    void moreMemoryThanAConnectionMayHave() throws Exception {
        ConnectOptions large = DEFAULTS.withMessageBytes(16 << 20);
        assertEquals(DEFAULTS.withDepths(8, 8).withOneSidedDepth(8).withMessageBytes(16 << 20),
            large.withDepths(8, 8).withOneSidedDepth(8));
        String words = "messageBytes 16777216 times the depths is 3254779904 bytes > 1073741824: lower one";
        expect(IllegalArgumentException.class, words, () -> pair.client.connect(Pair.SERVER, Pair.PORT, large, set -> { }));
        expect(IllegalArgumentException.class, words, () -> RxeServer.listen(pair.serverNic, Pair.PORT + 1, large, set -> { }));
        try (RxeServer server = RxeServer.listen(pair.serverNic, Pair.PORT + 1, set -> set.answer(large))) {
            ConnectionEnd end = Pair.get(pair.client.connect(Pair.SERVER, server.port(), set -> { }).closed());
            assertEquals(ConnectionEnd.Reason.REJECTED, end.reason(), end::toString);
        }
        assertEquals(1, pair.client.connections().size(), "what failed leaves nothing");
    }

    @Test
    @DisplayName("a request that is given up in its set-up ends at once, with onClosed, and is never sent")
    void givenUpInSetUp() throws Exception {
        CompletableFuture<ConnectionEnd> end = new CompletableFuture<>();
        RxeConnection given = pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.onClosed(end::complete).close());
        assertEquals(new ConnectionEnd(ConnectionEnd.Reason.CLOSED_HERE, ""), Pair.get(end));
        assertEquals(end.join(), Pair.get(given.closed()));
        assertEquals(1, pair.server.connections().size());
    }

    @Test
    @DisplayName("a client that is closed in a set-up does not wait for it, and gives the connection up")
    void closedInSetUp() throws Exception {
        RxeClient other = new RxeClient(pair.clientNic);
        CompletableFuture<ConnectionEnd> end = new CompletableFuture<>();
        String[] running = new String[1];
        List<String> warned = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger("io.rxe.connect");
        logger.setFilter(warning -> warned.add(warning.getMessage()));
        RxeConnection given = other.connect(Pair.SERVER, Pair.PORT, set -> {
            running[0] = other.held();
            other.close();
            set.onClosed(end::complete);
        });
        logger.setFilter(null);
        assertEquals(List.of(), warned);
        assertEquals(new ConnectionEnd(ConnectionEnd.Reason.CLOSED_HERE, ""), Pair.get(end));
        assertEquals(end.join(), Pair.get(given.closed()));
        other.close();
        assertTrue(running[0].contains("is in " + getClass().getName()), running[0]);
        assertEquals(1, pair.server.connections().size());
    }

    @Test
    @DisplayName("a wait for the connection in its own set-up is refused")
    void waitsInSetUp() {
        expect(IllegalStateException.class, "join in a callback on", () -> pair.client.connect(Pair.SERVER, Pair.PORT,
            set -> set.connected().orTimeout(30, TimeUnit.SECONDS).join()));
        expect(IllegalStateException.class, "join in a callback on", () -> pair.client.connect(Pair.SERVER, Pair.PORT,
            set -> set.closed().orTimeout(30, TimeUnit.SECONDS).join()));
    }

    @Test
    void closingTheServerOnAnEngineIsRefused() throws Exception {
        CompletableFuture<String> refused = new CompletableFuture<>();
        RxeConnection second = pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.onMessage((from, message) -> {
            try {
                pair.client.close();
            } catch (IllegalStateException e) {
                refused.complete(e.getMessage());
            }
        }));
        Pair.get(second.connected());
        // Then the connection thread has left the second one: it dispatches what arrives while that is established.
        Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, set -> { }).connected());
        second.send(ByteBuffer.allocate(1));
        assertTrue(Pair.get(refused).startsWith("close of the client on the thread of an engine"), refused.join());
    }

    @Test
    @DisplayName("the server of another NIC is not closed in onMessage either: the end waits for an answer of this engine")
    void closingTheServerOfAnotherNicIsRefused() throws Exception {
        CompletableFuture<String> refused = new CompletableFuture<>();
        pair.clientNic.core().engine(0).thread().call(() -> {
            try {
                pair.server.close();
                refused.complete("not refused");
            } catch (IllegalStateException e) {
                refused.complete(e.getMessage());
            }
        });
        assertTrue(Pair.get(refused).startsWith("close of the server on the thread of an engine"), refused.join());
        assertTrue(Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, set -> { }).connected()).isOpen());
    }

    @Test
    @DisplayName("a server that is closed on the thread of an engine goes on, and still listens")
    void aRefusedCloseLeavesTheServerListening() throws Exception {
        pair.serverNic.core().engine(0).thread().call(() -> expect(IllegalStateException.class,
            "close of the server on the thread of an engine", pair.server::close));
        assertTrue(Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, set -> { }).connected()).isOpen());
    }

    @Test
    void aClosedClientIsRefused() throws Exception {
        RxeClient other = new RxeClient(pair.clientNic);
        other.close();
        expect(IllegalStateException.class, "the client is closed: open another", () -> other.connect(Pair.SERVER, Pair.PORT, set -> { }));
        assertEquals(List.of(), List.copyOf(other.connections()));
    }

    @Test
    @DisplayName("a server whose thread cannot start leaves its port to the next one")
    void aThreadThatCannotStart() {
        ThreadFactory none = work -> new Thread(work) {
            @Override
            public void start() {
                throw new OutOfMemoryError("unable to create native thread");
            }
        };
        assertThrows(OutOfMemoryError.class, () -> new RxeServer(pair.serverNic, Pair.PORT + 1, DEFAULTS, null, set -> { }, none));
        RxeServer.listen(pair.serverNic, Pair.PORT + 1, set -> { }).close();
    }
}
