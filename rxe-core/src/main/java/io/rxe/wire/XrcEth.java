package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * XRC extended transport header: the shared receive queue that an XRC request is for. It follows the BTH of every XRC request; responses
 * have none.
 *
 * <pre>
 * +---------------+-----------------------------------------------+
 * |   reserved    |           XRC shared receive queue            |
 * +---------------+-----------------------------------------------+
 * </pre>
 */
public final class XrcEth {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int LOW_24_BITS = 0x00FF_FFFF;

    private XrcEth() {
    }

    /** Writes all 4 bytes; the reserved byte becomes 0. */
    public static void write(MutableDirectBuffer buffer, int offset, int queueNumber) {
        buffer.putInt(offset, queueNumber & LOW_24_BITS, BIG_ENDIAN);
    }

    /** {@return number of the XRC shared receive queue, 24 bits; the reserved byte is ignored} */
    public static int queueNumber(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset, BIG_ENDIAN) & LOW_24_BITS;
    }
}
