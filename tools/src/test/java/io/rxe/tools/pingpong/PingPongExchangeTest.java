package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.tools.side.ScriptedLink;
import io.rxe.wire.Gid;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The exchange of addresses")
class PingPongExchangeTest {
    private static final PingPongAddress SERVER = new PingPongAddress(0, 0x11, 0x100, Gid.ofIpv4(0x0A000001));
    private static final PingPongAddress CLIENT = new PingPongAddress(0, 0x22, 0x200, Gid.ofIpv4(0x0A000002));

    @Test
    void clientWritesThenReadsThenSendsDone() throws IOException {
        ScriptedLink link = new ScriptedLink(true, SERVER.toWire());
        assertEquals(List.of(SERVER), new PingPongExchange(link, PingPongKind.RC).asClient(List.of(CLIENT)));
        assertEquals(List.of("write " + text(CLIENT.toWire()), "read 52", "write done."), link.log());
    }

    @Test
    void serverConnectsBeforeItReplies() throws IOException {
        ScriptedLink link = new ScriptedLink(true, CLIENT.toWire(), PingPongExchange.DONE);
        assertEquals(List.of(CLIENT), new PingPongExchange(link, PingPongKind.RC).asServer(List.of(SERVER),
            remotes -> link.log().add("connect to " + remotes.get(0).qpn())));
        assertEquals(List.of("read 52", "connect to 34", "write " + text(SERVER.toWire()), "read 5"), link.log());
    }

    @Test
    void clientFailsIfTheServerCloses() {
        PingPongExchange exchange = new PingPongExchange(new ScriptedLink(true), PingPongKind.RC);
        assertThrows(EOFException.class, () -> exchange.asClient(List.of(CLIENT)));
    }

    @Test
    void withASharedReceiveQueueEachSideSends256Addresses() throws IOException {
        byte[] reply = new byte[256 * 52];
        System.arraycopy(SERVER.toWire(), 0, reply, 0, 52);
        System.arraycopy(CLIENT.toWire(), 0, reply, 52, 52);
        ScriptedLink link = new ScriptedLink(true, reply);
        assertEquals(List.of(SERVER, CLIENT), new PingPongExchange(link, PingPongKind.SRQ).asClient(List.of(CLIENT, SERVER)));
        String unused = "0000:000000:000000:00000000000000000000000000000000.";
        assertEquals(List.of("write " + text(CLIENT.toWire()) + text(SERVER.toWire()) + unused.repeat(254), "read 13312", "write done."),
            link.log());
    }

    private static String text(byte[] message) {
        return new String(message, StandardCharsets.US_ASCII).replace('\0', '.');
    }
}
