package io.rxe.tools.side;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fuzz.FuzzInput;
import java.io.EOFException;
import java.time.Duration;

/** A link whose peer has said everything already, and closed. */
public record FuzzLink(FuzzInput input, boolean isClient) implements PeerLink {
    @Override
    public String peer() {
        return "fuzz";
    }

    @Override
    public void readTimeout(Duration timeout) {
        // Nothing more arrives.
    }

    @Override
    public byte[] readExactly(int lengthBytes) throws EOFException {
        byte[] bytes = input.take(lengthBytes);
        if (bytes.length < lengthBytes) {
            throw new EOFException("the peer closed");
        }
        return bytes;
    }

    @Override
    public void write(byte[] message) {
        assertTrue(message.length > 0);
    }

    @Override
    public boolean isEnded() {
        return true;
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
