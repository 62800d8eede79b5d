package io.rxe.tools.pingpong;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The order in which addresses are traded.
 *
 * <pre>
 *   client                                server
 *     | -- 52 bytes: its address -----------> |
 *     |                                       | connects its queue pair
 *     | &lt;----------- 52 bytes: its address -- |
 *     | -- "done" and a 0 ------------------> |
 *   connects its queue pair                   |
 * </pre>
 */
final class PingPongExchange {
    /** Ends the conversation. */
    static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private PingPongExchange() {
    }

    /** The client's part. Returns the server's address; the server is connected by then. */
    static PingPongAddress asClient(final PeerLink link, final PingPongAddress own) throws IOException {
        link.write(own.toWire());
        final PingPongAddress remote = PingPongAddress.parse(link.readExactly(PingPongAddress.WIRE_BYTES));
        link.write(DONE);
        return remote;
    }

    /**
     * The server's part. Returns the client's address.
     *
     * @param connect brings the queue pair to RTS before the client learns of it: the client sends as soon as it does.
     */
    static PingPongAddress asServer(final PeerLink link, final PingPongAddress own, final Consumer<PingPongAddress> connect)
        throws IOException {
        final PingPongAddress remote = PingPongAddress.parse(link.readExactly(PingPongAddress.WIRE_BYTES));
        connect.accept(remote);
        link.write(own.toWire());
        link.readExactly(DONE.length);
        return remote;
    }
}
