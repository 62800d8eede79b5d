package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * RDMA extended transport header: the memory that a WRITE writes or a READ reads.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                virtual address, 64 bits                       |
 * |                                                               |
 * +---------------------------------------------------------------+
 * |                     remote key, 32 bits                       |
 * +---------------------------------------------------------------+
 * |                     DMA length, 32 bits                       |
 * +---------------------------------------------------------------+
 * </pre>
 */
public final class Reth {
    /** Length in bytes. */
    public static final int LENGTH = 16;

    private static final int VIRTUAL_ADDRESS_OFFSET = 0;
    private static final int R_KEY_OFFSET = 8;
    private static final int DMA_LENGTH_OFFSET = 12;

    private Reth() {
    }

    /** Writes all 16 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset, long virtualAddress, int rKey, long dmaLength) {
        buffer.putLong(offset + VIRTUAL_ADDRESS_OFFSET, virtualAddress, BIG_ENDIAN);
        buffer.putInt(offset + R_KEY_OFFSET, rKey, BIG_ENDIAN);
        buffer.putInt(offset + DMA_LENGTH_OFFSET, (int) dmaLength, BIG_ENDIAN);
    }

    /** {@return address in the responder's memory; compare it as unsigned} */
    public static long virtualAddress(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + VIRTUAL_ADDRESS_OFFSET, BIG_ENDIAN);
    }

    /** {@return remote key of the memory region or window} */
    public static int rKey(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + R_KEY_OFFSET, BIG_ENDIAN);
    }

    /** {@return length of the whole message in bytes, unsigned 32 bits; up to 2^31 is legal} */
    public static long dmaLength(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + DMA_LENGTH_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
    }
}
