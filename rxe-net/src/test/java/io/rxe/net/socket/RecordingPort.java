package io.rxe.net.socket;

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

/** A port that records sends, and returns the results that a test sets. */
final class RecordingPort implements UdpPort {
    final List<Sent> sent = new ArrayList<>();
    /** Results of the next sends; SENT when there is none. */
    final Queue<SendStatus> results = new ArrayDeque<>();
    boolean segments = true;

    /** A send with the result SENT. */
    record Sent(Flow flow, UnsafeBuffer bytes, int segmentBytes) {
        int lengthBytes() {
            return bytes.capacity();
        }
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) {
        throw new UnsupportedOperationException("this port does not receive");
    }

    @Override
    public int receive(int maxBytes) {
        return 0;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        SendStatus result = results.isEmpty() ? SendStatus.SENT : results.remove();
        if (result == SendStatus.SENT) {
            byte[] copy = new byte[lengthBytes];
            buffer.getBytes(offset, copy);
            sent.add(new Sent(flow, new UnsafeBuffer(copy), segmentBytes));
        }
        return result;
    }

    @Override
    public boolean canSegment() {
        return segments;
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
