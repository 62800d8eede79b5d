package io.rxe.tools.pingpong;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The one buffer of a pingpong: sent from and received into. Filled with 0x7b; for validation the client puts a 0 at
 * the start of each page, so that at the end the server, having received the client's messages over its own bytes,
 * must find these zeros.
 */
final class PingPongBuffer {
    private static final byte FILL = 0x7b;
    private static final int PAGE_BYTES = 4096;
    private static final int CHUNK_BYTES = 1 << 16;

    private final ByteBuffer bytes;

    PingPongBuffer(final int sizeBytes) {
        bytes = ByteBuffer.allocateDirect(sizeBytes);
        final byte[] chunk = new byte[Math.min(sizeBytes, CHUNK_BYTES)];
        Arrays.fill(chunk, FILL);
        for (int at = 0; at < sizeBytes; at += chunk.length) {
            bytes.put(at, chunk, 0, Math.min(chunk.length, sizeBytes - at));
        }
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** The client's mark at the start of each page. */
    void markPages() {
        for (int page = 0; page < bytes.limit(); page += PAGE_BYTES) {
            bytes.put(page, (byte) 0);
        }
    }

    /**
     * Looks for a byte that is not as the client sent it: a 0 at the start of each page and the fill everywhere else.
     *
     * @return number of the first page that is wrong, or -1.
     */
    int invalidPage() {
        for (int at = 0; at < bytes.limit(); at++) {
            if (bytes.get(at) != (at % PAGE_BYTES == 0 ? 0 : FILL)) {
                return at / PAGE_BYTES;
            }
        }
        return -1;
    }
}
