package io.rxe.memory;

/** What a {@link ProcessRange} needs of those who catch its faults: {@code io.rxe.verbs.MemoryFaults}, for this package. Any thread. */
public interface RangeFaults {
    /** How many copies have faulted in this process so far; the JVM owes the thread of each an InternalError. */
    long count();

    /** Atomically compares and swaps eight aligned bytes; returns the old value. Throws InternalError when the memory faulted. */
    long compareAndSwap(long address, long compare, long swap);

    /** Atomically adds to eight aligned bytes; returns the old value. Throws InternalError when the memory faulted. */
    long fetchAndAdd(long address, long addend);

    /** Writes eight aligned bytes at once. Throws InternalError when the memory faulted. */
    void store(long address, long value);
}
