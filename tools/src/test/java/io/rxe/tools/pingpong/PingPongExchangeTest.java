package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
    void clientWritesFirstThenReadsThenSaysDone() throws IOException {
        final Script link = new Script(SERVER.toWire());
        assertEquals(SERVER, PingPongExchange.asClient(link, CLIENT));
        assertEquals(List.of("write " + text(CLIENT.toWire()), "read 52", "write done."), link.log);
    }

    @Test
    void serverConnectsBeforeItAnswers() throws IOException {
        final Script link = new Script(CLIENT.toWire(), PingPongExchange.DONE);
        assertEquals(CLIENT, PingPongExchange.asServer(link, SERVER, remote -> link.log.add("connect to " + remote.qpn())));
        assertEquals(List.of("read 52", "connect to 34", "write " + text(SERVER.toWire()), "read 5"), link.log);
    }

    @Test
    void clientFailsWhenTheServerCloses() {
        assertThrows(EOFException.class, () -> PingPongExchange.asClient(new Script(), CLIENT));
    }

    private static String text(final byte[] message) {
        return new String(message, StandardCharsets.US_ASCII).replace('\0', '.');
    }

    /** A link whose peer says what the test tells it to. */
    private static final class Script implements PeerLink {
        private final Queue<byte[]> answers;
        private final List<String> log = new ArrayList<>();

        Script(final byte[]... answers) {
            this.answers = new ArrayDeque<>(List.of(answers));
        }

        @Override
        public String peer() {
            return "script";
        }

        @Override
        public byte[] readExactly(final int lengthBytes) throws IOException {
            log.add("read " + lengthBytes);
            final byte[] answer = answers.poll();
            if (answer == null) {
                throw new EOFException("closed");
            }
            assertEquals(answer.length, lengthBytes);
            return answer;
        }

        @Override
        public void write(final byte[] message) {
            log.add("write " + text(message));
        }

        @Override
        public void close() {
            log.add("close");
        }
    }
}
