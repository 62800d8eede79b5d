package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.ConnectionEnd.Reason;
import io.rxe.counters.NicCounter;
import io.rxe.net.FreePorts;
import io.rxe.net.JavaProcess;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A client that is killed or stopped")
@Timeout(240)
class KilledClientTest {
    private static final String SERVER = "127.0.0.2";
    private static final String CLIENT = "127.0.0.1";
    private static final int PORT = 7471;
    private static final byte HELLO = 34;
    private static final int LAST = -1;
    /** A client that is started again has the numbers of the one before: queue pairs, PSNs, communication IDs. */
    private static final long SEED = 5;
    /** Of 1.07 s each, of which 8 end a connection. */
    private static final int TIMEOUTS = 4;

    /** The client: greets the server, counts the numbers that come in order, and says how many when -1 comes. */
    static final class Client {
        private Client() {
        }

        public static void main(String[] arguments) throws Exception {
            RxeNic nic = RxeNic.open(RxeNicOptions.defaults(CLIENT).withUdpPort(Integer.parseInt(arguments[0])).withSeed(SEED));
            AtomicInteger next = new AtomicInteger();
            RxeConnection connection = new RxeClient(nic).connect(SERVER, PORT, set -> set.onMessage((from, message) -> {
                if (message.getInt(0) == next.get()) {
                    next.incrementAndGet();
                } else if (message.getInt(0) == LAST) {
                    from.send(ByteBuffer.allocate(5).put(HELLO).putInt(next.get()).flip());
                }
            })).connected().get();
            connection.send(ByteBuffer.wrap(new byte[] {HELLO})).orThrow();
            connection.closed().get();
        }
    }

    @Test
    @DisplayName("by SIGSTOP under load goes on when it continues, many timeouts later: every message arrives once and in order")
    void survivesAPause() throws Exception {
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        CompletableFuture<RxeConnection> greeted = new CompletableFuture<>();
        CompletableFuture<Integer> received = new CompletableFuture<>();
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(SERVER).withUdpPort(udpPort));
             RxeServer server = RxeServer.listen(nic, PORT, set -> set.onMessage((from, message) -> {
                 assertEquals(HELLO, message.get());
                 if (!greeted.complete(from)) {
                     received.complete(message.getInt());
                 }
             }))) {
            Process client = JavaProcess.start(Client.class, String.valueOf(udpPort));
            try {
                RxeConnection connection = Pair.get(greeted);
                int sent = send(connection, 0, () -> nic.core().counter(NicCounter.SENT_PKTS) > 10_000);
                signal("STOP", client);
                long before = nic.core().counter(NicCounter.ACK_TIMEOUT);
                sent = send(connection, sent, () -> nic.core().counter(NicCounter.ACK_TIMEOUT) >= before + TIMEOUTS);
                signal("CONT", client);
                int goal = sent + 1000;
                AtomicInteger number = new AtomicInteger(sent);
                sent = send(connection, sent, () -> number.incrementAndGet() > goal);
                assertTrue(connection.isOpen() && server.connections().size() == 1);
                send(connection, LAST, () -> true);
                assertEquals(sent, Pair.get(received));
            } finally {
                client.destroyForcibly();
            }
        }
    }

    @Test
    @DisplayName("and started again with the same numbers does not get into its old connection, and connects with the next ones")
    void startsAgainWithTheSameNumbers() throws Exception {
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        BlockingQueue<RxeConnection> greeted = new LinkedBlockingQueue<>();
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(SERVER).withUdpPort(udpPort));
             RxeServer server = RxeServer.listen(nic, PORT, set -> set.onMessage((from, message) -> greeted.add(from)))) {
            Process killed = JavaProcess.start(Client.class, String.valueOf(udpPort));
            RxeConnection first = greeted.poll(60, TimeUnit.SECONDS);
            killed.destroyForcibly().waitFor();
            try (RxeNic again = RxeNic.open(RxeNicOptions.defaults(CLIENT).withUdpPort(udpPort).withSeed(SEED));
                 RxeClient client = new RxeClient(again)) {
                // Its REQ is a late duplicate for the server: a REP would lead to PSNs that were acknowledged before.
                RxeConnection late = client.connect(SERVER, PORT, ConnectOptions.defaults().withConnectTimeoutNs(
                    TimeUnit.SECONDS.toNanos(1)), set -> { });
                assertEquals(Reason.UNREACHABLE, Pair.get(late.closed()).reason());
                RxeConnection second = Pair.get(client.connect(SERVER, PORT, set -> { }).connected());
                second.send(ByteBuffer.wrap(new byte[] {HELLO})).orThrow();
                RxeConnection accepted = greeted.poll(60, TimeUnit.SECONDS);
                assertTrue(accepted != null && accepted.isOpen() && accepted != first && greeted.isEmpty());
                // The server learns of the end when it sends.
                first.send(ByteBuffer.allocate(1)).orThrow();
                assertEquals(Reason.FAILED, Pair.get(first.closed()).reason());
                assertTrue(accepted.isOpen());
                assertEquals(1, server.connections().size());
            }
        }
    }

    /** Sends consecutive numbers, the first at least, until the end; returns the next number. */
    private static int send(RxeConnection connection, int first, BooleanSupplier end) {
        int number = first;
        boolean posted;
        do {
            PostStatus status = connection.send(ByteBuffer.allocate(256).putInt(0, number));
            assertTrue(status != PostStatus.NOT_CONNECTED, connection::toString);
            posted = status == PostStatus.POSTED;
            if (posted) {
                number++;
            } else {
                Thread.yield();
            }
        } while (number == first || !end.getAsBoolean());
        return number;
    }

    private static void signal(String name, Process process) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).inheritIO().start().waitFor());
    }

    @Test
    @DisplayName("by SIGKILL is noticed by its server within the keep-alive, although the server sends nothing")
    void isNoticedWithinTheKeepAlive() throws Exception {
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        List<ConnectionEnd> ends = new CopyOnWriteArrayList<>();
        CompletableFuture<RxeConnection> greeted = new CompletableFuture<>();
        ConnectOptions options = ConnectOptions.defaults()
            .withTuning(parameters -> parameters.keepAliveNs(TimeUnit.MILLISECONDS.toNanos(200)));
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(SERVER).withUdpPort(udpPort));
             RxeServer server = RxeServer.listen(nic, PORT, options, set -> set.onClosed(ends::add).onMessage((from, message) -> {
                 assertEquals(HELLO, message.get());
                 greeted.complete(from);
             }))) {
            Process client = JavaProcess.start(Client.class, String.valueOf(udpPort));
            try {
                RxeConnection connection = Pair.get(greeted);
                assertTrue(connection.isOpen() && ends.isEmpty());
                // SIGKILL: the process can say nothing.
                client.destroyForcibly();
                ConnectionEnd end = Pair.get(connection.closed());
                assertEquals(Reason.FAILED, end.reason(), end::toString);
                assertTrue(end.explanation().contains(CLIENT) && end.explanation().contains("did not answer 8 keep-alives"), end::toString);
                assertEquals(List.of(end), ends, "onClosed runs once");
                assertTrue(server.connections().isEmpty());
            } finally {
                client.destroyForcibly();
            }
        }
    }
}
