package io.rxe.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Reads an input as a script of numbers and byte strings. Behind its end everything is 0 or empty. */
public final class FuzzInput {
    private final byte[] bytes;
    private int position;

    public FuzzInput(byte[] bytes) {
        this.bytes = bytes;
    }

    public boolean hasMore() {
        return position < bytes.length;
    }

    /** One byte, 0 to 255. */
    public int next() {
        return position < bytes.length ? bytes[position++] & 0xFF : 0;
    }

    /** Two bytes, 0 to 65535. */
    public int nextShort() {
        return next() << 8 | next();
    }

    /** At most this number of the bytes that are left. */
    public byte[] take(int lengthBytes) {
        int from = position;
        position = Math.min(bytes.length, position + lengthBytes);
        return Arrays.copyOfRange(bytes, from, position);
    }

    /** Writes what the reader reads. */
    public static final class Writer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        public Writer add(int value) {
            out.write(value);
            return this;
        }

        public Writer addShort(int value) {
            return add(value >> 8).add(value);
        }

        public Writer addBytes(byte[] value) {
            out.writeBytes(value);
            return this;
        }

        public int size() {
            return out.size();
        }

        public byte[] toBytes() {
            return out.toByteArray();
        }
    }
}
