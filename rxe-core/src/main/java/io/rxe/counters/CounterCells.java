package io.rxe.counters;

import io.rxe.port.CounterSpace;
import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Counters in private memory, each with a cell of eight bytes in a {@link CounterSpace} where other processes read it. The cells are
 * written when the owner {@linkplain #publish publishes}.
 *
 * <p>One thread counts and publishes; any thread may {@link #get}.
 */
public final class CounterCells {
    private final CounterValues values;
    private final AtomicBuffer[] buffers;
    private final int[] offsets;
    private final CounterValues.Target target = this::write;

    /** @param count number of counters; none has a cell at first. */
    public CounterCells(int count) {
        values = new CounterValues(count);
        buffers = new AtomicBuffer[count];
        offsets = new int[count];
    }

    /** Before first use: gives a counter a cell, if the space has room. Arguments as in {@link CounterSpace#allocate}. */
    public void place(int cell, CounterSpace space, CounterSpace.Owner owner, int typeId, int id, String label) {
        int offset = space.allocate(owner, typeId, id, label);
        if (offset != CounterSpace.NONE) {
            buffers[cell] = space.buffer();
            offsets[cell] = offset;
        }
    }

    public void add(int cell, long amount) {
        values.add(cell, amount);
    }

    /** Sets a counter to a value if the value is larger. */
    public void raise(int cell, long value) {
        values.raise(cell, value);
    }

    /** The value now, published or not. Any thread. */
    public long get(int cell) {
        return values.get(cell);
    }

    /** Writes the counters that changed into their cells. */
    public void publish() {
        values.publish(target);
    }

    private void write(int cell, long value) {
        if (buffers[cell] != null) {
            buffers[cell].putLongRelease(offsets[cell], value);
        }
    }

    /** Publishes, and leaves the space. No thread may count any more. */
    public void detach() {
        publish();
        Arrays.fill(buffers, null);
    }
}
