package io.rxe.net;

import io.netty.channel.ChannelException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Socket options that Netty has no name for.
 *
 * <p>Netty reports a refused option as an unchecked {@link ChannelException}; here it is an {@link IOException}, because every
 * caller has an answer to a refusal and must not forget it.
 */
final class SocketOptions {
    private static final int SOL_UDP = 17;
    private static final int UDP_SEGMENT = 103;
    private static final int UDP_GRO = 104;

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
     * Sets the length at which the kernel cuts what is sent; 0 for not at all. It sticks to the socket.
     *
     * @throws IOException if this kernel does not segment UDP.
     */
    static void segment(Socket socket, int bytes) throws IOException {
        set(socket, SOL_UDP, UDP_SEGMENT, bytes);
    }

    /**
     * Finds out whether the kernel segments what is sent, unless that is not wanted.
     *
     * @throws IOException if it is demanded and does not exist.
     */
    static boolean canSegment(Socket socket, Offload wanted, Notices notices) throws IOException {
        return enable(socket, wanted, UDP_SEGMENT, 0, "segmentation (UDP_SEGMENT, Linux 4.18)", "gso", notices);
    }

    /**
     * Has the kernel put received datagrams of one flow together, unless that is not wanted.
     *
     * @return whether it does.
     * @throws IOException if it is demanded and does not exist.
     */
    static boolean coalesce(Socket socket, Offload wanted, Notices notices) throws IOException {
        return enable(socket, wanted, UDP_GRO, 1, "coalescing (UDP_GRO, Linux 5.0)", "gro", notices);
    }

    private static boolean enable(Socket socket, Offload wanted, int option, int value,
        String what,
                                  String flag, Notices notices) throws IOException {
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
            notices.once(flag, "this kernel has no UDP " + what + ": frames go one by one");
            return false;
        }
    }
}
