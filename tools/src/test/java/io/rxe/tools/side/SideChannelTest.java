package io.rxe.tools.side;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SideChannelTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "localhost"})
    void messagesOfDifferentLengthsArriveInBothDirections(String host) throws Exception {
        try (SideListener listener = SideChannel.listen(0);
             SideChannel client = SideChannel.connect(host, listener.port(), TIMEOUT);
             SideChannel server = listener.accept()) {
            client.write("0001:000011:abcdef:".getBytes(US_ASCII));
            assertEquals("0001:", new String(server.readExactly(5), US_ASCII));
            assertEquals("000011:abcdef:", new String(server.readExactly(14), US_ASCII));
            server.write("done".getBytes(US_ASCII));
            server.write("and more".getBytes(US_ASCII));
            assertEquals("donean", new String(client.readExactly(6), US_ASCII));
            assertEquals("d more", new String(client.readExactly(6), US_ASCII));
            assertEquals(0, client.readExactly(0).length);
        }
    }

    @Test
    void aLongMessageArrivesWhole() throws Exception {
        byte[] message = new byte[3 << 20];
        new Random(1).nextBytes(message);
        try (SideListener listener = SideChannel.listen(0);
             SideChannel client = SideChannel.connect("127.0.0.1", listener.port(), TIMEOUT);
             SideChannel server = listener.accept()) {
            Thread writer = new Thread(() -> {
                try {
                    client.write(message);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            writer.start();
            assertArrayEquals(Arrays.copyOf(message, 10), server.readExactly(10));
            assertArrayEquals(Arrays.copyOfRange(message, 10, message.length), server.readExactly(message.length - 10));
            writer.join();
        }
    }

    @Test
    void messagesSentBeforeTheCloseAreReadAndThenEveryReadFails() throws Exception {
        try (SideListener listener = SideChannel.listen(0)) {
            SideChannel server;
            try (SideChannel client = SideChannel.connect("127.0.0.1", listener.port(), TIMEOUT)) {
                server = listener.accept();
                client.write(new byte[] {1, 2, 3});
            }
            assertArrayEquals(new byte[] {1, 2}, server.readExactly(2));
            assertThrows(EOFException.class, () -> server.readExactly(2));
            EOFException again = assertThrows(EOFException.class, () -> server.readExactly(4));
            assertTrue(again.getMessage().contains("4 bytes"), again.getMessage());
            assertArrayEquals(new byte[] {3}, server.readExactly(1));
            server.close();
        }
    }

    @Test
    void aReadFromASilentPeerTimesOut() throws Exception {
        try (SideListener listener = SideChannel.listen(0);
             SideChannel client = SideChannel.connect("127.0.0.1", listener.port(), TIMEOUT)) {
            client.readTimeout(Duration.ofMillis(1));
            assertThrows(SocketTimeoutException.class, () -> client.readExactly(1));
        }
    }

    @Test
    void aPortInUseIsRefused() throws Exception {
        try (SideListener listener = SideChannel.listen(0)) {
            BindException refused = assertThrows(BindException.class, () -> SideChannel.listen(listener.port()));
            assertTrue(refused.getMessage().contains("TCP port " + listener.port()), refused.getMessage());
        }
    }

    @Test
    void aConnectionWithoutAListenerIsRefusedWithTheRemedy() throws Exception {
        int port;
        try (SideListener listener = SideChannel.listen(0)) {
            port = listener.port();
        }
        ConnectException refused = assertThrows(ConnectException.class, () -> SideChannel.connect("127.0.0.1", port,
            TIMEOUT));
        assertTrue(refused.getMessage().contains("start the server there first"), refused.getMessage());
    }

    @Test
    void acceptFailsWhenTheListenerIsClosed() throws Exception {
        SideListener kept;
        try (SideListener listener = SideChannel.listen(0)) {
            kept = listener;
        }
        assertThrows(IOException.class, kept::accept);
        assertThrows(IOException.class, kept::accept);
    }
}
