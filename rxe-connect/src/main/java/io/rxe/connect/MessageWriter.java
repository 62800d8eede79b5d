package io.rxe.connect;

import java.nio.ByteBuffer;

/** Writes a message into the buffer that is sent, see {@link RxeConnection#sendInPlace}. One object may serve for all messages. */
@FunctionalInterface
public interface MessageWriter {
    /**
     * Puts the message. Runs on the thread that sends, before {@code sendInPlace} returns. While it runs, the message holds a send buffer
     * and a receive of the peer, and {@code close()} does not end the connection: it should be short, must not block, and must not close
     * its {@link RxeClient} or {@link RxeServer}, which wait for it. What it throws comes out of {@code sendInPlace}, and nothing is sent.
     *
     * @param message big-endian, from position 0 to limit {@link RxeConnection#maxMessageBytes}; what is before the position in the end is
     *                sent, so do not flip it. Valid until this returns. Bytes that are not written are those of an earlier message.
     */
    void write(ByteBuffer message);
}
