package io.rxe.counters;

import io.rxe.wire.DropReason;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The counters of one engine: a cell of eight bytes for each {@link NicCounter}, then one for each {@link DropReason}.
 *
 * <p>Written by the engine's thread only, with ordered stores; read from anywhere.
 */
public final class EngineCounters {
    private static final int DROPS = NicCounter.values().length;
    private static final int CELLS = DROPS + DropReason.values().length;

    private final UnsafeBuffer cells = new UnsafeBuffer(BufferUtil.allocateDirectAligned(CELLS * Long.BYTES, 64));

    /** Counts one. */
    public void count(NicCounter counter) {
        add(counter.ordinal(), 1);
    }

    /** Counts several. */
    public void count(NicCounter counter, long amount) {
        add(counter.ordinal(), amount);
    }

    /** Raises a high-water mark. */
    public void mark(NicCounter counter, long value) {
        int offset = counter.ordinal() * Long.BYTES;
        if (value > cells.getLong(offset)) {
            cells.putLongRelease(offset, value);
        }
    }

    /** Counts a packet that was dropped. */
    public void drop(DropReason reason) {
        add(DROPS + reason.ordinal(), 1);
    }

    public long get(NicCounter counter) {
        return cells.getLongVolatile(counter.ordinal() * Long.BYTES);
    }

    /** Packets dropped for a reason. */
    public long get(DropReason reason) {
        return cells.getLongVolatile((DROPS + reason.ordinal()) * Long.BYTES);
    }

    /** Packets dropped for any reason. */
    public long dropped() {
        long sum = 0;
        for (DropReason reason : DropReason.values()) {
            sum += get(reason);
        }
        return sum;
    }

    private void add(int cell, long amount) {
        int offset = cell * Long.BYTES;
        cells.putLongRelease(offset, cells.getLong(offset) + amount);
    }
}
