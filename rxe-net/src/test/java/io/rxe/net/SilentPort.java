package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import org.agrona.DirectBuffer;

/** No socket: the loop is woken by nothing but posts. */
public class SilentPort implements UdpPort {
    @Override
    public void start(IoEventLoop eventLoop, FrameReceiver receiver, Runnable onReady) {
        // Nothing will be ready.
    }

    @Override
    public int receive(int maxBytes) {
        return 0;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        throw new AssertionError("nothing is sent");
    }

    @Override
    public boolean canSegment() {
        return false;
    }

    /** So that the loop sleeps as soon as it is idle. */
    @Override
    public void close() {
        // Nothing is open.
    }
}
