package io.rxe.net.socket;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors.NativeIoException;
import io.rxe.net.port.Warnings;
import io.rxe.wire.Ecn;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.lang.ref.Reference;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BufferUtil;

/**
 * Opens UDP sockets as RoCEv2 over sockets needs them: bound, not connected where they send, fragmentation forbidden (so that we
 * know the IPv4 identifications), with large buffers. Where the system refuses, the exception has the remedy.
 */
public final class SocketOpener {
    /** A smaller buffer does not hold a window of frames, so that our own speed causes loss. */
    private static final int SMALL_BUFFER_BYTES = 1 << 20;
    /** What a NIC requests by default; no warning when the system grants less, unless it is small. */
    private static final int USUAL_BUFFER_BYTES = 4 << 20;

    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;
    private static final int SO_ATTACH_REUSEPORT_CBPF = 51;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int IPV6_MTU_DISCOVER = 23;
    /**
     * Forbids fragmentation like IP_PMTUDISC_DO, but ignores path MTUs learned from ICMP, which anybody can forge. IPv6 has the same
     * number.
     */
    private static final int PMTUDISC_PROBE = 3;
    private static final int UDP_NO_CHECK6_RX = 102;

    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int LOAD_BYTE = 0x30;
    private static final int ADD = 0x04;
    private static final int AND = 0x54;
    private static final int SHIFT_LEFT = 0x64;
    private static final int SHIFT_RIGHT = 0x74;
    private static final int MODULO = 0x94;
    private static final int JUMP_UNLESS_EQUAL = 0x15;
    private static final int RETURN = 0x16;
    /** SKF_NET_OFF: offsets from here on are in the IP header. */
    private static final int IP_HEADER = -0x10_0000;

    private static final PortHolder HOLDER = new PortHolder(Path.of("/"), ProcessHandle.current().pid());
    private static final int PATIENCE = 50;
    private static final long PAUSE_NS = 20_000_000;

    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;

    private final SocketSettings settings;
    private final Warnings warnings;
    private int receiveBufferBytes = Integer.MAX_VALUE;
    private int sendBufferBytes = Integer.MAX_VALUE;

    public SocketOpener(SocketSettings settings, Warnings warnings) {
        this.settings = settings;
        this.warnings = warnings;
    }

    /**
     * Checks that this system has sockets of this kind.
     *
     * @throws IOException that says why not, with the remedy.
     */
    public static void requireEpoll() throws IOException {
        String system = System.getProperty("os.name");
        if (!"Linux".equals(system)) {
            throw new IOException("this NIC needs Linux (epoll, UDP_SEGMENT, IP_MTU_DISCOVER), this is " + system
                + ": run it in a Linux machine, virtual machine or container");
        }
        if (!Epoll.isAvailable()) {
            Throwable cause = Epoll.unavailabilityCause();
            requireLibrary(System.getProperty("os.arch"), cause);
            requireFolder(cause);
            throw new IOException("Netty's epoll library cannot be loaded on " + System.getProperty("os.arch") + " (" + cause
                + "): use x86-64 or aarch64 with glibc, a writable temporary directory without noexec"
                + " (or -Dio.netty.native.workdir=DIR), and Java's --enable-native-access=ALL-UNNAMED", cause);
        }
    }

    /** Distinguishes a library that is missing from one that cannot be loaded. Netty writes AArch64 with an underscore. */
    private static void requireLibrary(String architecture, Throwable cause) throws IOException {
        String classifier = switch (architecture) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "aarch_64";
            default -> throw new IOException("Netty has no epoll library for " + architecture + ": use x86-64 or aarch64", cause);
        };
        String library = "META-INF/native/libnetty_transport_native_epoll_" + classifier + ".so";
        if (Epoll.class.getClassLoader().getResource(library) == null) {
            throw new IOException("Netty's epoll library is missing (" + library + "): add io.netty:netty-transport-native-epoll with the"
                + " classifier linux-" + classifier + ", of the version of the other Netty jars", cause);
        }
    }

    /** Distinguishes a library that cannot be written to the temporary folder, as where that is full. */
    private static void requireFolder(Throwable cause) throws IOException {
        if (cause.getCause() instanceof IOException writing) {
            throw new IOException("Netty's epoll library cannot be unpacked into " + System.getProperty("io.netty.native.workdir",
                System.getProperty("java.io.tmpdir")) + " (" + writing.getMessage() + "): make room there, or choose another folder, of"
                + " this user and without noexec, with -Dio.netty.native.workdir=DIR", cause);
        }
    }

    /**
     * Opens the socket of one engine.
     *
     * @param interfaceIndex of the interface through which multicast leaves.
     * @throws IOException that says why not, with the remedy.
     */
    public LinuxSocket open(InetSocketAddress local, int interfaceIndex) throws IOException {
        requireEpoll();
        boolean ipv4 = local.getAddress() instanceof Inet4Address;
        // With SO_REUSEPORT a second process of this user could bind the port and receive part of our packets: try without it first.
        LinuxSocket probe = LinuxSocket.newSocketDgram(ipv4 ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6);
        bindOrClose(probe, local);
        probe.close();
        return openNext(local, interfaceIndex);
    }

    /** Opens one more of the sockets that share an address; {@link #open} opens the first. */
    public LinuxSocket openNext(InetSocketAddress local, int interfaceIndex) throws IOException {
        boolean ipv4 = local.getAddress() instanceof Inet4Address;
        return bound(local, socket -> {
            if (ipv4) {
                SocketOptions.set(socket, SocketOptions.IPPROTO_IP, IP_MTU_DISCOVER, PMTUDISC_PROBE);
            } else {
                SocketOptions.set(socket, SocketOptions.IPPROTO_IPV6, IPV6_MTU_DISCOVER, PMTUDISC_PROBE);
            }
            growSendBuffer(socket);
            MulticastOptions.sendThrough(socket, local.getAddress(), interfaceIndex);
            // For sockets of further engines and peers. Linux lets in only this user; SO_REUSEADDR would let in everybody.
            socket.setReusePort(true);
        });
    }

    /**
     * Opens a socket that receives what is sent to a multicast group. Other processes may bind the group as well; each gets its own copy.
     *
     * @param local          address of the interface the group is joined on.
     * @param interfaceIndex of that interface.
     * @throws IOException that says why not, with the remedy.
     */
    public LinuxSocket openGroup(InetSocketAddress group, InetAddress local, int interfaceIndex) throws IOException {
        LinuxSocket socket = bound(group, fresh -> fresh.setReuseAddress(true));
        boolean joined = false;
        try {
            MulticastOptions.join(socket, group.getAddress(), local, interfaceIndex);
            joined = true;
        } catch (IOException e) {
            throw new IOException("the kernel refuses (" + e.getMessage() + "); when many groups are joined already, raise `sysctl -w"
                + " net.ipv4.igmp_max_memberships`; when the interface does not support multicast, use another", e);
        } finally {
            if (!joined) {
                socket.close();
            }
        }
        return socket;
    }

    /** Opens sockets dedicated to one peer beside the one at {@code local}; null where several sockets share that address. */
    public PeerSocketOpener peerSockets(InetSocketAddress local) {
        // A connected socket would receive what is marked too, and among several that share an address might end their steering.
        return settings.sharesAddress() ? null : (shared, peer) -> openConnected(local, peer);
    }

    /**
     * Opens a socket that receives what one peer sends to the address of another socket.
     *
     * @throws IOException if the system refuses.
     */
    private LinuxSocket openConnected(InetSocketAddress local, InetSocketAddress peer) throws IOException {
        LinuxSocket socket = bound(local, fresh -> fresh.setReusePort(true));
        try {
            SocketOptions.coalesce(socket, settings.gro(), warnings);
            socket.connect(peer);
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    /** Sets options before a socket is bound. */
    private interface Setting {
        void apply(LinuxSocket socket) throws IOException;
    }

    private LinuxSocket bound(InetSocketAddress local, Setting setting) throws IOException {
        boolean ipv4 = local.getAddress() instanceof Inet4Address;
        LinuxSocket socket = LinuxSocket.newSocketDgram(ipv4 ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6);
        try {
            growReceiveBuffer(socket);
            if (!ipv4) {
                // Kernel peers send without a UDP checksum, because the ICRC covers more.
                SocketOptions.set(socket, SocketOptions.SOL_UDP, UDP_NO_CHECK6_RX, 1);
            }
            if (settings.headers() != null) {
                SocketOptions.receiveTrafficClass(socket, ipv4);
            }
            setting.apply(socket);
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
        bindOrClose(socket, local);
        return socket;
    }

    /**
     * Has the kernel deliver each packet of a group of sockets to the engine that owns its queue pair: engine = QPN modulo engines.
     * The kernel numbers the sockets in the order they were bound.
     *
     * <p>The program is classic BPF; its offsets start at the UDP payload, the BTH:
     * {@code ld [4]; and 0xffffff; mod engines; ret a}.
     *
     * @throws IOException if the kernel refuses.
     */
    public static void steerByQueuePair(LinuxSocket anyOfGroup, int engines) throws IOException {
        attach(anyOfGroup, new int[][] {{LOAD_WORD, 4}, {AND, 0x00FF_FFFF}, {MODULO, engines}, {RETURN, 0}});
    }

    /**
     * As {@link #steerByQueuePair}, where each engine binds two sockets, one after the other: the second receives what routers marked
     * (ECN CE). The low bits of the second byte of an IPv4 header say so, and the bits 4 and 5 of the first two bytes of an IPv6 header.
     *
     * @throws IOException if the kernel refuses.
     */
    public static void steerMarked(LinuxSocket anyOfGroup, int engines, boolean ipv4) throws IOException {
        attach(anyOfGroup, new int[][] {{ipv4 ? LOAD_BYTE : LOAD_HALF, ipv4 ? IP_HEADER + 1 : IP_HEADER},
            {SHIFT_RIGHT, ipv4 ? 0 : 4}, {AND, Ecn.MASK}, {JUMP_UNLESS_EQUAL | 6 << 24, Ecn.CONGESTION_EXPERIENCED},
            {LOAD_WORD, 4}, {AND, 0x00FF_FFFF}, {MODULO, engines}, {SHIFT_LEFT, 1}, {ADD, 1}, {RETURN, 0},
            {LOAD_WORD, 4}, {AND, 0x00FF_FFFF}, {MODULO, engines}, {SHIFT_LEFT, 1}, {RETURN, 0}});
    }

    /** @param program of instructions of classic BPF: code, with the distance of a jump that is not taken in its high byte, and operand. */
    private static void attach(LinuxSocket anyOfGroup, int[][] program) throws IOException {
        ByteBuffer code = ByteBuffer.allocateDirect(8 * program.length).order(ByteOrder.nativeOrder());
        for (int[] instruction : program) {
            code.putShort((short) instruction[0]).put((byte) 0).put((byte) (instruction[0] >>> 24)).putInt(instruction[1]);
        }
        ByteBuffer filter = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        filter.putShort(0, (short) program.length).putLong(8, BufferUtil.address(code));
        try {
            SocketOptions.set(anyOfGroup, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, filter);
        } finally {
            // The kernel has only its address.
            Reference.reachabilityFence(code);
        }
    }

    private void growReceiveBuffer(LinuxSocket socket) throws IOException {
        int wanted = settings.receiveBufferBytes();
        if (!force(socket, SO_RCVBUFFORCE, wanted)) {
            socket.setReceiveBufferSize(wanted);
        }
        // The kernel doubles the value for its own bookkeeping, and reports the doubled value.
        int got = socket.getReceiveBufferSize() / 2;
        receiveBufferBytes = Math.min(receiveBufferBytes, got);
        if (isTooSmall(got, wanted)) {
            warnings.once("rmem", "socket receive buffer is " + got + " bytes, " + wanted
                + " were asked for: bursts may overflow it and packets be lost; raise it with `sysctl -w net.core.rmem_max="
                + wanted + "`");
        }
    }

    private void growSendBuffer(LinuxSocket socket) throws IOException {
        int wanted = settings.sendBufferBytes();
        if (!force(socket, SO_SNDBUFFORCE, wanted)) {
            socket.setSendBufferSize(wanted);
        }
        int got = socket.getSendBufferSize() / 2;
        sendBufferBytes = Math.min(sendBufferBytes, got);
        if (isTooSmall(got, wanted)) {
            warnings.once("wmem", "socket send buffer is " + got + " bytes, " + wanted
                + " were asked for: sending will stall more often; raise it with `sysctl -w net.core.wmem_max=" + wanted + "`");
        }
    }

    /** Whether a buffer is small, or clearly less than was requested explicitly; the kernel rounds. */
    static boolean isTooSmall(int got, int wanted) {
        return got < Math.min(wanted, SMALL_BUFFER_BYTES) || wanted > USUAL_BUFFER_BYTES && got < wanted - wanted / 16;
    }

    /** Size of the smallest receive buffer opened so far, in bytes of payload. */
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    /** Size of the smallest send buffer opened so far, in bytes of payload. */
    public int sendBufferBytes() {
        return sendBufferBytes;
    }

    private static boolean force(LinuxSocket socket, int option, int bytes) {
        try {
            SocketOptions.set(socket, SOL_SOCKET, option, bytes);
            return true;
        } catch (IOException e) {
            // Not root: the limit of sysctl applies.
            return false;
        }
    }

    private static void bindOrClose(LinuxSocket socket, InetSocketAddress local) throws IOException {
        try {
            bind(socket, local);
        } catch (NativeIoException e) {
            socket.close();
            throw explained(e, local);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** A process that was killed has its port for a while, and one that nobody sees may be such: these are waited for, no living one. */
    private static void bind(LinuxSocket socket, InetSocketAddress local) throws IOException {
        for (int tries = 0;; tries++) {
            try {
                socket.bind(local);
                return;
            } catch (NativeIoException e) {
                if (-e.expectedErr() != EADDRINUSE || tries == PATIENCE || HOLDER.isAlive(local)) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /**
     * The internet address of a GID. Of an IPv4 address mapped into IPv6, Java makes an IPv4 address, which needs no interface; a
     * link-local one of IPv6 does, even to bind.
     */
    public static InetAddress inetAddress(Gid gid, int interfaceIndex) {
        try {
            InetAddress address = InetAddress.getByAddress(gid.toBytes());
            return address instanceof Inet6Address && (address.isLinkLocalAddress() || address.isMCLinkLocal())
                ? Inet6Address.getByAddress(null, gid.toBytes(), interfaceIndex) : address;
        } catch (UnknownHostException e) {
            throw new AssertionError("a GID has 16 bytes", e);
        }
    }

    private static IOException explained(NativeIoException cause, InetSocketAddress local) {
        String where = "UDP " + local.getPort() + " on " + local.getAddress().getHostAddress();
        String sentence;
        switch (-cause.expectedErr()) {
            case EADDRINUSE -> sentence = where + HOLDER.explain(local);
            case EADDRNOTAVAIL -> sentence = where + " cannot be bound, the address is not local: choose one that"
                + " `ip address` shows";
            case SendErrors.EACCES, SendErrors.EPERM -> sentence = where + " is not permitted to this user: use a port above 1023, such as "
                + "4791, or change the security policy of the container";
            default -> sentence = where + " cannot be bound: " + cause.getMessage();
        }
        IOException explained = new BindException(sentence);
        explained.initCause(cause);
        return explained;
    }
}
