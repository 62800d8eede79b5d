package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Immediate data: 32 bits that the receiver's completion reports.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                   immediate data, 32 bits                     |
 * +---------------------------------------------------------------+
 * </pre>
 */
public final class ImmDt {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private ImmDt() {
    }

    /** Writes all 4 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset, int immediateData) {
        buffer.putInt(offset, immediateData, BIG_ENDIAN);
    }

    /** {@return the four bytes as a big-endian number} */
    public static int immediateData(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset, BIG_ENDIAN);
    }
}
