package io.rxe.tools.pingpong;

import io.rxe.tools.side.PeerLink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
 * <p>Our client adds the number of its messages to "done", which the originals read and ignore, and our server answers with its own, so
 * that both can tell at once that they differ. An original server closes the connection instead, and an original client sends nothing.
 *
 * <p>With a shared receive queue each side sends 256 addresses; the unused ones are all zeros.
 */
final class PingPongExchange {
    /** Ends the exchange. */
    static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private static final Duration COUNT_TIMEOUT = Duration.ofSeconds(2);
    private static final String COUNT = "iters %010d";
    private static final int COUNT_BYTES = 16;
    private static final Pattern COUNT_FORM = Pattern.compile("iters (\\d{10})");

    private final PeerLink link;
    private final int iterations;
    private final int wireAddresses;

    /**
     * @param kind       decides how many addresses each side sends.
     * @param iterations messages of this side.
     */
    PingPongExchange(PeerLink link, PingPongKind kind, int iterations) {
        this.link = link;
        this.iterations = iterations;
        this.wireAddresses = kind.wireAddresses();
    }

    /** The client's side. Returns as many addresses of the server as we have; the server is connected when this returns. */
    List<PingPongAddress> asClient(List<PingPongAddress> own) throws IOException {
        write(own);
        List<PingPongAddress> remote = read(own.size());
        ByteArrayOutputStream done = new ByteArrayOutputStream();
        done.writeBytes(DONE);
        done.writeBytes(count());
        link.write(done.toByteArray());
        requireSameCount(readCount());
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
        int count = readCount();
        if (count >= 0) {
            link.write(count());
        }
        requireSameCount(count);
        return remote;
    }

    private byte[] count() {
        return String.format(Locale.ROOT, COUNT, iterations).getBytes(StandardCharsets.US_ASCII);
    }

    /** The number of messages of the peer, or -1 if it does not tell. */
    private int readCount() {
        try {
            link.readTimeout(COUNT_TIMEOUT);
            Matcher count = COUNT_FORM.matcher(new String(link.readExactly(COUNT_BYTES), StandardCharsets.US_ASCII));
            return count.matches() ? (int) Math.min(Integer.MAX_VALUE, Long.parseLong(count.group(1))) : -1;
        } catch (IOException e) {
            // One of the originals, which has closed the connection.
            return -1;
        }
    }

    private void requireSameCount(int remote) throws IOException {
        if (remote >= 0 && remote != iterations) {
            throw new ProtocolException("the peer exchanges " + remote + " messages, this side " + iterations
                + ": use the same -n at both ends");
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
        List<PingPongAddress> remote = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            remote.add(PingPongAddress.parse(Arrays.copyOfRange(message, i * PingPongAddress.WIRE_BYTES,
                (i + 1) * PingPongAddress.WIRE_BYTES)));
        }
        return remote;
    }
}
