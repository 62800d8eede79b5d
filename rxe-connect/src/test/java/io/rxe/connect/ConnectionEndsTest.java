package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectParameters;
import io.rxe.connect.ConnectionEnd.Reason;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkRequest;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Every connection ends once, and says why")
@Timeout(240)
class ConnectionEndsTest {
    private static final ConnectOptions DEFAULTS = ConnectOptions.defaults();

    private final List<ConnectionEnd> serverEnds = new CopyOnWriteArrayList<>();
    private final List<ConnectionEnd> clientEnds = new CopyOnWriteArrayList<>();
    private Pair pair;

    @BeforeEach
    void open() throws Exception {
        pair = new Pair();
    }

    /** Both onClosed have run exactly once when everything is closed. */
    @AfterEach
    void close() {
        pair.close();
        assertTrue(serverEnds.size() <= 1 && clientEnds.size() <= 1, () -> serverEnds + " " + clientEnds);
    }

    private RxeConnection connect(Consumer<RxeConnection> serverSetUp) throws Exception {
        return pair.connect(DEFAULTS, set -> serverSetUp.accept(set.onClosed(serverEnds::add)), DEFAULTS,
            set -> set.onClosed(clientEnds::add));
    }

    private void expect(RxeConnection connection, List<ConnectionEnd> ends, Reason reason) throws Exception {
        ConnectionEnd end = Pair.get(connection.closed());
        assertEquals(reason, end.reason(), end::toString);
        assertEquals(List.of(end), ends, "onClosed runs once");
        assertFalse(connection.isOpen());
        assertEquals(PostStatus.NOT_CONNECTED, connection.send(ByteBuffer.allocate(1)));
    }

    /** What the client closes. */
    enum Closed {
        CONNECTION, CLIENT, QUEUE_PAIR, NIC
    }

    @ParameterizedTest
    @EnumSource(Closed.class)
    void oneSideCloses(Closed what) throws Exception {
        RxeConnection client = connect(set -> { });
        RxeConnection server = Pair.get(pair.accepted);
        switch (what) {
            case CONNECTION -> client.close();
            case CLIENT -> pair.client.close();
            case QUEUE_PAIR -> client.queuePair().close();
            case NIC -> pair.clientNic.close();
        }
        expect(client, clientEnds, Reason.CLOSED_HERE);
        expect(server, serverEnds, Reason.CLOSED_BY_PEER);
        client.close();
        pair.client.close();
        assertTrue(pair.client.connections().isEmpty() && pair.server.connections().isEmpty());
    }

    @Test
    void theServerCloses() throws Exception {
        RxeConnection client = connect(set -> { });
        pair.server.close();
        expect(Pair.get(pair.accepted), serverEnds, Reason.CLOSED_HERE);
        expect(client, clientEnds, Reason.CLOSED_BY_PEER);
        assertThrows(ExecutionException.class, () -> Pair.get(pair.client.connect(Pair.SERVER, Pair.PORT, set -> { }).connected()));
    }

    @Test
    void theServerRejects() throws Exception {
        pair.listen(DEFAULTS, set -> set.onClosed(serverEnds::add).reject("no room for " + set.peer()));
        pair.client = new RxeClient(pair.clientNic);
        RxeConnection client = pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.onClosed(clientEnds::add));
        expect(client, clientEnds, Reason.REJECTED);
        expect(Pair.get(pair.accepted), serverEnds, Reason.REJECTED);
        assertTrue(clientEnds.get(0).explanation().endsWith("the peer says: no room for ::ffff:127.0.0.1"), clientEnds.toString());
        Throwable failed = assertThrows(ExecutionException.class, () -> Pair.get(client.connected())).getCause();
        assertTrue(failed.getMessage().contains("no room for"), failed.getMessage());
    }

    @Test
    void nobodyListens() throws Exception {
        pair.serverNic.connections();
        pair.client = new RxeClient(pair.clientNic);
        RxeConnection client = pair.client.connect(Pair.SERVER, 7000, set -> set.onClosed(clientEnds::add));
        expect(client, clientEnds, Reason.REJECTED);
        assertTrue(clientEnds.get(0).explanation().startsWith("no listener on"), clientEnds.toString());
    }

    @Test
    void nobodyAnswers() throws Exception {
        pair.serverNic.close();
        pair.client = new RxeClient(pair.clientNic);
        RxeConnection client = pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS.withConnectTimeoutNs(TimeUnit.MILLISECONDS.toNanos(50)),
            set -> set.onClosed(clientEnds::add));
        expect(client, clientEnds, Reason.UNREACHABLE);
    }

    @Test
    @DisplayName("a host whose port is closed ends the request at the first retransmission, without the timeout")
    void thePortIsClosed() throws Exception {
        pair.serverNic.close();
        pair.client = new RxeClient(pair.clientNic);
        RxeConnection client = pair.client.connect(Pair.SERVER, Pair.PORT, DEFAULTS.withConnectTimeoutNs(TimeUnit.HOURS.toNanos(1)),
            set -> set.onClosed(clientEnds::add));
        expect(client, clientEnds, Reason.UNREACHABLE);
        assertTrue(clientEnds.get(0).explanation().contains("(port unreachable): start rxe"), clientEnds.toString());
    }

    @Test
    @DisplayName("an exception of onMessage ends the connection with it")
    void aCallbackThrows() throws Exception {
        RuntimeException thrown = new RuntimeException("of the application");
        RxeConnection client = connect(set -> set.onMessage((from, message) -> {
            throw thrown;
        }));
        client.send(ByteBuffer.allocate(8));
        expect(Pair.get(pair.accepted), serverEnds, Reason.FAILED);
        assertSame(thrown, serverEnds.get(0).cause());
        assertEquals("onMessage threw java.lang.RuntimeException: of the application", serverEnds.get(0).explanation());
        expect(client, clientEnds, Reason.CLOSED_BY_PEER);
    }

    @Test
    @DisplayName("a WRITE with immediate of the peer is no message, whatever its immediate data says: it ends the connection")
    void aWriteWithImmediate() throws Exception {
        List<String> messages = new CopyOnWriteArrayList<>();
        RxeConnection client = connect(set -> set.onMessage((from, message) -> messages.add(message.toString())));
        assertTrue(client.queuePair().postSend(new WorkRequest().writeWithImmediate(0, 0, 7)));
        expect(Pair.get(pair.accepted), serverEnds, Reason.FAILED);
        assertTrue(serverEnds.get(0).explanation().startsWith("a WRITE with immediate of the peer took the receive of a message"),
            serverEnds::toString);
        assertEquals(List.of(), messages);
    }

    @Test
    @DisplayName("the reason of a rejection is cut behind a whole character, as a REJ has no room for the rest")
    void aLongReason() {
        String long148 = "x".repeat(145) + "é" + "y";
        assertEquals(long148, new String(ConnectionEnd.reasonBytes(long148), StandardCharsets.UTF_8));
        assertEquals(long148, new String(ConnectionEnd.reasonBytes(long148 + "z"), StandardCharsets.UTF_8));
        assertEquals("x".repeat(147), new String(ConnectionEnd.reasonBytes("x".repeat(147) + "é"), StandardCharsets.UTF_8));
        assertEquals("x".repeat(145), new String(ConnectionEnd.reasonBytes("x".repeat(145) + "😀"), StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("onMessage may close its connection: what it sent before arrives")
    void aCallbackCloses() throws Exception {
        CompletableFuture<Byte> lastMessage = new CompletableFuture<>();
        pair.connect(DEFAULTS, set -> set.onClosed(serverEnds::add).onMessage((from, message) -> {
            from.send(ByteBuffer.wrap(new byte[] {77}));
            from.close();
        }), DEFAULTS, set -> set.onClosed(clientEnds::add).onMessage((from, message) -> lastMessage.complete(message.get())))
            .send(ByteBuffer.allocate(8));
        assertEquals((byte) 77, Pair.get(lastMessage));
        expect(Pair.get(pair.accepted), serverEnds, Reason.CLOSED_HERE);
    }

    @Test
    @DisplayName("the peer vanishes without a word: the next request fails when the retries set by tuning are used up")
    void thePeerVanishes() throws Exception {
        RxeConnection client = pair.connect(DEFAULTS, set -> set.onClosed(serverEnds::add),
            DEFAULTS.withTuning(parameters -> parameters.ackTimeoutCode(14).retryCount(1)), set -> set.onClosed(clientEnds::add));
        CompletableFuture<Void> hang = pair.hangServer();
        try {
            CompletableFuture<String> read = new CompletableFuture<>();
            client.oneSided().fetchAdd(new RemoteMemory(4096, 8, 5), 0, 1, (id, value, error) -> read.complete(error), 0);
            assertTrue(Pair.get(read).contains("did not answer"), () -> read.join());
            expect(client, clientEnds, Reason.FAILED);
            assertTrue(clientEnds.get(0).explanation().contains("retry_cnt 1"), clientEnds.toString());
        } finally {
            hang.complete(null);
        }
    }

    @Test
    void aClientOfAnotherKindIsRejected() throws Exception {
        pair.listen(DEFAULTS, set -> { });
        CompletionQueue queue = pair.clientNic.device().createCompletionQueue(16);
        CmEventChannel events = new CmEventChannel();
        pair.clientNic.connections().connector(events).connect(pair.clientNic.device().allocateProtectionDomain()
            .createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue)), pair.clientNic.resolve(Pair.SERVER), Pair.PORT,
            new ConnectParameters());
        CmEvent event = events.await(TimeUnit.SECONDS.toNanos(60));
        assertEquals(CmEvent.Type.REJECTED, event.type());
        assertTrue(new String(event.privateData(), StandardCharsets.UTF_8).startsWith("port 7471 is an RxeServer"));
        assertEquals(1, pair.server.foreignRequests());
    }

    @Test
    @DisplayName("a connection that is closed while it is accepted, behind the set-up callback, ends")
    void closedWhileAccepted() throws Exception {
        ProtectionDomain domain = pair.serverNic.device().allocateProtectionDomain();
        AtomicReference<RxeConnection> accepting = new AtomicReference<>();
        Object closing = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ProtectionDomain.class},
            (proxy, method, arguments) -> {
                if (method.getName().equals("register")) {
                    accepting.get().close();
                }
                return method.invoke(domain, arguments);
            });
        pair.server = RxeServer.listen(pair.serverNic, Pair.PORT, DEFAULTS, (ProtectionDomain) closing,
            set -> accepting.set(set.onClosed(serverEnds::add)));
        pair.client = new RxeClient(pair.clientNic);
        RxeConnection client = pair.client.connect(Pair.SERVER, Pair.PORT, set -> set.onClosed(clientEnds::add));
        expect(client, clientEnds, Reason.REJECTED);
        expect(accepting.get(), serverEnds, Reason.CLOSED_HERE);
    }

    @Test
    @DisplayName("closing a server with the NIC already closed, and regions left open, is fine")
    void closingInAnyOrder() throws Exception {
        RxeConnection client = connect(set -> set.register(ByteBuffer.allocateDirect(64), AccessFlags.LOCAL_WRITE));
        pair.serverNic.close();
        pair.server.close();
        expect(Pair.get(pair.accepted), serverEnds, Reason.CLOSED_HERE);
        expect(client, clientEnds, Reason.CLOSED_BY_PEER);
        IllegalStateException closed = assertThrows(IllegalStateException.class, () -> RxeServer.listen(pair.serverNic, 7471, set -> { }));
        assertTrue(closed.getMessage().contains("is closed: open another"), closed.getMessage());
    }
}
