package io.rxe.tools.pingpong;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The one buffer of a pingpong, both sent from and received into. Filled with 0x7b. For validation the client writes a 0 at the start of
 * each page; the server, which receives into the same bytes, must find these zeros at the end. A datagram is received with a GRH, which
 * precedes the message.
 */
final class PingPongBuffer {
    private static final int PAGE_BYTES = 4096;
    private static final int CHUNK_BYTES = 1 << 16;

    private final ByteBuffer bytes;
    private final int headerBytes;
    private final byte fill;

    /** @param sizeBytes size of a message, without GRH. */
    PingPongBuffer(PingPongKind kind, int sizeBytes) {
        headerBytes = kind.headerBytes();
        fill = kind.fill();
        int total = headerBytes + sizeBytes;
        bytes = ByteBuffer.allocateDirect(total);
        byte[] chunk = new byte[Math.min(total, CHUNK_BYTES)];
        Arrays.fill(chunk, fill);
        for (int at = 0; at < total; at += chunk.length) {
            bytes.put(at, chunk, 0, Math.min(chunk.length, total - at));
        }
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Writes the client's mark at the start of each page. */
    void markPages() {
        for (int page = headerBytes; page < bytes.limit(); page += PAGE_BYTES) {
            bytes.put(page, (byte) 0);
        }
    }

    /**
     * Checks that the bytes are those the client sent: a 0 at the start of each page and the fill byte elsewhere.
     *
     * @return number of the first page that differs, or -1.
     */
    int invalidPage() {
        for (int at = 0; at < bytes.limit() - headerBytes; at++) {
            if (bytes.get(headerBytes + at) != (at % PAGE_BYTES == 0 ? 0 : fill)) {
                return at / PAGE_BYTES;
            }
        }
        return -1;
    }
}
