package io.rxe.testkit.endurance;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The content of a message: its number on the connection, then bytes that follow from a seed. Every byte is compared at the other end, in
 * whatever process it is.
 *
 * <p>Not thread safe.
 */
final class Message {
    /** Bytes of the longest message: three packets at path MTU 4096. */
    static final int MOST_BYTES = 12 << 10;
    /** Bytes of the shortest. */
    static final int LEAST_BYTES = 16;

    private static final int NUMBER_OFFSET = 0;
    private static final int SEED_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;
    private static final long TEMPLATE_SEED = 4791;

    /** Twice as long as a message: a seed chooses where in it the bytes begin. */
    private final ByteBuffer template = ByteBuffer.allocateDirect(2 * MOST_BYTES);

    Message() {
        byte[] bytes = new byte[2 * MOST_BYTES];
        new Random(TEMPLATE_SEED).nextBytes(bytes);
        template.put(0, bytes);
    }

    void write(ByteBuffer to, int offset, int lengthBytes, long number, int seed) {
        to.putLong(offset + NUMBER_OFFSET, number);
        to.putInt(offset + SEED_OFFSET, seed);
        to.putInt(offset + LENGTH_OFFSET, lengthBytes);
        to.put(offset + LEAST_BYTES, template, begin(seed), lengthBytes - LEAST_BYTES);
    }

    /** What is wrong with a received message, or null. */
    String check(ByteBuffer received, int offset, long lengthBytes, long number) {
        if (lengthBytes < LEAST_BYTES || received.getInt(offset + LENGTH_OFFSET) != lengthBytes) {
            return "a message of " + received.getInt(offset + LENGTH_OFFSET) + " bytes arrived with " + lengthBytes;
        }
        if (received.getLong(offset + NUMBER_OFFSET) != number) {
            return "message " + received.getLong(offset + NUMBER_OFFSET) + " arrived in place of message " + number;
        }
        int length = (int) lengthBytes - LEAST_BYTES;
        int wrong = received.slice(offset + LEAST_BYTES, length)
            .mismatch(template.slice(begin(received.getInt(offset + SEED_OFFSET)), length));
        return wrong < 0 ? null : "byte " + (wrong + LEAST_BYTES) + " of a message of " + lengthBytes + " bytes is wrong";
    }

    private static int begin(int seed) {
        return Integer.remainderUnsigned(seed, MOST_BYTES);
    }
}
