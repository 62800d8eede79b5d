package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.device.Nic;
import io.rxe.device.TestConfig;
import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Every misuse of connection management is refused at the call, with a sentence that names what is wrong and what to do")
class CmMisuseTest {
    private static final ConnectParameters DEFAULTS = new ConnectParameters();
    private static final Class<NullPointerException> NULL = NullPointerException.class;
    private static final Class<IllegalArgumentException> ARGUMENT = IllegalArgumentException.class;
    private static final Class<IllegalStateException> STATE = IllegalStateException.class;

    /** The pair, and what most rows need of it. */
    private static final class Stage {
        final CmPair pair = new CmPair();
        final Connector connector = pair.client.service.connector(pair.client.channel);
        final ConnectionService service = pair.server.service;
        final CmEventChannel channel = pair.server.channel;
        final Gid server = pair.server.gid;

        FakeQueuePair queuePair() {
            return pair.client.queuePair();
        }

        CmConnection requested() {
            return pair.connect().requested().serverConnection;
        }

        CmConnection resolved() {
            service.listen(channel, PortSpace.UDP, 5);
            connector.resolve(server, 5, DEFAULTS);
            pair.network.run(CmNetwork.LATENCY_NS);
            return pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection();
        }

        CmConnection accepted() {
            requested();
            return pair.accept().serverConnection;
        }

        CmConnection rejected() {
            CmConnection request = requested();
            request.reject(new byte[0]);
            return request;
        }

        CmConnection closed() {
            CmConnection connection = accepted();
            connection.close();
            return connection;
        }
    }

    /** A mistake: what is called, what it throws, and parts of the sentence. */
    private record Row(String name, Consumer<Stage> call, Class<? extends RuntimeException> thrown, String... parts) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Row row(String name, Consumer<Stage> call, Class<? extends RuntimeException> thrown, String... parts) {
        return new Row(name, call, thrown, parts);
    }

    static List<Row> service() {
        return List.of(
            row("listen on null", on -> on.service.listen(null, PortSpace.TCP, 1), NULL, "event channel", "create"),
            row("listen in null", on -> on.service.listen(on.channel, null, 1), NULL, "port space", "TCP"),
            row("listen on port 0", on -> on.service.listen(on.channel, PortSpace.TCP, 0), ARGUMENT, "port 0", "1..65535"),
            row("listen on port 65536", on -> on.service.listen(on.channel, PortSpace.TCP, 65_536), ARGUMENT, "65536", "1..65535"),
            row("listen with backlog 0", on -> on.service.listen(on.channel, PortSpace.TCP, 1, 0), ARGUMENT, "backlog 0"),
            row("listen twice", on -> on.service.listen(on.channel, PortSpace.TCP, CmPair.PORT), STATE, "7174", "another port"),
            row("listen, channel closed", on -> {
                on.channel.close();
                on.service.listen(on.channel, PortSpace.TCP, 1);
            }, STATE, "event channel is closed", "another"),
            row("listen, NIC closed", on -> {
                on.service.close();
                on.service.listen(on.channel, PortSpace.TCP, 1);
            }, STATE, "10.0.0.2 is closed", "open another"),
            row("connector of null", on -> on.service.connector(null), NULL, "event channel", "create"),
            row("prepare null", on -> ConnectionService.prepare(null), NULL, "queue pair", "give one"),
            row("small channel", on -> new CmEventChannel(3), ARGUMENT, "3 events < 4"),
            row("channel that calls null", on -> new CmEventChannel(8, null), NULL, "listener"),
            row("poll, channel closed", on -> {
                on.channel.close();
                on.channel.poll();
            }, STATE, "closed", "create another"),
            row("poll, NIC closed", on -> {
                on.service.close();
                on.channel.poll();
            }, STATE, "NIC at 10.0.0.2 is closed"));
    }

    static List<Row> connector() {
        return List.of(
            row("connect null", on -> on.connector.connect((QueuePair) null, on.server, 1, DEFAULTS), NULL, "queue pair", "give one"),
            row("connect to null", on -> on.connector.connect(on.queuePair(), null, 1, DEFAULTS), NULL, "address of the peer"),
            row("connect with null", on -> on.connector.connect(on.queuePair(), on.server, 1, null), NULL, "parameters"),
            row("connect type null", on -> on.connector.connect((QueuePairType) null, on.server, 1, DEFAULTS), NULL, "RC or UC"),
            row("connect without number", on -> on.connector.connect(QueuePairType.RC, on.server, 1, DEFAULTS), ARGUMENT, "0x0"),
            row("connect UD", on -> on.connector.connect(on.pair.client.queuePair(QueuePairType.UD), on.server, 1, DEFAULTS), ARGUMENT,
                "UD", "use resolve"),
            row("connect to a group", on -> on.connector.connect(on.queuePair(), Gid.parse("224.0.0.1"), 1, DEFAULTS), ARGUMENT,
                "224.0.0.1", "unicast"),
            row("connect to IPv6", on -> on.connector.connect(on.queuePair(), Gid.parse("fd99::2"), 1, DEFAULTS), ARGUMENT, "family"),
            row("connect to port -1", on -> on.connector.connect(on.queuePair(), on.server, -1, DEFAULTS), ARGUMENT, "port -1"),
            row("connect one queue pair twice", on -> {
                on.pair.connect();
                on.connector.connect(on.pair.clientPair, on.server, 1, DEFAULTS);
            }, STATE, "belongs to a connection"),
            row("accept with a connected queue pair", on -> {
                on.accepted();
                on.pair.connect().requested().serverConnection.accept(on.pair.serverPair, DEFAULTS);
            }, STATE, "belongs to a connection"),
            row("connect, channel full", on -> {
                Connector small = on.pair.client.service.connector(new CmEventChannel(4));
                small.connect(on.queuePair(), on.server, 1, DEFAULTS);
                small.connect(on.queuePair(), on.server, 1, DEFAULTS);
            }, STATE, "no room", "larger"),
            row("connect, NIC closed", on -> {
                on.pair.client.service.close();
                on.connector.connect(on.queuePair(), on.server, 1, DEFAULTS);
            }, STATE, "10.0.0.1 is closed", "open another"),
            row("resolve null", on -> on.connector.resolve(null, 1, DEFAULTS), NULL, "address of the peer"),
            row("resolve with null", on -> on.connector.resolve(on.server, 1, null), NULL, "parameters"),
            row("resolve port 0", on -> on.connector.resolve(on.server, 0, DEFAULTS), ARGUMENT, "port 0"),
            row("resolve, NIC closed", on -> {
                on.pair.client.service.close();
                on.connector.resolve(on.server, 1, DEFAULTS);
            }, STATE, "10.0.0.1 is closed"));
    }

    static List<Row> connection() {
        return List.of(
            row("accept null", on -> on.requested().accept(null, DEFAULTS), NULL, "queue pair"),
            row("accept with null", on -> on.requested().accept(on.queuePair(), null), NULL, "parameters"),
            row("accept without number", on -> on.requested().accept(DEFAULTS), ARGUMENT, "queuePairNumber"),
            row("accept with UC", on -> on.requested().accept(on.pair.server.queuePair(QueuePairType.UC), DEFAULTS), ARGUMENT, "UC", "RC"),
            row("accept with 197 bytes", on -> on.requested().accept(on.queuePair(), new ConnectParameters().privateData(new byte[197])),
                ARGUMENT, "197", "196"),
            row("accept twice", on -> on.accepted().accept(on.queuePair(), DEFAULTS), STATE, "accepted before", "disconnect"),
            row("accept a number twice", on -> on.accepted().accept(new ConnectParameters().queuePairNumber(1)), STATE, "accepted before"),
            row("accept after reject", on -> on.rejected().accept(on.queuePair(), DEFAULTS), STATE, "rejected before"),
            row("accept after close", on -> on.closed().accept(on.queuePair(), DEFAULTS), STATE, "is closed"),
            row("accept what this side began", on -> on.pair.connect().clientConnection.accept(on.queuePair(), DEFAULTS), STATE, "began"),
            row("accept datagrams in RESET", on -> on.resolved().accept(new FakeQueuePair(1, QueuePairType.UD, on.server,
                PathMtu.MTU_1024), DEFAULTS), STATE, "RESET", "prepare"),
            row("reject null", on -> on.requested().reject(null), NULL, "private data"),
            row("reject with 149 bytes", on -> on.requested().reject(new byte[149]), ARGUMENT, "149", "148"),
            row("reject twice", on -> on.rejected().reject(new byte[0]), STATE, "rejected before", "next request"),
            row("reject after accept", on -> on.accepted().reject(new byte[0]), STATE, "accepted before", "disconnect"),
            row("reject after close", on -> on.closed().reject(new byte[0]), STATE, "is closed"),
            row("reject what this side began", on -> on.pair.connect().clientConnection.reject(new byte[0]), STATE, "began"),
            row("disconnect before accept", on -> on.requested().disconnect(), STATE, "neither accepted nor rejected", "reject"),
            row("disconnect after reject", on -> on.rejected().disconnect(), STATE, "was rejected"),
            row("disconnect after close", on -> on.closed().disconnect(), STATE, "is closed"),
            row("establish a request", on -> on.requested().establish(), STATE, "accept it"),
            row("data for what this side began", on -> on.pair.connect().clientConnection.notifyEstablished(), STATE, "did not accept"),
            row("data before accept", on -> on.requested().notifyEstablished(), STATE, "did not accept"));
    }

    static List<Row> parameters() {
        return List.of(
            row("private data null", on -> new ConnectParameters().privateData(null), NULL, "privateData"),
            row("private data of 197 bytes", on -> new ConnectParameters().privateData(new byte[197]), ARGUMENT, "197", "196"),
            row("connect in UDP", on -> new ConnectParameters().portSpace(PortSpace.UDP), ARGUMENT, "UDP", "use TCP or IB"),
            row("connect in null", on -> new ConnectParameters().portSpace(null), NULL, "port space", "TCP or IB"),
            row("responder resources 129", on -> new ConnectParameters().responderResources(129), ARGUMENT, "129", "0..128"),
            row("initiator depth -1", on -> new ConnectParameters().initiatorDepth(-1), ARGUMENT, "-1", "0..128"),
            row("retry count 8", on -> new ConnectParameters().retryCount(8), ARGUMENT, "8", "0..7"),
            row("RNR retry 8", on -> new ConnectParameters().rnrRetry(8), ARGUMENT, "8", "0..7"),
            row("RNR timer 32", on -> new ConnectParameters().minRnrTimer(32), ARGUMENT, "32", "0..31"),
            row("timeout code 32", on -> new ConnectParameters().ackTimeoutCode(32), ARGUMENT, "32", "0..31"),
            row("source port 65536", on -> new ConnectParameters().sourcePort(65_536), ARGUMENT, "65536", "0..65535"),
            row("queue pair number 2^24", on -> new ConnectParameters().queuePairNumber(1 << 24), ARGUMENT, "0..16777215"),
            row("keep-alive of 1 us", on -> new ConnectParameters().keepAliveNs(1000), ARGUMENT, "keepAliveNs 1000 ", "1 ms"),
            row("timeout 0", on -> new ConnectParameters().timeoutNs(0), ARGUMENT, "timeoutNs 0"));
    }

    static List<Row> realQueuePairs() {
        return List.of(
            row("connect a queue pair of another NIC", on -> {
                Host other = new Host("10.0.0.2");
                new Host("10.0.0.1").connect(other.queuePair());
            }, ARGUMENT, "belongs to another device", "create it with this one"),
            row("connect a closed queue pair", on -> {
                Host host = new Host("10.0.0.1");
                QueuePair queuePair = host.queuePair();
                queuePair.close();
                host.connect(queuePair);
            }, STATE, "closed", "create another"),
            row("connect twice", on -> {
                Host host = new Host("10.0.0.1");
                QueuePair queuePair = host.queuePair();
                host.connect(queuePair);
                host.connect(queuePair);
            }, STATE, "belongs to a connection", "RESET"),
            row("a second service", on -> ConnectionService.open(new Host("10.0.0.1").nic), STATE, "has connection management",
                "RxeNic.connections()"),
            row("a service of a closed NIC", on -> {
                Nic nic = new Nic(TestConfig.of(Gid.parse("10.0.0.1"), 4791, PathMtu.MTU_1024, 1), new Random(1)::nextInt,
                    List.of(SameThread.INLINE), MulticastPort.NONE, null);
                nic.close();
                ConnectionService.open(nic);
            }, STATE, "closed", "open another"));
    }

    /** A NIC whose packets go nowhere. */
    private static final class Host {
        private final Nic nic;
        private final CompletionQueue completions;
        private final Connector connector;

        Host(String address) {
            nic = new Nic(TestConfig.of(Gid.parse(address), 4791, PathMtu.MTU_1024, 1), new Random(1)::nextInt,
                List.of(SameThread.INLINE), MulticastPort.NONE, null);
            completions = nic.createCompletionQueue(8);
            connector = ConnectionService.open(nic).connector(new CmEventChannel());
        }

        QueuePair queuePair() {
            return nic.allocateProtectionDomain().createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
        }

        void connect(QueuePair queuePair) {
            connector.connect(queuePair, Gid.parse("10.0.0.3"), 1, DEFAULTS);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"service", "connector", "connection", "parameters", "realQueuePairs"})
    void isRefused(Row row) {
        Stage stage = new Stage();
        RuntimeException thrown = assertThrows(RuntimeException.class, () -> row.call.accept(stage));
        assertInstanceOf(row.thrown, thrown);
        String message = thrown.getMessage();
        assertNotNull(message);
        for (String part : row.parts) {
            assertTrue(message.contains(part), () -> "'" + message + "' lacks '" + part + "'");
        }
    }
}
