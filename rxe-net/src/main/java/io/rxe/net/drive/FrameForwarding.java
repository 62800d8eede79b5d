package io.rxe.net.drive;

import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;

/**
 * Forwards frames between the engines of a NIC: an engine owns the queue pairs whose number modulo the engines is its index.
 *
 * <p>Steering by the kernel makes frames at another engine's socket rare, so forwarding may allocate. Each engine has one of these; it
 * belongs to the owner of its engine, except for {@link #offer}.
 */
final class FrameForwarding {
    private static final int CAPACITY = 4096;
    private static final int MAX_FRAMES = 64;

    private final int index;
    private final NetCounters counters;
    private final MpscAtomicArrayQueue<ForwardedFrame> queue = new MpscAtomicArrayQueue<>(CAPACITY);
    private List<EngineDriver> drivers = List.of();

    /** A frame between two engines' threads. */
    private record ForwardedFrame(UnsafeBuffer buffer, Flow flow) {
    }

    /** @param index of the engine served. */
    FrameForwarding(int index, NetCounters counters) {
        this.index = index;
        this.counters = counters;
    }

    /** Sets the drivers of the NIC in the order of their engines. */
    void connect(List<EngineDriver> all) {
        drivers = all;
    }

    /** Forwards a received frame if another engine owns its queue pair, and returns whether one does. */
    boolean forward(DirectBuffer buffer, int offset, int lengthBytes, Flow flow) {
        if (lengthBytes < Bth.LENGTH) {
            return false;
        }
        int owner = Bth.destinationQpn(buffer, offset) % drivers.size();
        if (owner == index) {
            return false;
        }
        byte[] copy = new byte[lengthBytes];
        buffer.getBytes(offset, copy);
        boolean taken = drivers.get(owner).onForwarded(new UnsafeBuffer(copy), flow);
        counters.count(taken ? NetCounter.FORWARDED_FRAMES : NetCounter.FORWARD_OVERFLOW);
        return true;
    }

    /** Queues a frame for this engine, on any thread; false when the queue is full. */
    boolean offer(UnsafeBuffer frame, Flow flow) {
        return queue.offer(new ForwardedFrame(frame, flow));
    }

    /** Delivers frames that other engines forwarded, a bounded number; returns how many. */
    int receive(FrameReceiver receiver) {
        int frames = 0;
        ForwardedFrame frame = queue.poll();
        while (frame != null) {
            receiver.onFrame(frame.buffer(), 0, frame.buffer().capacity(), frame.flow());
            frame = ++frames < MAX_FRAMES ? queue.poll() : null;
        }
        return frames;
    }
}
