package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/** A port whose socket is full for the first few sends, and reports each time shortly afterwards that it is ready. */
final class BusyPort implements UdpPort {
    private final UdpPort inner;
    private int busyLeft;
    private IoEventLoop eventLoop;
    private Runnable ready;

    BusyPort(UdpPort inner, int busySends) {
        this.inner = inner;
        this.busyLeft = busySends;
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
        eventLoop = loop;
        ready = onReady;
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
        if (busyLeft > 0) {
            busyLeft--;
            eventLoop.schedule(ready, 1, TimeUnit.MILLISECONDS);
            return SendStatus.BUSY;
        }
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
