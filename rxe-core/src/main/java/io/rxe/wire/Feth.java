package io.rxe.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Flush extended transport header: what an RDMA FLUSH makes durable or visible.
 *
 * <pre>
 * +---------------------------------------------------+---+-------+
 * |                      reserved                     |SEL|  PLT  |
 * +---------------------------------------------------+---+-------+
 * </pre>
 */
public final class Feth {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int PLACEMENT_TYPE_MASK = 0x0F;
    private static final int SELECTIVITY_MASK = 0x30;
    private static final int SELECTIVITY_SHIFT = 4;

    private Feth() {
    }

    /** Writes all 4 bytes; reserved bits become 0. */
    public static void write(MutableDirectBuffer buffer, int offset, int placementType, int selectivityLevel) {
        int word = placementType & PLACEMENT_TYPE_MASK | selectivityLevel << SELECTIVITY_SHIFT & SELECTIVITY_MASK;
        buffer.putInt(offset, word, BIG_ENDIAN);
    }

    /** {@return placement type, 4 bits: 1 global visibility, 2 persistence} */
    public static int placementType(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset, BIG_ENDIAN) & PLACEMENT_TYPE_MASK;
    }

    /** {@return selectivity level, 2 bits: 0 a memory range, 1 the whole memory region} */
    public static int selectivityLevel(DirectBuffer buffer, int offset) {
        return (buffer.getInt(offset, BIG_ENDIAN) & SELECTIVITY_MASK) >> SELECTIVITY_SHIFT;
    }
}
