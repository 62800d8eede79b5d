package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import java.io.IOException;
import org.agrona.DirectBuffer;

/** A port that forwards every call to another; a test overrides the calls it wants to change. */
abstract class ForwardingPort implements UdpPort {
    private final UdpPort inner;

    ForwardingPort(UdpPort inner) {
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
    public void rearm() {
        inner.rearm();
    }

    @Override
    public void close() {
        inner.close();
    }
}
