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

    private static final int IMMEDIATE_DATA_OFFSET = 0;

    private ImmDt() {
    }

    /** Writes all 4 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset, int immediateData) {
        immediateData(buffer, offset, immediateData);
    }

    /** {@return the four bytes as a big-endian number} */
    public static int immediateData(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + IMMEDIATE_DATA_OFFSET, BIG_ENDIAN);
    }

    /** Sets the field; see the getter. */
    public static void immediateData(MutableDirectBuffer buffer, int offset, int immediateData) {
        buffer.putInt(offset + IMMEDIATE_DATA_OFFSET, immediateData, BIG_ENDIAN);
    }
}
