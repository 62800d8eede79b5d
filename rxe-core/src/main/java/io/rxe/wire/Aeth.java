package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * ACK extended transport header.
 *
 * <pre>
 * +---------------+-----------------------------------------------+
 * |   syndrome    |           message sequence number             |
 * +---------------+-----------------------------------------------+
 * </pre>
 */
public final class Aeth {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int SYNDROME_OFFSET = 0;
    private static final int MESSAGE_SEQUENCE_NUMBER_OFFSET = 0;
    private static final int LOW_24_BITS = 0x00FF_FFFF;

    private Aeth() {
    }

    /** Writes all 4 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset, int syndrome, int messageSequenceNumber) {
        buffer.putInt(offset, syndrome << 24 | messageSequenceNumber & LOW_24_BITS, BIG_ENDIAN);
    }

    /** {@return kind of acknowledgement, 0 to 255; {@link Syndrome} takes it apart} */
    public static int syndrome(DirectBuffer buffer, int offset) {
        return buffer.getByte(offset + SYNDROME_OFFSET) & 0xFF;
    }

    /** {@return number of requests the responder has completed, 24 bits, wrapping} */
    public static int messageSequenceNumber(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + MESSAGE_SEQUENCE_NUMBER_OFFSET, BIG_ENDIAN) & LOW_24_BITS;
    }
}
