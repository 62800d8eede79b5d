package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic ACK extended transport header: the value in memory before the atomic.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                 original data, 64 bits                        |
 * |                                                               |
 * +---------------------------------------------------------------+
 * </pre>
 */
public final class AtomicAckEth {
    /** Length in bytes. */
    public static final int LENGTH = 8;

    private AtomicAckEth() {
    }

    /** Writes all 8 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset, long originalValue) {
        buffer.putLong(offset, originalValue, BIG_ENDIAN);
    }

    /** {@return value in the responder's memory before the atomic} */
    public static long originalValue(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset, BIG_ENDIAN);
    }
}
