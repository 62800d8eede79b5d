package io.rxe.tools.side;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.ListeningPorts;
import io.rxe.port.OwnThread;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The TCP connection beside the traffic")
class SideLinkTest {
    private interface Exchange {
        void run(SideLink client, SideLink server) throws Exception;
    }

    private static SideLink acceptOn(int port) {
        try {
            return SideLink.accept(port);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void connected(String host, Exchange exchange) throws Exception {
        int port = FreePorts.tcp();
        CompletableFuture<SideLink> accepted = CompletableFuture.supplyAsync(() -> acceptOn(port), OwnThread::run);
        while (!accepted.isDone() && !ListeningPorts.contains(port)) {
            Thread.onSpinWait();
        }
        try (SideLink client = SideLink.connect(host, port); SideLink server = accepted.get(20, TimeUnit.SECONDS)) {
            exchange.run(client, server);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "localhost"})
    void messagesOfDifferentLengthsArriveInBothDirections(String host) throws Exception {
        connected(host, (client, server) -> {
            client.write("0001:000011:abcdef:".getBytes());
            assertEquals("0001:", new String(server.readExactly(5)));
            assertEquals("000011:abcdef:", new String(server.readExactly(14)));
            server.write("done".getBytes());
            server.write("and more".getBytes());
            assertEquals("donean", new String(client.readExactly(6)));
            assertEquals("d more", new String(client.readExactly(6)));
            assertEquals(0, client.readExactly(0).length);
            assertTrue(client.isClient());
            assertFalse(server.isClient());
        });
    }

    @Test
    void aLongMessageArrivesWhole() throws Exception {
        byte[] message = new byte[3 << 20];
        new Random(1).nextBytes(message);
        connected("127.0.0.1", (client, server) -> {
            CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> {
                try {
                    return server.readExactly(message.length);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }, OwnThread::run);
            client.write(message);
            assertArrayEquals(message, read.get(20, TimeUnit.SECONDS));
        });
    }

    @Test
    @DisplayName("a look at the end loses nothing that arrived before it")
    void messagesBeforeTheEndAreRead() throws Exception {
        connected("127.0.0.1", (client, server) -> {
            assertFalse(server.isEnded());
            client.write(new byte[] {1, 2, 3});
            client.close();
            while (!server.isEnded()) {
                Thread.onSpinWait();
            }
            assertArrayEquals(new byte[] {1, 2}, server.readExactly(2));
            EOFException ended = assertThrows(EOFException.class, () -> server.readExactly(4));
            assertTrue(ended.getMessage().contains("4 bytes"), ended.getMessage());
        });
    }

    @Test
    void aReadFromASilentPeerTimesOut() throws Exception {
        connected("127.0.0.1", (client, server) -> {
            client.readTimeout(Duration.ofMillis(1));
            IOException silent = assertThrows(IOException.class, () -> client.readExactly(1));
            assertTrue(silent.getMessage().contains("sent no message of 1 bytes within 1 ms"), silent.getMessage());
        });
    }

    @Test
    void aPortInUseIsRefused() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            IOException refused = assertThrows(IOException.class, () -> SideLink.accept(taken.getLocalPort()));
            assertTrue(refused.getMessage().contains("TCP port " + taken.getLocalPort() + " cannot be bound"), refused.getMessage());
        }
    }

    @Test
    void textOfAPeerIsSafeToPrint() {
        assertEquals("a?[2Jb?", PeerLink.printable("a\u001b[2Jb\u00e4"));
    }
}
