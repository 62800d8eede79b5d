package io.rxe.capture;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** The bytes of a capture in order, and their position for error messages. Does not read ahead, so a pipe is never waited for early. */
final class CaptureInput implements Closeable {
    /** Far longer than any frame or block in real files: a longer one means that the file is damaged. */
    static final int MAX_LENGTH = 16 << 20;

    private final InputStream in;
    private final byte[] small = new byte[8];
    private final UnsafeBuffer smallView = new UnsafeBuffer(small);
    private ByteOrder order = LITTLE_ENDIAN;
    private long position;

    CaptureInput(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    void littleEndian(boolean littleEndian) {
        order = littleEndian ? LITTLE_ENDIAN : BIG_ENDIAN;
    }

    ByteOrder order() {
        return order;
    }

    /** {@return whether four more bytes were read; false at the end of the capture} */
    boolean hasWord() throws IOException {
        int count = in.readNBytes(small, 0, 4);
        if (count != 0 && count != 4) {
            throw broken("it ends after " + count + " of the 4 bytes that begin a record: it was cut off");
        }
        position += count;
        return count == 4;
    }

    /** {@return the four bytes that {@link #hasWord} read} */
    int word() {
        return smallView.getInt(0, order);
    }

    int readInt(String what) throws IOException {
        fill(small, 4, what);
        return smallView.getInt(0, order);
    }

    byte[] readBytes(long count, String what) throws IOException {
        if (count < 0 || count > MAX_LENGTH) {
            throw broken(what + " claims " + count + " bytes, the limit is " + MAX_LENGTH + ": the file is damaged");
        }
        byte[] bytes = new byte[(int) count];
        fill(bytes, bytes.length, what);
        return bytes;
    }

    IOException broken(String why) {
        return new IOException("capture broken at byte " + position + ": " + why);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private void fill(byte[] bytes, int count, String what) throws IOException {
        int got = in.readNBytes(bytes, 0, count);
        if (got != count) {
            throw broken("it ends after " + got + " of " + count + " bytes of " + what + ": it was cut off");
        }
        position += count;
    }
}
