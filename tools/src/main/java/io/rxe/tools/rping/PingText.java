package io.rxe.tools.rping;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The payload of rping: the number of the ping, then letters whose start advances by one each time, and a final zero. */
final class PingText {
    /** The longest number must fit; the same minimum as rping's. */
    static final int MIN_SIZE_BYTES = 23;
    /** Largest buffer. */
    static final int MAX_SIZE_BYTES = 65_535;

    private static final int FIRST = 'A';
    private static final int LAST = 'z';
    private static final int LETTERS = LAST - FIRST + 1;

    private PingText() {
    }

    /** Fills a whole buffer with the text of a ping, counted from 0. */
    static void fill(ByteBuffer buffer, int ping) {
        byte[] head = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        int last = buffer.capacity() - 1;
        for (int i = 0; i < last; i++) {
            buffer.put(i, i < head.length ? head[i] : (byte) (FIRST + (ping + i - head.length) % LETTERS));
        }
        buffer.put(last, (byte) 0);
    }

    /** Bytes before the zero; all if there is none. */
    static int length(ByteBuffer buffer) {
        int length = 0;
        while (length < buffer.capacity() && buffer.get(length) != 0) {
            length++;
        }
        return length;
    }

    static String of(ByteBuffer buffer) {
        byte[] bytes = new byte[length(buffer)];
        buffer.get(0, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
