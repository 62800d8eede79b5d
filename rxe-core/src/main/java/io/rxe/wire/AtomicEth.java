package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic extended transport header: the operands of COMPARE_SWAP and FETCH_ADD.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                virtual address, 64 bits                       |
 * |                                                               |
 * +---------------------------------------------------------------+
 * |                     remote key, 32 bits                       |
 * +---------------------------------------------------------------+
 * |                swap or add data, 64 bits                      |
 * |                                                               |
 * +---------------------------------------------------------------+
 * |                compare data, 64 bits                          |
 * |                                                               |
 * +---------------------------------------------------------------+
 * </pre>
 */
public final class AtomicEth {
    /** Length in bytes. */
    public static final int LENGTH = 28;

    private static final int VIRTUAL_ADDRESS_OFFSET = 0;
    private static final int R_KEY_OFFSET = 8;
    private static final int SWAP_OR_ADD_OFFSET = 12;
    private static final int COMPARE_OFFSET = 20;

    private AtomicEth() {
    }

    /** Writes all 28 bytes. */
    public static void write(MutableDirectBuffer buffer, int offset,
        long virtualAddress, int rKey, long swapOrAdd, long compare) {
        buffer.putLong(offset + VIRTUAL_ADDRESS_OFFSET, virtualAddress, BIG_ENDIAN);
        buffer.putInt(offset + R_KEY_OFFSET, rKey, BIG_ENDIAN);
        buffer.putLong(offset + SWAP_OR_ADD_OFFSET, swapOrAdd, BIG_ENDIAN);
        buffer.putLong(offset + COMPARE_OFFSET, compare, BIG_ENDIAN);
    }

    /** {@return address in the responder's memory; must be a multiple of 8} */
    public static long virtualAddress(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + VIRTUAL_ADDRESS_OFFSET, BIG_ENDIAN);
    }

    /** {@return remote key of the memory region or window} */
    public static int rKey(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + R_KEY_OFFSET, BIG_ENDIAN);
    }

    /** {@return value to store (COMPARE_SWAP) or to add (FETCH_ADD)} */
    public static long swapOrAdd(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + SWAP_OR_ADD_OFFSET, BIG_ENDIAN);
    }

    /** {@return value to compare with (COMPARE_SWAP); 0 and ignored for FETCH_ADD} */
    public static long compare(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + COMPARE_OFFSET, BIG_ENDIAN);
    }
}
