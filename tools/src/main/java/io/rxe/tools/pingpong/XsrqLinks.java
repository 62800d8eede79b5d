package io.rxe.tools.pingpong;

import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.side.SideChannel;
import io.rxe.tools.side.SideListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The TCP connections of {@code xsrq_pingpong}, one for each client, over which the original exchanges addresses and ends.
 *
 * <pre>
 *   client                                server
 *     | -- 66 bytes: its address -----------> |
 *     |                                       | connects the queue pairs of this client
 *     | &lt;----------- 66 bytes: its address -- |
 *   connects its queue pairs                  | the same with each other client, one after another
 *     |                                       |
 *     | &lt;========== messages over XRC ======> | the server sends first
 *     |                                       |
 *     | -- "END" and a 0 -------------------> |
 *     |                                       | has that of each client
 *     | &lt;------------------- "END" and a 0 -- |
 * </pre>
 */
final class XsrqLinks implements AutoCloseable {
    /** Ends the exchange of messages. */
    static final byte[] END = "END\0".getBytes(StandardCharsets.US_ASCII);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** Connects the queue pairs of a client. */
    interface Connector {
        /** @param peer the host, for messages. */
        void connect(int client, XsrqAddress remote, String peer);
    }

    private final List<SideChannel> channels = new ArrayList<>();
    private final List<XsrqAddress> remotes = new ArrayList<>();
    private final SideListener listener;

    private XsrqLinks(SideListener listener) {
        this.listener = listener;
    }

    /** As server: waits for all clients. */
    static XsrqLinks accept(int port, XsrqEndpoint endpoint, Connector connector) throws IOException {
        XsrqLinks links = new XsrqLinks(SideChannel.listen(port));
        boolean complete = false;
        try {
            for (int i = 0; i < endpoint.clients(); i++) {
                SideChannel channel = links.add(links.listener.accept());
                links.read(i, connector);
                channel.write(endpoint.address(i).toWire());
            }
            complete = true;
            return links;
        } finally {
            if (!complete) {
                links.close();
            }
        }
    }

    /** As client: connects as each of its clients. */
    static XsrqLinks connect(String host, int port, XsrqEndpoint endpoint, Connector connector) throws IOException {
        XsrqLinks links = new XsrqLinks(null);
        boolean complete = false;
        try {
            for (int i = 0; i < endpoint.clients(); i++) {
                SideChannel channel = links.add(SideChannel.connect(host, port, CONNECT_TIMEOUT));
                channel.write(endpoint.address(i).toWire());
                links.read(i, connector);
            }
            complete = true;
            return links;
        } finally {
            if (!complete) {
                links.close();
            }
        }
    }

    private SideChannel add(SideChannel channel) {
        channels.add(channel);
        return channel;
    }

    private void read(int client, Connector connector) throws IOException {
        byte[] message = channels.get(client).readExactly(XsrqAddress.WIRE_BYTES);
        XsrqAddress remote;
        try {
            remote = XsrqAddress.parse(message);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        remotes.add(remote);
        connector.connect(client, remote, peer(client));
    }

    private String peer(int client) {
        return channels.get(client).remoteAddress().getAddress().getHostAddress();
    }

    boolean isServer() {
        return listener != null;
    }

    /** The addresses of the peers, in the order of the clients. */
    List<XsrqAddress> remotes() {
        return remotes;
    }

    /** The host of the first peer that ended the connection; null while none did. */
    String ended() {
        for (int i = 0; i < channels.size(); i++) {
            if (channels.get(i).isEnded()) {
                return peer(i);
            }
        }
        return null;
    }

    /**
     * Exchanges the words of the end. Over another connection a peer may still receive messages for a client that has all of its own, so
     * that nobody closes before all have ended.
     *
     * @param timeout for each peer.
     * @throws IOException that names the peer that did not say it.
     */
    void end(Duration timeout) throws IOException {
        if (!isServer()) {
            for (SideChannel channel : channels) {
                channel.write(END);
            }
        }
        for (int i = 0; i < channels.size(); i++) {
            channels.get(i).readTimeout(timeout);
            byte[] word = channels.get(i).readExactly(END.length);
            if (!Arrays.equals(word, END)) {
                throw new IOException(peer(i) + " did not send END where it was due: is the program at the other end an xsrq_pingpong?");
            }
        }
        if (isServer()) {
            for (SideChannel channel : channels) {
                channel.write(END);
            }
        }
    }

    @Override
    public void close() {
        channels.forEach(SideChannel::close);
        if (listener != null) {
            listener.close();
        }
    }
}
