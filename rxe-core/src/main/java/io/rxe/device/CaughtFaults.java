package io.rxe.device;

import io.rxe.memory.RangeFaults;
import io.rxe.verbs.MemoryFaults;

/** The faults of an application, for {@code io.rxe.memory}, which knows no verbs. */
record CaughtFaults(MemoryFaults faults) implements RangeFaults {
    @Override
    public long count() {
        return faults.count();
    }

    @Override
    public long compareAndSwap(long address, long compare, long swap) {
        return faults.compareAndSwap(address, compare, swap);
    }

    @Override
    public long fetchAndAdd(long address, long addend) {
        return faults.fetchAndAdd(address, addend);
    }

    @Override
    public void store(long address, long value) {
        faults.store(address, value);
    }
}
