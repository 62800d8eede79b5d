package io.rxe.tools.pingpong;

import io.rxe.net.side.SideChannel;
import io.rxe.net.side.SideListener;
import java.io.IOException;
import java.time.Duration;

/** A {@link PeerLink} over the side channel of {@code io.rxe.net}. */
final class SideLink implements PeerLink {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final SideChannel channel;
    private final SideListener listener;
    private final String peer;

    private SideLink(SideChannel channel, SideListener listener, String peer) {
        this.channel = channel;
        this.listener = listener;
        this.peer = peer;
    }

    /** Connects to a server. */
    static PeerLink connect(String host, int port) throws IOException {
        return new SideLink(SideChannel.connect(host, port, CONNECT_TIMEOUT), null, host + ":" + port);
    }

    /** Waits for one client, as long as it takes, and then listens no more. */
    static PeerLink accept(int port) throws IOException {
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

    @Override
    public String peer() {
        return peer;
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
