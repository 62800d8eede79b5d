package io.rxe.verbs;

/**
 * Registered memory and its keys; {@code ibv_mr}. Created by {@link ProtectionDomain#register}.
 *
 * <p>Any thread may call.
 */
public interface MemoryRegion extends AutoCloseable {
    /** Local key, for scatter/gather elements of requests posted here. */
    int lKey();

    /** Remote key, for requests the peer posts. */
    int rKey();

    /** Address of the first byte: the base address given at registration, or else the address of the buffer in this process. */
    long address();

    /** Length in bytes. */
    long length();

    /** Access rights granted at registration; see {@link AccessFlags}. */
    int access();

    /**
     * Deregisters the memory; safe while packets arrive. Waits until no engine uses the memory any more. From then on requests with its
     * keys fail with an access error. Idempotent.
     */
    @Override
    void close();
}
