package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.port.Flow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A port that keeps what is sent, and answers as it is told. */
final class RecordingPort implements UdpPort {
    final List<Sent> sent = new ArrayList<>();
    /** Answers of the next sends; SENT when there is none. */
    final Queue<SendStatus> answers = new ArrayDeque<>();
    boolean segments = true;

    /** A send that was answered SENT. */
    record Sent(Flow flow, UnsafeBuffer bytes, int segmentBytes) {
        int lengthBytes() {
            return bytes.capacity();
        }
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) {
        throw new UnsupportedOperationException("nothing is received here");
    }

    @Override
    public int receive(int maxBytes) {
        return 0;
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        SendStatus answer = answers.isEmpty() ? SendStatus.SENT : answers.remove();
        if (answer == SendStatus.SENT) {
            byte[] copy = new byte[lengthBytes];
            buffer.getBytes(offset, copy);
            sent.add(new Sent(flow, new UnsafeBuffer(copy), segmentBytes));
        }
        return answer;
    }

    @Override
    public boolean canSegment() {
        return segments;
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
