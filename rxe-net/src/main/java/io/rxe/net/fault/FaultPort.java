package io.rxe.net.fault;

import io.netty.channel.IoEventLoop;
import io.rxe.net.FrameReceiver;
import io.rxe.net.NetCounters;
import io.rxe.net.SendStatus;
import io.rxe.net.SystemClock;
import io.rxe.net.UdpPort;
import io.rxe.port.Flow;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;

/**
 * A port whose frames suffer, in both directions, what a {@link FaultSpec} says.
 *
 * <p>It takes frames one at a time, never a batch: so every frame is sealed for the identification 0 that a single send gets, and
 * faults can strike each by itself. Frames that are held back leave in {@link #receive}, for which the loop comes back by
 * {@link #nextDeadlineNs}.
 */
final class FaultPort implements UdpPort {
    private final UdpPort inner;
    private final FaultLine outbound;
    private final FaultLine inbound;
    private final LongSupplier clock;
    private FrameReceiver receiver;
    private boolean closed;

    FaultPort(UdpPort inner, FaultSpec spec, NetCounters counters, SplittableRandom random) {
        this(inner, spec, counters, random, SystemClock::nowNs);
    }

    FaultPort(UdpPort inner, FaultSpec spec, NetCounters counters, SplittableRandom random, LongSupplier clock) {
        this.inner = inner;
        this.clock = clock;
        this.outbound = new FaultLine(spec, counters, random.split(),
            (flow, buffer, offset, lengthBytes) -> inner.send(flow, buffer, offset, lengthBytes, lengthBytes));
        this.inbound = new FaultLine(spec, counters, random.split(), this::deliver);
    }

    private SendStatus deliver(Flow flow, DirectBuffer buffer, int offset, int lengthBytes) {
        receiver.onFrame(buffer, offset, lengthBytes, flow);
        return SendStatus.SENT;
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver frameReceiver, Runnable onReady) throws IOException {
        receiver = frameReceiver;
        inner.start(loop, (buffer, offset, lengthBytes, flow) ->
            inbound.pass(flow, buffer, offset, lengthBytes, clock.getAsLong()), onReady);
    }

    @Override
    public int receive(int maxBytes) {
        long nowNs = clock.getAsLong();
        int released = outbound.release(nowNs) + inbound.release(nowNs);
        return released + inner.receive(maxBytes);
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        assert lengthBytes <= segmentBytes : "a batch, though this port takes none";
        return outbound.pass(flow, buffer, offset, lengthBytes, clock.getAsLong());
    }

    /** No: see the class. */
    @Override
    public boolean canSegment() {
        return false;
    }

    @Override
    public boolean isPolled() {
        return inner.isPolled();
    }

    @Override
    public long nextDeadlineNs() {
        return Math.min(inner.nextDeadlineNs(), Math.min(outbound.nextDeadlineNs(), inbound.nextDeadlineNs()));
    }

    /** What is held back for sending leaves now rather than never: a network goes on when its sender is gone. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            outbound.release(Long.MAX_VALUE);
        }
        inner.close();
    }
}
