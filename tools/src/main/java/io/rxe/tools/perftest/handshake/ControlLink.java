package io.rxe.tools.perftest.handshake;

import java.io.IOException;

/** The connection for the handshake: exchanges whole messages of known length, the client's first. One thread. */
public interface ControlLink extends AutoCloseable {
    /** Address of the peer, for messages. */
    String peer();

    /** Whether this side sends first. */
    boolean isClient();

    /** Format of key records on this link. */
    KeyFormat keyFormat();

    /**
     * Sends a message and receives one of the same length.
     *
     * @param own         our message.
     * @param isUnbounded whether to wait without a limit, because a test may be running at the peer.
     * @throws IOException if the peer closes first, or sends nothing in time.
     */
    byte[] exchange(byte[] own, boolean isUnbounded) throws IOException;

    /** Sends a message without a reply; ignores errors, since the peer may be gone. */
    void sendLast(byte[] message);

    /**
     * Why the peer cannot be reached any more, as the end of a sentence that begins with its name, or null while it can. Does not wait;
     * call it while nothing else happens, several times a second: it also keeps the link alive.
     */
    String endReason();

    @Override
    void close();
}
