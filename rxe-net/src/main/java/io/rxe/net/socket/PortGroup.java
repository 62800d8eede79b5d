package io.rxe.net.socket;

import io.netty.channel.IoEventLoop;
import io.rxe.net.port.FrameReceiver;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.UdpPort;
import io.rxe.port.Flow;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The sockets of one engine of a NIC with several ports, as one: receives from each, and sends through that of the packet's source
 * address. A NIC with one port has no such layer.
 */
public final class PortGroup implements UdpPort {
    private final Gid[] gids;
    private final UdpPort[] ports;

    /**
     * @param gids  addresses of the ports.
     * @param ports their sockets, in the same order.
     */
    public PortGroup(List<Gid> gids, List<UdpPort> ports) {
        this.gids = gids.toArray(new Gid[0]);
        this.ports = ports.toArray(new UdpPort[0]);
    }

    @Override
    public void start(IoEventLoop loop, FrameReceiver receiver, Runnable onReady) throws IOException {
        for (UdpPort port : ports) {
            port.start(loop, receiver, onReady);
        }
    }

    @Override
    public int receive(int maxBytes) {
        int datagrams = 0;
        for (UdpPort port : ports) {
            datagrams += port.receive(maxBytes);
        }
        return datagrams;
    }

    @Override
    public boolean hasMore() {
        boolean hasMore = false;
        for (UdpPort port : ports) {
            hasMore |= port.hasMore();
        }
        return hasMore;
    }

    @Override
    public void lookEverywhere() {
        for (UdpPort port : ports) {
            port.lookEverywhere();
        }
    }

    @Override
    public SendStatus send(Flow flow, DirectBuffer buffer, int offset, int lengthBytes, int segmentBytes) {
        for (int i = 0; i < gids.length; i++) {
            if (gids[i].equals(flow.source())) {
                return ports[i].send(flow, buffer, offset, lengthBytes, segmentBytes);
            }
        }
        throw new AssertionError("no port has the source address of " + flow);
    }

    @Override
    public boolean canSegment() {
        return Arrays.stream(ports).allMatch(UdpPort::canSegment);
    }

    @Override
    public boolean isCoalescing() {
        return ports[0].isCoalescing();
    }

    @Override
    public void rearm() {
        for (UdpPort port : ports) {
            port.rearm();
        }
    }

    @Override
    public long nextDeadlineNs() {
        long next = Long.MAX_VALUE;
        for (UdpPort port : ports) {
            next = Math.min(next, port.nextDeadlineNs());
        }
        return next;
    }

    @Override
    public void close() {
        for (UdpPort port : ports) {
            port.close();
        }
    }
}
