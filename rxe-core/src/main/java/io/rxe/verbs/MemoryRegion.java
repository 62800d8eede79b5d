package io.rxe.verbs;

/**
 * Memory the NIC may use, and the keys that name it. Made by {@link ProtectionDomain#register}.
 *
 * <p>Callable from any thread.
 */
public interface MemoryRegion extends AutoCloseable {
    /** Key for scatter/gather elements of this side. */
    int lKey();

    /** Key to give to the peer. */
    int rKey();

    /** First address: 0 for a zero-based region, the chosen base, or else the address of the buffer in this process. */
    long address();

    /** Length in bytes. */
    long length();

    /** What was granted; see {@link AccessFlags}. */
    int access();

    /**
     * Deregisters. Safe while packets arrive: when it returns, no engine touches the memory any more, and requests that still name the
     * keys fail with an access error. May be called twice.
     */
    @Override
    void close();
}
