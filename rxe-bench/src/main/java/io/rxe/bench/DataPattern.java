package io.rxe.bench;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Bytes computed from a seed, so that both sides of a transfer can be checked without a copy. Every eight bytes are one step of a
 * 64-bit mixer: no two places of a message look alike, and a shifted or duplicated packet shows.
 */
final class DataPattern {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private DataPattern() {
    }

    /** Spreads a number over 64 bits; different inputs give different outputs. */
    static long mix(long value) {
        long mixed = value + STEP;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Writes the first {@code lengthBytes} bytes of a seed's pattern. */
    static void fill(ByteBuffer buffer, int offset, int lengthBytes, long seed) {
        ByteBuffer target = littleEndian(buffer);
        int done = 0;
        for (; done + Long.BYTES <= lengthBytes; done += Long.BYTES) {
            target.putLong(offset + done, word(seed, done));
        }
        for (; done < lengthBytes; done++) {
            target.put(offset + done, byteAt(seed, done));
        }
    }

    /**
     * Compares memory with a seed's pattern.
     *
     * @param patternOffset place in the pattern that belongs at {@code offset}.
     * @return index into the range of the first byte that differs, or -1 if none does.
     */
    static int mismatch(ByteBuffer buffer, int offset, int lengthBytes, long seed, int patternOffset) {
        ByteBuffer source = littleEndian(buffer);
        int done = 0;
        while (done < lengthBytes) {
            int at = patternOffset + done;
            if ((at & 7) == 0 && done + Long.BYTES <= lengthBytes && source.getLong(offset + done) == word(seed, at)) {
                done += Long.BYTES;
            } else if (source.get(offset + done) == byteAt(seed, at)) {
                done++;
            } else {
                return done;
            }
        }
        return -1;
    }

    /** The byte at an index of a seed's pattern. */
    static byte byteAt(long seed, int index) {
        return (byte) (word(seed, index & ~7) >>> ((index & 7) << 3));
    }

    private static long word(long seed, int index) {
        return mix(seed ^ (index >>> 3) * STEP);
    }

    private static ByteBuffer littleEndian(ByteBuffer buffer) {
        return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }
}
