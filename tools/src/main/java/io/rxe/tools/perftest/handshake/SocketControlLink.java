package io.rxe.tools.perftest.handshake;

import io.rxe.tools.side.SideChannel;
import io.rxe.tools.side.SideLink;
import java.io.IOException;
import java.time.Duration;

/** The {@link ControlLink} over TCP, which tests use unless {@code -R} or {@code -z} asks for connection management. */
public final class SocketControlLink implements ControlLink {
    private final SideLink link;

    /** @param link closed together with this. */
    public SocketControlLink(SideLink link) {
        this.link = link;
    }

    @Override
    public String peer() {
        return link.peer();
    }

    @Override
    public boolean isClient() {
        return link.isClient();
    }

    @Override
    public KeyFormat keyFormat() {
        return KeyFormat.TEXT;
    }

    @Override
    public byte[] exchange(byte[] own, boolean isUnbounded) throws IOException {
        link.readTimeout(isUnbounded ? Duration.ZERO : SideChannel.DEFAULT_READ_TIMEOUT);
        if (isClient()) {
            link.write(own);
            return link.readExactly(own.length);
        }
        byte[] remote = link.readExactly(own.length);
        link.write(own);
        return remote;
    }

    @Override
    public void sendLast(byte[] message) {
        try {
            link.write(message);
        } catch (IOException e) {
            // The peer closes as soon as it has sent its own last message.
        }
    }

    @Override
    public String endReason() {
        return link.isEnded() ? "closed the control connection: see its output for the reason" : null;
    }

    @Override
    public void close() {
        link.close();
    }
}
