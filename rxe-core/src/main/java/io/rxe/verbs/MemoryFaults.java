package io.rxe.verbs;

/**
 * What happens when memory that is not there is used: in a process whose memory a native program can unmap or protect at any time. Who runs
 * the NIC there catches such a fault, so that it ends a copy instead of the process, and counts it. Any thread may call.
 */
public interface MemoryFaults {
    /**
     * Returns how many copies have faulted in this process so far. A copy whose fault is counted has not moved all its bytes, and the JVM
     * owes its thread an InternalError, as for a mapped file that was truncated.
     */
    long count();

    /**
     * Atomically compares and swaps eight bytes in host order; returns the old value. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    long compareAndSwap(long address, long compare, long swap);

    /**
     * Atomically adds to eight bytes in host order; returns the old value. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    long fetchAndAdd(long address, long addend);

    /**
     * Writes eight bytes in host order at once. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    void store(long address, long value);
}
