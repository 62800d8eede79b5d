package io.rxe.net;

import io.netty.channel.IoEventLoop;
import io.rxe.fault.VerbFaults;
import io.rxe.net.port.ForwardingPort;
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
final class DownPort extends ForwardingPort {
    private final VerbFaults faults;
    private final NetCounters counters;

    DownPort(UdpPort inner, VerbFaults faults, NetCounters counters) {
        super(inner);
        this.faults = faults;
        this.counters = counters;
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
        super.start(loop, (buffer, offset, lengthBytes, flow) -> {
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
        return super.receive(maxBytes);
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        if (faults.isPortUp()) {
            return super.send(flow, buffer, offset, lengthBytes, segmentBytes);
        }
        counters.count(NetCounter.VERBS_FAULT_CUT, (lengthBytes + segmentBytes - 1) / segmentBytes);
        return SendStatus.SENT;
    }
}
