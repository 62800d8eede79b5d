package io.rxe.connect;

import java.io.IOException;

/** What became of a message or request. Only {@link #POSTED} means that it was taken; back-pressure is no error. */
public enum PostStatus {
    /** The buffer may be reused. The message arrives, or the connection ends. */
    POSTED,
    /** The peer has no receive posted for another message: its {@code onMessage} is busy. {@code onWritable} follows. */
    NO_CREDITS,
    /** All send buffers, or all places for one-sided requests, are in flight. {@code onWritable} follows. */
    FULL,
    /** The connection is not established yet, is closing or has ended. */
    NOT_CONNECTED;

    /**
     * For who does not expect a refusal.
     *
     * @throws IOException unless it was POSTED; the message says what to wait for.
     */
    public void orThrow() throws IOException {
        switch (this) {
            case POSTED -> {
                return;
            }
            case NO_CREDITS -> throw new IOException("the peer has no receive for another message: wait for onWritable, or raise its"
                + " receiveDepth");
            case FULL -> throw new IOException("all places are in flight: wait for onWritable, or raise sendDepth or oneSidedDepth");
            case NOT_CONNECTED -> throw new IOException("the connection is not open: wait for connected(), and see the reason of its end");
        }
    }
}
