package io.rxe.bench.perftest;

import java.io.IOException;

/** The conversation beside the traffic: whole messages of known length, first the client's, then the server's. One thread. */
public interface ControlLink extends AutoCloseable {
    /** Whom we talk to, for messages. */
    String peer();

    /** Whether this side speaks first. */
    boolean isClient();

    /** How key records travel here. */
    KeyFormat keyFormat();

    /**
     * Sends a message and receives one of the same length.
     *
     * @param own      ours.
     * @param isPatient whether the peer may take as long as it likes, because a test is running.
     * @throws IOException when the peer closes first, or says nothing for too long.
     */
    byte[] exchange(byte[] own, boolean isPatient) throws IOException;

    /** Sends a message that nobody answers; errors do not matter, the peer may be gone. */
    void sendLast(byte[] message);

    @Override
    void close();
}
