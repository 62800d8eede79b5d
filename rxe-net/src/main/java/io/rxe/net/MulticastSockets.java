package io.rxe.net;

import io.netty.channel.epoll.LinuxSocket;
import io.rxe.device.CloseEach;
import io.rxe.net.drive.EngineDriver;
import io.rxe.net.port.UdpPort;
import io.rxe.net.socket.SocketOpener;
import io.rxe.port.MulticastPort;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The multicast groups of a NIC. Each group has one receive-only socket for each engine.
 *
 * <pre>
 *   datagram to 239.1.2.3 --> socket of engine 0 bound to 239.1.2.3, member on the NIC's interface --> engine 0
 *                         \-> socket of engine 1, the same                                         --> engine 1
 * </pre>
 *
 * <p>A socket bound to the group receives only what was sent to the group, so the destination, which the ICRC covers and a queue pair
 * checks, is known; and the kernel gives every engine its own copy. Callable from any thread but those of the engines.
 */
final class MulticastSockets implements MulticastPort {
    /** Makes a port of one engine's socket, with the layers that every port of the NIC has. */
    @FunctionalInterface
    interface PortMaker {
        UdpPort make(LinuxSocket socket, InetSocketAddress local, int engine) throws IOException;
    }

    /** A joined group, and how often it was joined. */
    private static final class Membership {
        private final List<UdpPort> ports = new ArrayList<>();
        private int joins = 1;
    }

    private final InterfaceInfo local;
    private final int udpPort;
    private final SocketOpener opener;
    private final PortMaker maker;
    private final List<EngineDriver> drivers;
    private final Map<Gid, Membership> memberships = new HashMap<>();

    /**
     * @param local interface the groups are joined on.
     * @param drivers of all engines; started before the first join.
     */
    MulticastSockets(InterfaceInfo local, int udpPort, SocketOpener opener, PortMaker maker, List<EngineDriver> drivers) {
        this.local = local;
        this.udpPort = udpPort;
        this.opener = opener;
        this.maker = maker;
        this.drivers = drivers;
    }

    /** @throws IllegalStateException if the system refuses; the message has the remedy. */
    @Override
    public synchronized void joinMulticast(Gid group) {
        Membership known = memberships.get(group);
        if (known != null) {
            known.joins++;
            return;
        }
        Membership joined = new Membership();
        boolean complete = false;
        try {
            InetSocketAddress address = new InetSocketAddress(SocketOpener.inetAddress(group, local.index()), udpPort);
            for (int engine = 0; engine < drivers.size(); engine++) {
                UdpPort port = maker.make(opener.openGroup(address, local.address(), local.index()), address, engine);
                joined.ports.add(port);
                drivers.get(engine).add(port);
            }
            complete = true;
        } catch (IOException e) {
            throw new IllegalStateException("group " + group + " cannot be joined on " + local.name() + ": " + e.getMessage(), e);
        } finally {
            if (complete) {
                memberships.put(group, joined);
            } else {
                leave(joined);
            }
        }
    }

    @Override
    public synchronized void leaveMulticast(Gid group) {
        Membership known = memberships.get(group);
        if (known != null && --known.joins == 0) {
            memberships.remove(group);
            leave(known);
        }
    }

    private void leave(Membership membership) {
        CloseEach.of(() -> IntStream.range(0, membership.ports.size()).iterator(),
            engine -> drivers.get(engine).remove(membership.ports.get(engine)));
    }
}
