package io.rxe.connect;

import java.nio.ByteBuffer;

/** Writes a message where it is sent from, see {@link RxeConnection#sendInPlace}. One object may serve for all messages. */
@FunctionalInterface
public interface MessageWriter {
    /**
     * Puts the message. Runs on the thread that sends, before {@code sendInPlace} returns. While it runs, the message has a send buffer and
     * a receive of the peer, and the connection does not end by {@code close()}: it should be short, and must not block.
     *
     * @param message big-endian, from position 0 to limit {@link RxeConnection#maxMessageBytes}; what is before the position in the end is
     *                sent. Valid until this returns; bytes that are not written are those of an earlier message. What it throws comes out
     *                of {@code sendInPlace}, and nothing is sent.
     */
    void write(ByteBuffer message);
}
