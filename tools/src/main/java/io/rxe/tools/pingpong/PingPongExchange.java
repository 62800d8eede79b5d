package io.rxe.tools.pingpong;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 *
 * <p>With a shared receive queue each side sends 256 addresses, however many of them it uses; the others are all zeros.
 */
final class PingPongExchange {
    /** Ends the conversation. */
    static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final PeerLink link;
    private final int wireAddresses;

    /** @param kind decides how many addresses there are on the wire. */
    PingPongExchange(PeerLink link, PingPongKind kind) {
        this.link = link;
        this.wireAddresses = kind.wireAddresses();
    }

    /** The client's part. Returns the server's addresses, as many as ours; the server is connected by then. */
    List<PingPongAddress> asClient(List<PingPongAddress> own) throws IOException {
        write(own);
        List<PingPongAddress> remote = read(own.size());
        link.write(DONE);
        return remote;
    }

    /**
     * The server's part. Returns the client's addresses.
     *
     * @param connect brings the queue pairs to RTS before the client learns of them: the client sends as soon as it does.
     */
    List<PingPongAddress> asServer(List<PingPongAddress> own, Consumer<List<PingPongAddress>> connect) throws IOException {
        List<PingPongAddress> remote = read(own.size());
        connect.accept(remote);
        write(own);
        link.readExactly(DONE.length);
        return remote;
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
        List<PingPongAddress> remote = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            remote.add(PingPongAddress.parse(Arrays.copyOfRange(message, i * PingPongAddress.WIRE_BYTES,
                (i + 1) * PingPongAddress.WIRE_BYTES)));
        }
        return remote;
    }
}
