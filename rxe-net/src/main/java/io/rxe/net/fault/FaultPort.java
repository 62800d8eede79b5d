package io.rxe.net.fault;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.ForwardingPort;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.SystemClock;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;

/**
 * A port that applies a {@link FaultSpec} to its frames in both directions.
 *
 * <p>It accepts frames one at a time, never a batch: so every frame has the ICRC for the identification 0 of a single send, and faults
 * apply to each by itself. Delayed frames leave in {@link #receive}, which the loop calls at {@link #nextDeadlineNs} at the latest.
 */
final class FaultPort extends ForwardingPort {
    private final FaultLine outbound;
    private final FaultLine inbound;
    private final LongSupplier clock;
    private FrameReceiver receiver;
    private boolean closed;

    FaultPort(UdpPort inner, FaultSpec spec, NetCounters counters, SplittableRandom random) {
        this(inner, spec, counters, random, SystemClock::nowNs);
    }

    FaultPort(UdpPort inner, FaultSpec spec, NetCounters counters, SplittableRandom random, LongSupplier clock) {
        super(inner);
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
        super.start(loop, (buffer, offset, lengthBytes, flow) ->
            inbound.pass(flow, buffer, offset, lengthBytes, clock.getAsLong()), onReady);
    }

    @Override
    public int receive(int maxBytes) {
        long nowNs = clock.getAsLong();
        int released = outbound.release(nowNs) + inbound.release(nowNs);
        return released + super.receive(maxBytes);
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        assert lengthBytes <= segmentBytes : "a batch, but this port accepts none";
        return outbound.pass(flow, buffer, offset, lengthBytes, clock.getAsLong());
    }

    /** No: faults apply to single frames. */
    @Override
    public boolean canSegment() {
        return false;
    }

    @Override
    public long nextDeadlineNs() {
        return Math.min(super.nextDeadlineNs(), Math.min(outbound.nextDeadlineNs(), inbound.nextDeadlineNs()));
    }

    /** Sends the delayed frames now: a network also delivers packets whose sender has closed. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            outbound.release(Long.MAX_VALUE);
        }
        super.close();
    }
}
