package io.rxe.tools.pingpong;

import java.io.IOException;

/** The TCP conversation with the peer: whole messages of known length. One thread. */
interface PeerLink extends AutoCloseable {
    /** Whom we talk to, for messages: host and port. */
    String peer();

    /**
     * Waits for exactly so many bytes.
     *
     * @throws IOException when the peer closes first, or says nothing for too long.
     */
    byte[] readExactly(int lengthBytes) throws IOException;

    /** Sends a message in one piece: the other programs read each with one call. */
    void write(byte[] message) throws IOException;

    @Override
    void close();
}
