package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.tools.side.PeerLink;
import io.rxe.wire.Gid;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The exchange of addresses")
class PingPongExchangeTest {
    private static final PingPongAddress SERVER = new PingPongAddress(0, 0x11, 0x100, Gid.ofIpv4(0x0A000001));
    private static final PingPongAddress CLIENT = new PingPongAddress(0, 0x22, 0x200, Gid.ofIpv4(0x0A000002));

    @Test
    void clientWritesThenReadsThenSendsDone() throws IOException {
        Script link = new Script(SERVER.toWire());
        assertEquals(List.of(SERVER), new PingPongExchange(link, PingPongKind.RC).asClient(List.of(CLIENT)));
        assertEquals(List.of("write " + text(CLIENT.toWire()), "read 52", "write done."), link.log);
    }

    @Test
    void serverConnectsBeforeItReplies() throws IOException {
        Script link = new Script(CLIENT.toWire(), PingPongExchange.DONE);
        assertEquals(List.of(CLIENT), new PingPongExchange(link, PingPongKind.RC).asServer(List.of(SERVER),
            remotes -> link.log.add("connect to " + remotes.get(0).qpn())));
        assertEquals(List.of("read 52", "connect to 34", "write " + text(SERVER.toWire()), "read 5"), link.log);
    }

    @Test
    void clientFailsIfTheServerCloses() {
        PingPongExchange exchange = new PingPongExchange(new Script(), PingPongKind.RC);
        assertThrows(EOFException.class, () -> exchange.asClient(List.of(CLIENT)));
    }

    @Test
    void withASharedReceiveQueueEachSideSends256Addresses() throws IOException {
        byte[] reply = new byte[256 * 52];
        System.arraycopy(SERVER.toWire(), 0, reply, 0, 52);
        System.arraycopy(CLIENT.toWire(), 0, reply, 52, 52);
        Script link = new Script(reply);
        assertEquals(List.of(SERVER, CLIENT), new PingPongExchange(link, PingPongKind.SRQ).asClient(List.of(CLIENT, SERVER)));
        String unused = "0000:000000:000000:00000000000000000000000000000000.";
        assertEquals(List.of("write " + text(CLIENT.toWire()) + text(SERVER.toWire()) + unused.repeat(254), "read 13312", "write done."),
            link.log);
    }

    private static String text(byte[] message) {
        return new String(message, StandardCharsets.US_ASCII).replace('\0', '.');
    }

    /** A link whose peer sends scripted messages. */
    private static final class Script implements PeerLink {
        private final Queue<byte[]> replies;
        private final List<String> log = new ArrayList<>();

        Script(byte[]... replies) {
            this.replies = new ArrayDeque<>(List.of(replies));
        }

        @Override
        public String peer() {
            return "script";
        }

        @Override
        public byte[] readExactly(int lengthBytes) throws IOException {
            log.add("read " + lengthBytes);
            byte[] reply = replies.poll();
            if (reply == null) {
                throw new EOFException("closed");
            }
            assertEquals(reply.length, lengthBytes);
            return reply;
        }

        @Override
        public void write(byte[] message) {
            log.add("write " + text(message));
        }

        @Override
        public void close() {
            log.add("close");
        }
    }
}
