package io.rxe.bench;

import java.nio.ByteOrder;

/**
 * Equal memory on both sides of a pair, cut into slots. Owned by the measuring thread.
 *
 * @param first       memory of the first side.
 * @param second      memory of the second side.
 * @param strideBytes from slot to slot.
 * @param slots       slots of each queue pair.
 */
record SlotMemory(RegisteredBuffer first, RegisteredBuffer second, int strideBytes, int slots) implements AutoCloseable {
    private static final int CACHE_LINE_BYTES = 64;

    static SlotMemory allocate(LoopbackPair pair, int sizeBytes, int queuePairs, int slots) {
        int stride = stride(sizeBytes);
        int length = Math.multiplyExact(Math.multiplyExact(stride, queuePairs), slots);
        return new SlotMemory(pair.first().allocate(length), pair.second().allocate(length), stride, slots);
    }

    /** Distance between slots for messages of a size. */
    static int stride(int sizeBytes) {
        return Math.max(CACHE_LINE_BYTES, sizeBytes + CACHE_LINE_BYTES - 1 & -CACHE_LINE_BYTES);
    }

    int offset(int queuePair, int slot) {
        return (queuePair * slots + slot) * strideBytes;
    }

    /** The first eight bytes of a slot of the second side, in native order. */
    long secondLong(int queuePair, int slot) {
        return second.bytes().duplicate().order(ByteOrder.nativeOrder()).getLong(offset(queuePair, slot));
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
