package io.rxe.counters;

import io.rxe.port.CounterSpace;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Cells of eight bytes, each in private memory or in a {@link CounterSpace}.
 *
 * <p>One thread writes, with ordered stores; any thread may read.
 */
public final class CounterCells {
    private final AtomicBuffer privateCells;
    private final AtomicBuffer[] buffers;
    private final int[] offsets;

    /** @param count number of cells; all in private memory at first. */
    public CounterCells(int count) {
        privateCells = new UnsafeBuffer(BufferUtil.allocateDirectAligned(count * Long.BYTES, 64));
        buffers = new AtomicBuffer[count];
        offsets = new int[count];
        for (int cell = 0; cell < count; cell++) {
            keepPrivate(cell);
        }
    }

    private void keepPrivate(int cell) {
        buffers[cell] = privateCells;
        offsets[cell] = cell * Long.BYTES;
    }

    /** Before first use: moves a cell into a space, if that has room. Arguments as in {@link CounterSpace#allocate}. */
    public void place(int cell, CounterSpace space, CounterSpace.Owner owner, int typeId, int id, String label) {
        int offset = space.allocate(owner, typeId, id, label);
        if (offset != CounterSpace.NONE) {
            buffers[cell] = space.buffer();
            offsets[cell] = offset;
        }
    }

    /** Adds to a cell. */
    public void add(int cell, long amount) {
        AtomicBuffer buffer = buffers[cell];
        int offset = offsets[cell];
        buffer.putLongRelease(offset, buffer.getLong(offset) + amount);
    }

    /** Sets a cell to a value if the value is larger. */
    public void raise(int cell, long value) {
        if (value > buffers[cell].getLong(offsets[cell])) {
            buffers[cell].putLongRelease(offsets[cell], value);
        }
    }

    public long get(int cell) {
        return buffers[cell].getLongVolatile(offsets[cell]);
    }

    /** Moves all cells back to private memory with their values. No thread may write any more. */
    public void detach() {
        for (int cell = 0; cell < buffers.length; cell++) {
            privateCells.putLong(cell * Long.BYTES, get(cell));
        }
        for (int cell = 0; cell < buffers.length; cell++) {
            keepPrivate(cell);
        }
    }
}
