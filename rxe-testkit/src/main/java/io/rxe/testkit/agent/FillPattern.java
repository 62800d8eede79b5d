package io.rxe.testkit.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The bytes that fill test memory, the same as those of {@code tools/interop/pattern.py}: a table of 64 KiB of SHA-256 hashes of
 * "seed:block". Each further 64 KiB starts 1009 bytes later in the table, so that no two blocks of a message are equal.
 */
final class FillPattern {
    private static final int TABLE_BYTES = 65536;
    private static final int HASH_BYTES = 32;
    private static final int BLOCK_SKEW = 1009;

    private final byte[] table = new byte[TABLE_BYTES];

    FillPattern(long seed) {
        MessageDigest digest = sha256();
        for (int block = 0; block < TABLE_BYTES / HASH_BYTES; block++) {
            byte[] hash = digest.digest((Long.toUnsignedString(seed) + ":" + block).getBytes(StandardCharsets.US_ASCII));
            System.arraycopy(hash, 0, table, block * HASH_BYTES, HASH_BYTES);
        }
    }

    /** Writes the pattern from its start to a range of a buffer; position and limit do not change. */
    void fill(ByteBuffer buffer, int offset, int lengthBytes) {
        for (int done = 0; done < lengthBytes; ) {
            int skew = done / TABLE_BYTES * BLOCK_SKEW % TABLE_BYTES;
            int count = Math.min(TABLE_BYTES, lengthBytes - done);
            int first = Math.min(count, TABLE_BYTES - skew);
            buffer.put(offset + done, table, skew, first);
            buffer.put(offset + done + first, table, 0, count - first);
            done += count;
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
