package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Datagram extended transport header: the queue key and the sender's queue pair of a UD packet.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                      queue key, 32 bits                       |
 * +---------------+-----------------------------------------------+
 * |   reserved    |              source queue pair                |
 * +---------------+-----------------------------------------------+
 * </pre>
 */
public final class Deth {
    /** Length in bytes. */
    public static final int LENGTH = 8;

    private static final int QUEUE_KEY_OFFSET = 0;
    private static final int SOURCE_QPN_OFFSET = 4;
    private static final int LOW_24_BITS = 0x00FF_FFFF;

    private Deth() {
    }

    /** Writes all 8 bytes; the reserved byte becomes 0. */
    public static void write(MutableDirectBuffer buffer, int offset, int queueKey, int sourceQpn) {
        buffer.putInt(offset + QUEUE_KEY_OFFSET, queueKey, BIG_ENDIAN);
        buffer.putInt(offset + SOURCE_QPN_OFFSET, sourceQpn & LOW_24_BITS, BIG_ENDIAN);
    }

    /** {@return queue key; must equal that of the receiving queue pair} */
    public static int queueKey(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + QUEUE_KEY_OFFSET, BIG_ENDIAN);
    }

    /** {@return queue pair number of the sender, 24 bits} */
    public static int sourceQpn(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + SOURCE_QPN_OFFSET, BIG_ENDIAN) & LOW_24_BITS;
    }
}
