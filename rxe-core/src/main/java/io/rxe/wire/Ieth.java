package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Invalidate extended transport header: the key that the receiver invalidates before it completes the message.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                     remote key, 32 bits                       |
 * +---------------------------------------------------------------+
 * </pre>
 */
public final class Ieth {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private Ieth() {
    }

    /** Writes all 4 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset, int rKey) {
        buffer.putInt(offset, rKey, BIG_ENDIAN);
    }

    /** {@return the receiver's remote key to invalidate} */
    public static int rKey(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset, BIG_ENDIAN);
    }
}
