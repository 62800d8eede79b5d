package io.rxe.bench.raw;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A UDP socket that is unconnected and has DF set, as the NIC's. Sends to one address. Owned by one thread once opened. */
final class RawSocket implements AutoCloseable {
    private static final int IPPROTO_IP = 0;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int PMTUDISC_DO = 2;
    private static final int SOL_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;

    private final LinuxSocket socket;
    private final InetAddress peer;

    private RawSocket(LinuxSocket socket, InetAddress peer) {
        this.socket = socket;
        this.peer = peer;
    }

    /** Opens a socket on 127.0.0.1 and a free port, which sends to 127.0.0.1. */
    static RawSocket open() throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("Netty's epoll library cannot be loaded: " + Epoll.unavailabilityCause(),
                Epoll.unavailabilityCause());
        }
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        RawSocket opened = new RawSocket(LinuxSocket.newSocketDgram(SocketProtocolFamily.INET), loopback);
        boolean ready = false;
        try {
            opened.set(IPPROTO_IP, IP_MTU_DISCOVER, PMTUDISC_DO);
            opened.socket.setReceiveBufferSize(SOCKET_BUFFER_BYTES);
            opened.socket.setSendBufferSize(SOCKET_BUFFER_BYTES);
            opened.socket.bind(new InetSocketAddress(loopback, 0));
            ready = true;
        } finally {
            if (!ready) {
                opened.close();
            }
        }
        return opened;
    }

    private void set(int level, int option, int value) throws IOException {
        try {
            socket.setIntOpt(level, option, value);
        } catch (ChannelException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Makes the kernel cut sends into segments (UDP_SEGMENT). */
    void segment(int bytes) throws IOException {
        set(SOL_UDP, UDP_SEGMENT, bytes);
    }

    /** Makes the kernel coalesce received frames (UDP_GRO). */
    void coalesce() throws IOException {
        set(SOL_UDP, UDP_GRO, 1);
    }

    int port() {
        return socket.localAddress().getPort();
    }

    /** For an event loop. */
    LinuxSocket socket() {
        return socket;
    }

    /** Sends from the start of a buffer to a port of the peer; false if the send buffer is full. */
    boolean send(RawFrame frames, int lengthBytes, int port) throws IOException {
        return socket.sendToAddress(frames.address(), 0, lengthBytes, peer, port) > 0;
    }

    /** Receives to the start of a buffer; 0 if nothing is there. */
    int receive(RawFrame frames) throws IOException {
        return socket.recvAddress(frames.address(), 0, RawFrame.BUFFER_BYTES);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
