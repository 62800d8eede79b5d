package io.rxe.net.port;

import io.netty.channel.IoEventLoop;
import io.rxe.port.Flow;
import java.io.IOException;
import org.agrona.DirectBuffer;

/** A layer around a port that forwards every call; a subclass overrides those it changes. */
public abstract class ForwardingPort implements UdpPort {
    private final UdpPort inner;

    /** @param inner the port below. */
    protected ForwardingPort(UdpPort inner) {
        this.inner = inner;
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
        inner.start(loop, receiver, onReady);
    }

    @Override
    public int receive(int maxBytes) {
        return inner.receive(maxBytes);
    }

    @Override
    public boolean hasMore() {
        return inner.hasMore();
    }

    @Override
    public void lookEverywhere() {
        inner.lookEverywhere();
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        return inner.send(flow, buffer, offset, lengthBytes, segmentBytes);
    }

    @Override
    public boolean canSegment() {
        return inner.canSegment();
    }

    @Override
    public boolean isCoalescing() {
        return inner.isCoalescing();
    }

    @Override
    public void rearm() {
        inner.rearm();
    }

    @Override
    public long nextDeadlineNs() {
        return inner.nextDeadlineNs();
    }

    @Override
    public void close() {
        inner.close();
    }
}
