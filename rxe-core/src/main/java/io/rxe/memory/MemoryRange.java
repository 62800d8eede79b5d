package io.rxe.memory;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What lies behind a registration: a range of bytes that begins at offset 0. Buffers, or memory of a native program.
 *
 * <p>Immutable. Several threads may read and write the memory at the same time: as with any RDMA NIC, the applications order their
 * accesses. Every access must lie inside. A fault is memory that is not there: a mapped file that was truncated, or what a native program
 * has unmapped or protected.
 */
public abstract sealed class MemoryRange permits BufferList, ProcessRange {
    /** Length in bytes, unsigned. */
    public abstract long length();

    /**
     * Whether atomics work at every address that is a multiple of 8: it is one in memory too, and its eight bytes lie in one buffer.
     *
     * @param baseAddress address that stands for offset 0.
     */
    public abstract boolean isAligned(long baseAddress);

    /**
     * Copies from memory into a packet.
     *
     * @param at offset in bytes.
     * @return false when the memory faulted. Part of the packet may have been written.
     */
    public abstract boolean read(long at, MutableDirectBuffer target, int targetIndex, int lengthBytes);

    /**
     * Copies the payload of a packet into memory.
     *
     * @param at offset in bytes.
     * @return false when the memory faulted. Part of the payload may have been written.
     */
    public abstract boolean write(long at, DirectBuffer source, int sourceIndex, int lengthBytes);

    /**
     * Atomically compares and swaps eight bytes in host order; returns the old value. The memory there must be aligned to 8 bytes.
     *
     * @param at offset in bytes.
     * @throws InternalError when the memory faulted.
     */
    public abstract long compareAndSwap(long at, long compare, long swap);

    /**
     * Atomically adds to eight bytes in host order; returns the old value. The memory there must be aligned to 8 bytes.
     *
     * @param at offset in bytes.
     * @throws InternalError when the memory faulted.
     */
    public abstract long fetchAndAdd(long at, long addend);

    /** Whether eight bytes at an offset are aligned in memory, and lie in one buffer. */
    abstract boolean isAlignedAt(long at);

    /** Writes eight bytes at once, at an aligned offset; false when the memory faulted. */
    abstract boolean writeAtomically(long at, DirectBuffer source, int sourceIndex);

    /** Writes the pages of a range to the files they map; false when that failed. */
    abstract boolean force(long at, long lengthBytes);
}
