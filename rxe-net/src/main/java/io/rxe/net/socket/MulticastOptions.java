package io.rxe.net.socket;

import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Socket options of multicast, for which Netty's public classes have no methods. */
final class MulticastOptions {
    private static final int IP_MULTICAST_IF = 32;
    private static final int IP_MULTICAST_LOOP = 34;
    private static final int IP_ADD_MEMBERSHIP = 35;
    private static final int IP_MULTICAST_ALL = 49;
    private static final int IPV6_MULTICAST_IF = 17;
    private static final int IPV6_MULTICAST_LOOP = 19;
    private static final int IPV6_ADD_MEMBERSHIP = 20;
    private static final int IPV6_MULTICAST_ALL = 29;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;

    private MulticastOptions() {
    }

    /**
     * Sends datagrams to groups through an interface, with a copy for members on this host.
     *
     * @param local          address of the socket.
     * @param interfaceIndex of the interface that owns it.
     */
    static void sendThrough(Socket socket, InetAddress local, int interfaceIndex) throws IOException {
        if (local instanceof Inet4Address) {
            SocketOptions.set(socket, SocketOptions.IPPROTO_IP, IP_MULTICAST_IF, ipv4(InetAddress.getByAddress(new byte[IPV4_BYTES]), local,
                interfaceIndex));
            SocketOptions.set(socket, SocketOptions.IPPROTO_IP, IP_MULTICAST_LOOP, 1);
        } else {
            SocketOptions.set(socket, SocketOptions.IPPROTO_IPV6, IPV6_MULTICAST_IF, interfaceIndex);
            SocketOptions.set(socket, SocketOptions.IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1);
        }
    }

    /** Joins a group on one interface. Excludes groups that other processes of this host joined on another. */
    static void join(Socket socket, InetAddress group, InetAddress local, int interfaceIndex)
        throws IOException {
        if (group instanceof Inet4Address) {
            SocketOptions.set(socket, SocketOptions.IPPROTO_IP, IP_MULTICAST_ALL, 0);
            SocketOptions.set(socket, SocketOptions.IPPROTO_IP, IP_ADD_MEMBERSHIP, ipv4(group, local, interfaceIndex));
        } else {
            SocketOptions.set(socket, SocketOptions.IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
            SocketOptions.set(socket, SocketOptions.IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, ipv6(group, interfaceIndex));
        }
    }

    /** struct ip_mreqn: group, local address, interface index. */
    private static ByteBuffer ipv4(InetAddress group, InetAddress local, int interfaceIndex) {
        return structure(2 * IPV4_BYTES + Integer.BYTES).put(group.getAddress()).put(local.getAddress()).putInt(interfaceIndex)
            .flip();
    }

    /** struct ipv6_mreq: group, interface index. */
    private static ByteBuffer ipv6(InetAddress group, int interfaceIndex) {
        return structure(IPV6_BYTES + Integer.BYTES).put(group.getAddress()).putInt(interfaceIndex).flip();
    }

    private static ByteBuffer structure(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }
}
