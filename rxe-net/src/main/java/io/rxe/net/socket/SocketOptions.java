package io.rxe.net.socket;

import io.netty.channel.ChannelException;
import io.netty.channel.unix.Socket;
import io.rxe.net.port.Offload;
import io.rxe.net.port.Warnings;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Socket options for which Netty has no methods.
 *
 * <p>Netty reports a refused option as an unchecked {@link ChannelException}; here it is a checked {@link IOException}, because every
 * caller has to handle a refusal.
 */
final class SocketOptions {
    static final int SOL_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;
    static final int IPPROTO_IP = 0;
    private static final int IP_TOS = 1;
    private static final int IP_RECVTOS = 13;
    static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_RECVTCLASS = 66;
    private static final int IPV6_TCLASS = 67;

    private SocketOptions() {
    }

    /** Sets an option whose value is an integer. */
    static void set(Socket socket, int level, int option, int value) throws IOException {
        try {
            socket.setIntOpt(level, option, value);
        } catch (ChannelException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Sets an option whose value is a structure. */
    static void set(Socket socket, int level, int option, ByteBuffer structure) throws IOException {
        try {
            socket.setRawOpt(level, option, structure);
        } catch (ChannelException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Sets the length of the segments into which the kernel cuts each send; 0 for none. It stays set for later sends.
     *
     * @throws IOException if this kernel does not segment UDP.
     */
    static void segment(Socket socket, int bytes) throws IOException {
        set(socket, SOL_UDP, UDP_SEGMENT, bytes);
    }

    /**
     * Sets the IPv4 TOS or IPv6 traffic class of the sends that follow, 0 to 255 with ECN.
     *
     * @throws IOException if the system refuses.
     */
    static void trafficClass(Socket socket, boolean ipv4, int value) throws IOException {
        set(socket, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? IP_TOS : IPV6_TCLASS, value);
    }

    /**
     * Has the system tell the class of each received datagram, in a control message.
     *
     * @throws IOException if the system refuses.
     */
    static void receiveTrafficClass(Socket socket, boolean ipv4) throws IOException {
        set(socket, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? IP_RECVTOS : IPV6_RECVTCLASS, 1);
    }

    /**
     * Finds out whether the kernel can segment sends, unless that is switched off.
     *
     * @throws IOException if it is demanded and the kernel does not have it.
     */
    static boolean canSegment(Socket socket, Offload wanted, Warnings warnings) throws IOException {
        return enable(socket, wanted, UDP_SEGMENT, 0, "segmentation (UDP_SEGMENT, Linux 4.18)", "gso", warnings);
    }

    /**
     * Has the kernel coalesce received datagrams of one flow, unless that is switched off.
     *
     * @return whether it does.
     * @throws IOException if it is demanded and the kernel does not have it.
     */
    static boolean coalesce(Socket socket, Offload wanted, Warnings warnings) throws IOException {
        return enable(socket, wanted, UDP_GRO, 1, "coalescing (UDP_GRO, Linux 5.0)", "gro", warnings);
    }

    private static boolean enable(Socket socket, Offload wanted, int option, int value, String what, String flag, Warnings warnings)
        throws IOException {
        if (wanted == Offload.OFF) {
            return false;
        }
        try {
            set(socket, SOL_UDP, option, value);
            return true;
        } catch (IOException e) {
            if (wanted == Offload.ON) {
                throw new IOException("this kernel has no UDP " + what + ": use --" + flag + " auto or off", e);
            }
            warnings.once(flag, "this kernel has no UDP " + what + ": frames go one by one, which is slower; --" + flag
                + " off switches the attempt off");
            return false;
        }
    }
}
