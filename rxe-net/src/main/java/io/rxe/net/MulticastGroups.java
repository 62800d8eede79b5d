package io.rxe.net;

import io.netty.channel.epoll.LinuxSocket;
import io.rxe.port.MulticastPort;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The multicast groups of a NIC: for each one a socket per engine that only receives.
 *
 * <pre>
 *   datagram to 239.1.2.3 --> socket of engine 0 bound to 239.1.2.3, member on the NIC's interface --> engine 0
 *                         \-> socket of engine 1, the same                                         --> engine 1
 * </pre>
 *
 * <p>A socket that is bound to the group tells by itself that a datagram was sent to the group, which the ICRC covers and a queue
 * pair wants to know, and every engine gets its copy from the kernel. Callable from any thread but those of the loops.
 */
final class MulticastGroups implements MulticastPort {
    /** Makes a port of the socket of one engine, with the layers every port of the NIC has. */
    @FunctionalInterface
    interface PortMaker {
        UdpPort make(LinuxSocket socket, InetSocketAddress local, int engine) throws IOException;
    }

    /** A group that was joined, and how often. */
    private static final class Membership {
        private final List<UdpPort> ports = new ArrayList<>();
        private int joins = 1;
    }

    private final InterfaceInfo local;
    private final int udpPort;
    private final SocketOpener opener;
    private final PortMaker maker;
    private final List<NicLoop> loops;
    private final Map<Gid, Membership> memberships = new HashMap<>();

    /**
     * @param local interface the groups are joined on.
     * @param loops of all engines; started before the first join.
     */
    MulticastGroups(InterfaceInfo local, int udpPort, SocketOpener opener, PortMaker maker, List<NicLoop> loops) {
        this.local = local;
        this.udpPort = udpPort;
        this.opener = opener;
        this.maker = maker;
        this.loops = loops;
    }

    /** @throws IllegalStateException if the system refuses; the message says what to do. */
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
            InetSocketAddress address = new InetSocketAddress(inetAddress(group), udpPort);
            for (int engine = 0; engine < loops.size(); engine++) {
                UdpPort port = maker.make(opener.openGroup(address, local), address, engine);
                joined.ports.add(port);
                loops.get(engine).add(port);
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
        for (int index = 0; index < membership.ports.size(); index++) {
            loops.get(index).remove(membership.ports.get(index));
        }
    }

    /** A link-local group means nothing, not even to bind, without the interface. */
    private InetAddress inetAddress(Gid group) throws UnknownHostException {
        byte[] bytes = group.toBytes();
        if (group.isIpv4()) {
            return InetAddress.getByAddress(new byte[] {bytes[12], bytes[13], bytes[14], bytes[15]});
        }
        InetAddress address = InetAddress.getByAddress(bytes);
        return address.isMCLinkLocal() ? Inet6Address.getByAddress(null, bytes, local.index()) : address;
    }
}
