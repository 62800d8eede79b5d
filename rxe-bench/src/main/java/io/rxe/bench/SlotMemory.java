package io.rxe.bench;

import java.nio.ByteOrder;

/**
 * Equal memory on both sides of a pair, cut into slots. Owned by the measuring thread.
 *
 * @param first       memory of the first side.
 * @param second      memory of the second side.
 * @param strideBytes from slot to slot.
 * @param slots       slots of each lane.
 */
record SlotMemory(RegisteredBuffer first, RegisteredBuffer second, int strideBytes, int slots) implements AutoCloseable {
    private static final int CACHE_LINE_BYTES = 64;

    static SlotMemory allocate(LoopbackPair pair, int sizeBytes, int lanes, int slots) {
        int stride = stride(sizeBytes);
        int length = Math.multiplyExact(Math.multiplyExact(stride, lanes), slots);
        return new SlotMemory(pair.first().allocate(length), pair.second().allocate(length), stride, slots);
    }

    /** Distance of slots for messages of a size. */
    static int stride(int sizeBytes) {
        return Math.max(CACHE_LINE_BYTES, sizeBytes + CACHE_LINE_BYTES - 1 & -CACHE_LINE_BYTES);
    }

    int offset(int lane, int slot) {
        return (lane * slots + slot) * strideBytes;
    }

    /** The eight bytes of a slot of the second side, as the processor sees them. */
    long secondLong(int lane, int slot) {
        return second.bytes().duplicate().order(ByteOrder.nativeOrder()).getLong(offset(lane, slot));
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
