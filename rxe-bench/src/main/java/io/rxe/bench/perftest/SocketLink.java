package io.rxe.bench.perftest;

import io.rxe.net.side.SideChannel;
import io.rxe.net.side.SideListener;
import java.io.IOException;
import java.time.Duration;

/** A {@link ControlLink} over TCP: what the tests use unless connection management was asked for. */
public final class SocketLink implements ControlLink {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final SideChannel channel;
    private final SideListener listener;
    private final String peer;

    private SocketLink(SideChannel channel, SideListener listener, String peer) {
        this.channel = channel;
        this.listener = listener;
        this.peer = peer;
    }

    /**
     * Connects to a server.
     *
     * @throws IOException that names host and port and says what to check.
     */
    public static ControlLink connect(String host, int port) throws IOException {
        return new SocketLink(SideChannel.connect(host, port, CONNECT_TIMEOUT), null, host + ":" + port);
    }

    /**
     * Waits for one client, as long as it takes.
     *
     * @throws IOException when the port is taken; says so.
     */
    public static ControlLink accept(int port) throws IOException {
        SideListener listener = SideChannel.listen(port);
        boolean accepted = false;
        try {
            SideChannel channel = listener.accept();
            accepted = true;
            return new SocketLink(channel, listener, channel.remoteAddress().getAddress().getHostAddress());
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
    public boolean isClient() {
        return listener == null;
    }

    @Override
    public KeyFormat keyFormat() {
        return KeyFormat.TEXT;
    }

    @Override
    public byte[] exchange(byte[] own, boolean isPatient) throws IOException {
        channel.readTimeout(isPatient ? Duration.ZERO : SideChannel.DEFAULT_READ_TIMEOUT);
        if (isClient()) {
            channel.write(own);
            return channel.readExactly(own.length);
        }
        byte[] remote = channel.readExactly(own.length);
        channel.write(own);
        return remote;
    }

    @Override
    public void sendLast(byte[] message) {
        try {
            channel.write(message);
        } catch (IOException e) {
            // The peer closes as soon as it has said its own last word.
        }
    }

    @Override
    public void close() {
        channel.close();
        if (listener != null) {
            listener.close();
        }
    }
}
