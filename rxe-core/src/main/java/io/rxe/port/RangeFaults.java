package io.rxe.port;

/**
 * Who catches the faults of copies in this process, and does there what an atomic needs. Its address is a multiple of 8; values are in
 * host order. Any thread may call.
 */
public interface RangeFaults {
    /**
     * Returns how many copies have faulted in this process so far. A copy whose fault is counted has not moved all its bytes, and the JVM
     * owes its thread an InternalError, as for a mapped file that was truncated.
     */
    long count();

    /**
     * Atomically compares and swaps eight bytes; returns the old value.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    long compareAndSwap(long address, long compare, long swap);

    /**
     * Atomically adds to eight bytes; returns the old value.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    long fetchAndAdd(long address, long addend);

    /**
     * Writes eight bytes at once.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    void store(long address, long value);

    /**
     * Copies so that no fault is shown to the JVM, which takes one in its own pages for something else and may end the process.
     *
     * @throws InternalError when the memory is not there, or must not be written.
     */
    void copy(long from, long to, long lengthBytes);
}
