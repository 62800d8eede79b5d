package io.rxe.tools.pingpong;

import io.rxe.tools.side.PeerLink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The exchange of addresses.
 *
 * <pre>
 *   client                                server
 *     | -- 52 bytes: its address -----------> |
 *     |                                       | connects its queue pair
 *     | &lt;----------- 52 bytes: its address -- |
 *     | -- "done" and a 0 ------------------> |
 *   connects its queue pair                   |
 * </pre>
 *
 * <p>With a shared receive queue each side sends 256 addresses; the unused ones are all zeros.
 */
final class PingPongExchange {
    /** Ends the exchange of addresses. */
    static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    /**
     * The last message of this program, when it ends. The original programs close the connection when the addresses are exchanged, and
     * read nothing from it.
     */
    static final byte[] BYE = "bye\0".getBytes(StandardCharsets.US_ASCII);

    private final PeerLink link;
    private final int wireAddresses;

    /** @param kind decides how many addresses each side sends. */
    PingPongExchange(PeerLink link, PingPongKind kind) {
        this.link = link;
        this.wireAddresses = kind.wireAddresses();
    }

    /** The client's side. Returns as many addresses of the server as we have; the server is connected when this returns. */
    List<PingPongAddress> asClient(List<PingPongAddress> own) throws IOException {
        write(own);
        List<PingPongAddress> remote = read(own.size());
        link.write(DONE);
        return remote;
    }

    /**
     * The server's side. Returns the client's addresses.
     *
     * @param connect brings the queue pairs to RTS. Called before our addresses are sent: the client sends messages as soon as it has them.
     */
    List<PingPongAddress> asServer(List<PingPongAddress> own, Consumer<List<PingPongAddress>> connect) throws IOException {
        List<PingPongAddress> remote = read(own.size());
        connect.accept(remote);
        write(own);
        link.readExactly(DONE.length);
        return remote;
    }

    /** Says that this end ends. */
    void sayBye() {
        try {
            link.write(BYE);
        } catch (IOException e) {
            // The peer has closed the connection, as the originals do.
            return;
        }
    }

    /** Whether the peer has said that it ended. Does not wait. */
    boolean hasPeerEnded() {
        try {
            return link.isEnded() && Arrays.equals(link.readExactly(BYE.length), BYE);
        } catch (IOException e) {
            return false;
        }
    }

    private void write(List<PingPongAddress> own) throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        for (int i = 0; i < wireAddresses; i++) {
            message.writeBytes((i < own.size() ? own.get(i) : PingPongAddress.UNUSED).toWire());
        }
        link.write(message.toByteArray());
    }

    private List<PingPongAddress> read(int count) throws IOException {
        byte[] message = link.readExactly(wireAddresses * PingPongAddress.WIRE_BYTES);
        return IntStream.range(0, count).mapToObj(i -> PingPongAddress.parse(
            Arrays.copyOfRange(message, i * PingPongAddress.WIRE_BYTES, (i + 1) * PingPongAddress.WIRE_BYTES))).toList();
    }
}
