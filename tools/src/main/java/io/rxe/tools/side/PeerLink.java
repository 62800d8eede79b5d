package io.rxe.tools.side;

import java.io.IOException;

/** The connection over which two test programs exchange their handshake: whole messages of known length. One thread. */
public interface PeerLink extends AutoCloseable {
    /** Address of the peer, for messages. */
    String peer();

    /**
     * Waits for a message of {@code lengthBytes}.
     *
     * @throws IOException if the peer closes first, or does not send it in time.
     */
    byte[] readExactly(int lengthBytes) throws IOException;

    /** Sends a message in one piece: stock programs read each with one call. */
    void write(byte[] message) throws IOException;

    @Override
    void close();
}
