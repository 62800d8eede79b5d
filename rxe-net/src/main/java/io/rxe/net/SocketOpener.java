package io.rxe.net;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * Opens UDP sockets the way RoCEv2 over sockets needs them: bound, not connected where they send, fragmentation forbidden
 * (so that IPv4 identifications are known to us), with large buffers; and says what to do where the system refuses.
 */
final class SocketOpener {
    /** Below this a window of frames does not fit, and loss is of our own making. */
    private static final int SMALL_BUFFER_BYTES = 1 << 20;

    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;
    private static final int SO_ATTACH_REUSEPORT_CBPF = 51;
    private static final int IPPROTO_IP = 0;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_MTU_DISCOVER = 23;
    private static final int PMTUDISC_DO = 2;
    private static final int SOL_UDP = 17;
    private static final int UDP_NO_CHECK6_RX = 102;

    private static final int EPERM = 1;
    private static final int EACCES = 13;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;

    private final RxeNicOptions options;
    private final Notices notices;
    private int receiveBufferBytes = Integer.MAX_VALUE;
    private int sendBufferBytes = Integer.MAX_VALUE;

    SocketOpener(RxeNicOptions options, Notices notices) {
        this.options = options;
        this.notices = notices;
    }

    /**
     * Checks that sockets of this kind exist here at all.
     *
     * @throws IOException that says why not, and what to do.
     */
    static void requireEpoll() throws IOException {
        String system = System.getProperty("os.name");
        if (!"Linux".equals(system)) {
            throw new IOException("this NIC needs Linux (epoll, UDP_SEGMENT, IP_MTU_DISCOVER), this is " + system
                + ": run it in a Linux machine, virtual machine or container");
        }
        if (!Epoll.isAvailable()) {
            Throwable cause = Epoll.unavailabilityCause();
            throw new IOException("Netty's epoll library cannot be loaded on " + System.getProperty("os.arch") + " (" + cause
                + "): use x86-64 or aarch64 with glibc, a writable temporary directory without noexec"
                + " (or -Dio.netty.native.workdir=DIR), and Java's --enable-native-access=ALL-UNNAMED", cause);
        }
    }

    /**
     * Opens the socket of one engine.
     *
     * @param interfaceIndex of the interface that multicast leaves by.
     * @throws IOException that says what stands in the way, and the remedy.
     */
    LinuxSocket open(InetSocketAddress local, int interfaceIndex) throws IOException {
        requireEpoll();
        boolean ipv4 = local.getAddress() instanceof Inet4Address;
        if (options.engines() > 1) {
            // With SO_REUSEPORT a second process would be let in and take part of our packets: ask without it first.
            LinuxSocket probe = LinuxSocket.newSocketDgram(ipv4 ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6);
            bindOrClose(probe, local);
            probe.close();
        }
        return openNext(local, interfaceIndex);
    }

    /** Opens one more socket of those that {@link #open} began, which share an address. */
    LinuxSocket openNext(InetSocketAddress local, int interfaceIndex) throws IOException {
        boolean ipv4 = local.getAddress() instanceof Inet4Address;
        return bound(local, socket -> {
            if (ipv4) {
                SocketOptions.set(socket, IPPROTO_IP, IP_MTU_DISCOVER, PMTUDISC_DO);
            } else {
                SocketOptions.set(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, PMTUDISC_DO);
            }
            growSendBuffer(socket);
            MulticastOptions.sendThrough(socket, local.getAddress(), interfaceIndex);
            if (options.engines() > 1) {
                socket.setReusePort(true);
            }
        });
    }

    /**
     * Opens a socket that receives what is sent to a multicast group. Others may bind the group as well: each gets its copy.
     *
     * @throws IOException that says what stands in the way, and the remedy.
     */
    LinuxSocket openGroup(InetSocketAddress group, InterfaceInfo local) throws IOException {
        LinuxSocket socket = bound(group, fresh -> fresh.setReuseAddress(true));
        boolean joined = false;
        try {
            MulticastOptions.join(socket, group.getAddress(), local.address(), local.index());
            joined = true;
        } catch (IOException e) {
            throw new IOException("the kernel refuses (" + e.getMessage() + "); when there are many groups already, raise `sysctl -w"
                + " net.ipv4.igmp_max_memberships`; when the interface knows no multicast, use another", e);
        } finally {
            if (!joined) {
                socket.close();
            }
        }
        return socket;
    }

    /**
     * Opens a socket that receives what one peer sends to the address of another socket.
     *
     * @param shared has the address to itself: only this once another socket may share it.
     * @throws IOException if the system refuses.
     */
    LinuxSocket openConnected(LinuxSocket shared, InetSocketAddress local, InetSocketAddress peer) throws IOException {
        LinuxSocket socket = null;
        boolean ready = false;
        try {
            shared.setReuseAddress(true);
            socket = bound(local, fresh -> fresh.setReuseAddress(true));
            SocketOptions.coalesce(socket, options.gro(), notices);
            socket.connect(peer);
            ready = true;
        } finally {
            shared.setReuseAddress(false);
            if (!ready && socket != null) {
                socket.close();
            }
        }
        return socket;
    }

    /** What is set before a socket is bound. */
    private interface Setting {
        void apply(LinuxSocket socket) throws IOException;
    }

    private LinuxSocket bound(InetSocketAddress local, Setting setting) throws IOException {
        boolean ipv4 = local.getAddress() instanceof Inet4Address;
        LinuxSocket socket = LinuxSocket.newSocketDgram(ipv4 ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6);
        boolean ready = false;
        try {
            growReceiveBuffer(socket);
            if (!ipv4) {
                // Kernel peers send without a UDP checksum, since the ICRC protects more.
                SocketOptions.set(socket, SOL_UDP, UDP_NO_CHECK6_RX, 1);
            }
            setting.apply(socket);
            ready = true;
        } finally {
            if (!ready) {
                socket.close();
            }
        }
        bindOrClose(socket, local);
        return socket;
    }

    /**
     * Makes the kernel deliver each packet of a group of sockets to the engine that owns its queue pair: engine = QPN modulo
     * engines. Sockets count in the order they were bound.
     *
     * <p>The program is classic BPF and begins to count at the UDP payload, the BTH:
     * {@code ld [4]; and 0xffffff; mod engines; ret a}.
     *
     * @throws IOException if the kernel refuses.
     */
    static void steerByQueuePair(LinuxSocket anyOfGroup, int engines) throws IOException {
        int[][] program = {{0x20, 4}, {0x54, 0x00FF_FFFF}, {0x94, engines}, {0x16, 0}};
        ByteBuffer code = ByteBuffer.allocateDirect(8 * program.length).order(ByteOrder.nativeOrder());
        for (int[] instruction : program) {
            code.putShort((short) instruction[0]).put((byte) 0).put((byte) 0).putInt(instruction[1]);
        }
        ByteBuffer filter = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        filter.putShort(0, (short) program.length).putLong(8, BufferUtil.address(code));
        SocketOptions.set(anyOfGroup, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, filter);
    }

    private void growReceiveBuffer(LinuxSocket socket) throws IOException {
        int wanted = options.receiveBufferBytes();
        if (!force(socket, SO_RCVBUFFORCE, wanted)) {
            socket.setReceiveBufferSize(wanted);
        }
        // The kernel doubles the figure for its own bookkeeping, and reports the double.
        int got = socket.getReceiveBufferSize() / 2;
        receiveBufferBytes = Math.min(receiveBufferBytes, got);
        if (got < Math.min(wanted, SMALL_BUFFER_BYTES)) {
            notices.once("rmem", "socket receive buffer is " + got + " bytes, " + wanted
                + " were asked for: packets may be lost to our own speed; raise it with `sysctl -w net.core.rmem_max="
                + wanted + "`");
        }
    }

    private void growSendBuffer(LinuxSocket socket) throws IOException {
        int wanted = options.sendBufferBytes();
        if (!force(socket, SO_SNDBUFFORCE, wanted)) {
            socket.setSendBufferSize(wanted);
        }
        int got = socket.getSendBufferSize() / 2;
        sendBufferBytes = Math.min(sendBufferBytes, got);
        if (got < Math.min(wanted, SMALL_BUFFER_BYTES)) {
            notices.once("wmem", "socket send buffer is " + got + " bytes, " + wanted
                + " were asked for: sending will stall more often; raise it with `sysctl -w net.core.wmem_max=" + wanted + "`");
        }
    }

    /** Bytes the smallest receive buffer opened so far holds. */
    int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    /** Bytes the smallest send buffer opened so far holds. */
    int sendBufferBytes() {
        return sendBufferBytes;
    }

    private static boolean force(LinuxSocket socket, int option, int bytes) {
        try {
            SocketOptions.set(socket, SOL_SOCKET, option, bytes);
            return true;
        } catch (IOException e) {
            // Not root: what sysctl allows is what we get.
            return false;
        }
    }

    private static void bindOrClose(LinuxSocket socket, InetSocketAddress local) throws IOException {
        try {
            socket.bind(local);
        } catch (NativeIoException e) {
            socket.close();
            throw explained(e, local);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static IOException explained(NativeIoException cause, InetSocketAddress local) {
        String where = "UDP " + local.getPort() + " on " + local.getAddress().getHostAddress();
        String sentence;
        switch (-cause.expectedErr()) {
            case EADDRINUSE -> sentence = where + " is taken: another rxe process, or the kernel's rdma_rxe in this network"
                + " namespace (see `rdma link`): stop it, or run in another namespace or on another address";
            case EADDRNOTAVAIL -> sentence = where + " cannot be bound, the address is not local: choose one that"
                + " `ip address` shows";
            case EACCES, EPERM -> sentence = where + " is not permitted to this user: use a port above 1023 or the port "
                + "4791 itself, or look at the security policy of the container";
            default -> sentence = where + " cannot be bound: " + cause.getMessage();
        }
        IOException explained = new BindException(sentence);
        explained.initCause(cause);
        return explained;
    }
}
