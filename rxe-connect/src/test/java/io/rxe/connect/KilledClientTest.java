package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.connect.ConnectionEnd.Reason;
import io.rxe.net.FreePorts;
import io.rxe.net.JavaProcess;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A client that is killed")
@Timeout(240)
class KilledClientTest {
    private static final String SERVER = "127.0.0.2";
    private static final String CLIENT = "127.0.0.1";
    private static final int PORT = 7471;
    private static final byte HELLO = 34;

    /** The client: greets the server, then sends nothing for ever. */
    static final class Client {
        private Client() {
        }

        public static void main(String[] arguments) throws Exception {
            RxeNic nic = RxeNic.open(RxeNicOptions.defaults(CLIENT).withUdpPort(Integer.parseInt(arguments[0])));
            RxeConnection connection = new RxeClient(nic).connect(SERVER, PORT, set -> { }).connected().get();
            connection.send(ByteBuffer.wrap(new byte[] {HELLO})).orThrow();
            connection.closed().get();
        }
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
