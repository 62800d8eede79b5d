package io.rxe.net.fault;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A port without a socket: keeps the frames sent, and receives those that the test supplies. */
final class MemoryPort implements UdpPort {
    final List<byte[]> sent = new ArrayList<>();
    final Queue<byte[]> arriving = new ArrayDeque<>();
    /** Results of the next sends; SENT when there is none. */
    final Queue<SendStatus> results = new ArrayDeque<>();
    boolean closed;
    private final Flow inbound;
    private FrameReceiver receiver;

    MemoryPort(Flow inbound) {
        this.inbound = inbound;
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver frameReceiver, Runnable onReady) {
        receiver = frameReceiver;
    }

    @Override
    public int receive(int maxBytes) {
        int count = 0;
        for (byte[] frame = arriving.poll(); frame != null; frame = arriving.poll()) {
            receiver.onFrame(new UnsafeBuffer(frame), 0, frame.length, inbound);
            count++;
        }
        return count;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        SendStatus result = results.isEmpty() ? SendStatus.SENT : results.remove();
        if (result == SendStatus.SENT) {
            byte[] copy = new byte[lengthBytes];
            buffer.getBytes(offset, copy);
            sent.add(copy);
        }
        return result;
    }

    @Override
    public boolean canSegment() {
        return true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
