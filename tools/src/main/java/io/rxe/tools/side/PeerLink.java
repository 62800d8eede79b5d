package io.rxe.tools.side;

import io.rxe.wire.Gid;
import java.io.IOException;
import java.time.Duration;

/** The connection over which two test programs exchange their handshake: whole messages of known length. One thread. */
public interface PeerLink extends AutoCloseable {
    /** Address of the peer, for messages. */
    String peer();

    /** Whether this side connected; the client of a handshake sends first. */
    boolean isClient();

    /** Longest wait of a read from now on; zero waits forever. */
    void readTimeout(Duration timeout);

    /**
     * Waits for a message of {@code lengthBytes}.
     *
     * @throws IOException if the peer closes first, or does not send it in time.
     */
    byte[] readExactly(int lengthBytes) throws IOException;

    /** Sends a message in one piece: stock programs read each with one call. */
    void write(byte[] message) throws IOException;

    /** Whether the peer has closed the connection. Does not wait; what arrived before can still be read. */
    boolean isEnded();

    @Override
    void close();

    /**
     * Checks the address that a peer sent.
     *
     * @param gid    null or zero when its program was not told which one to send.
     * @param option of the stock program that chooses it.
     * @throws IllegalArgumentException when it cannot be used; says what to change.
     */
    static void checkGid(Gid gid, Gid own, String peer, String option) {
        if (gid == null || gid.high() == 0 && gid.low() == 0) {
            throw new IllegalArgumentException(peer + " sent no GID: start it with " + option + " INDEX of "
                + (own.isIpv4() ? "an IPv4" : "an IPv6") + " RoCE v2 GID (see ibv_devinfo -v), and without rdma_cm");
        }
        if (gid.isIpv4() != own.isIpv4()) {
            throw new IllegalArgumentException("the GID " + gid + " of " + peer + " and ours " + own
                + " are of different address families: choose another " + option + " there, or another -d here");
        }
    }

    /** Text of a peer, made safe to print: it must not send control sequences to our terminal. */
    static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }
}
