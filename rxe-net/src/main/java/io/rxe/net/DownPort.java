package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.fault.VerbFaults;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import java.io.IOException;
import org.agrona.DirectBuffer;

/**
 * The port of a NIC with faults at its verbs: while they have it down, nothing leaves and nothing arrives, as on a cable that was cut. It
 * counts the faults, too, because it runs where the counters are. Other NICs have no such layer.
 */
final class DownPort implements UdpPort {
    private final UdpPort inner;
    private final VerbFaults faults;
    private final NetCounters counters;

    DownPort(UdpPort inner, VerbFaults faults, NetCounters counters) {
        this.inner = inner;
        this.faults = faults;
        this.counters = counters;
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
        inner.start(loop, (buffer, offset, lengthBytes, flow) -> {
            if (faults.isPortUp()) {
                receiver.onFrame(buffer, offset, lengthBytes, flow);
            } else {
                counters.count(NetCounter.VERBS_FAULT_CUT);
            }
        }, onReady);
    }

    @Override
    public int receive(int maxBytes) {
        long strikes = faults.takeStrikes();
        if (strikes > 0) {
            counters.count(NetCounter.VERBS_FAULTS, strikes);
        }
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
        if (faults.isPortUp()) {
            return inner.send(flow, buffer, offset, lengthBytes, segmentBytes);
        }
        counters.count(NetCounter.VERBS_FAULT_CUT, (lengthBytes + segmentBytes - 1) / segmentBytes);
        return SendStatus.SENT;
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
