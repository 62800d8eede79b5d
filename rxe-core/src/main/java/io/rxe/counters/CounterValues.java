package io.rxe.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Values that one thread counts, for each packet several, and what changed since they were last published. A mapped file costs more at
 * each access than an array, so the file is written once for many packets.
 *
 * <p>One thread writes; any thread may read a value.
 */
final class CounterValues {
    /** Where values are published. */
    interface Target {
        void write(int cell, long value);
    }

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values;
    /** One bit for each value that changed. */
    private final long[] changed;

    CounterValues(int count) {
        values = new long[count];
        changed = new long[(count + Long.SIZE - 1) / Long.SIZE];
    }

    void add(int cell, long amount) {
        set(cell, values[cell] + amount);
    }

    /** Sets a value if the new one is larger. */
    void raise(int cell, long value) {
        if (value > values[cell]) {
            set(cell, value);
        }
    }

    /** Sets a value if the new one differs. */
    void show(int cell, long value) {
        if (value != values[cell]) {
            set(cell, value);
        }
    }

    private void set(int cell, long value) {
        VALUE.setRelease(values, cell, value);
        changed[cell / Long.SIZE] |= 1L << cell;
    }

    /** The value now, published or not. Any thread. */
    long get(int cell) {
        return (long) VALUE.getAcquire(values, cell);
    }

    /** Writes what changed since the last call. */
    void publish(Target target) {
        for (int word = 0; word < changed.length; word++) {
            long bits = changed[word];
            changed[word] = 0;
            while (bits != 0) {
                int cell = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                bits &= bits - 1;
                target.write(cell, values[cell]);
            }
        }
    }
}
