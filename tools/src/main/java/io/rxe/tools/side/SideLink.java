package io.rxe.tools.side;

import java.io.IOException;
import java.time.Duration;

/** A {@link PeerLink} over a {@link SideChannel}, connected by the client or accepted by the server. */
public final class SideLink implements PeerLink {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final SideChannel channel;
    private final SideListener listener;
    private final String peer;

    private SideLink(SideChannel channel, SideListener listener, String peer) {
        this.channel = channel;
        this.listener = listener;
        this.peer = peer;
    }

    /**
     * Connects to a server.
     *
     * @throws IOException that names host and port and says what to check.
     */
    public static SideLink connect(String host, int port) throws IOException {
        return new SideLink(SideChannel.connect(host, port, CONNECT_TIMEOUT), null, host + ":" + port);
    }

    /**
     * Waits for one client, without a time limit.
     *
     * @throws IOException if the port is taken; says so.
     */
    public static SideLink accept(int port) throws IOException {
        SideListener listener = SideChannel.listen(port);
        boolean accepted = false;
        try {
            SideChannel channel = listener.accept();
            accepted = true;
            return new SideLink(channel, listener, channel.remoteAddress().getAddress().getHostAddress());
        } finally {
            if (!accepted) {
                listener.close();
            }
        }
    }

    /** Whether this side connected. */
    public boolean isClient() {
        return listener == null;
    }

    @Override
    public String peer() {
        return peer;
    }

    /** Longest wait of a read from now on; zero waits forever. */
    public void readTimeout(Duration timeout) {
        channel.readTimeout(timeout);
    }

    /** As {@link SideChannel#isEnded}. */
    public boolean isEnded() {
        return channel.isEnded();
    }

    /** As {@link SideChannel#endedNs}. */
    public long endedNs() {
        return channel.endedNs();
    }

    @Override
    public byte[] readExactly(int lengthBytes) throws IOException {
        return channel.readExactly(lengthBytes);
    }

    @Override
    public void write(byte[] message) throws IOException {
        channel.write(message);
    }

    @Override
    public void close() {
        channel.close();
        if (listener != null) {
            listener.close();
        }
    }
}
