package io.rxe.verbs;

import java.nio.ByteBuffer;

/**
 * Registered memory and its keys; {@code ibv_mr}. Created by {@link ProtectionDomain#register}.
 *
 * <p>Any thread may call.
 */
public interface MemoryRegion extends AutoCloseable {
    /** Whether two keys of regions or windows have the same index: they differ in the low 8 bits only, which their owner chooses. */
    static boolean isSameIndex(int key, int other) {
        return (key ^ other) >>> Byte.SIZE == 0;
    }

    /** Local key, for scatter/gather elements of requests posted here. */
    int lKey();

    /** Remote key, for requests the peer posts. */
    int rKey();

    /** Address of the first byte: the base address given at registration, or else the address of the buffer in this process. */
    long address();

    /** Length in bytes; unsigned, where it is the whole address space of a native program. */
    long length();

    /**
     * A view of the registered memory: index 0 is the first byte of the region. Each call returns a view of its own, in the byte order of
     * the buffer that was registered.
     *
     * @throws IllegalStateException for a region of several buffers.
     */
    ByteBuffer buffer();

    /** Access rights granted at registration; see {@link AccessFlags}. */
    int access();

    /**
     * Changes access rights, domain or memory under the same keys; {@code ibv_rereg_mr}. Safe while packets arrive: each packet is checked
     * against the old registration or the new one as a whole. Waits until no engine uses the old one any more. If it throws, nothing has
     * changed.
     *
     * @throws IllegalArgumentException as {@link ProtectionDomain#register}, and for a domain of another device.
     * @throws IllegalStateException    when the region or the domain is closed, when memory windows are bound to the region, when the peer
     *                                  invalidated its key, and for an {@link AllocatedRegion}.
     */
    void reregister(RegionChange change);

    /**
     * Closes the region, unless memory windows are bound to it; {@code ibv_dereg_mr}. Idempotent. What was posted before begins to leave
     * first, as an adapter begins at once; not so in a listener. A device without windows has nothing more to do than to close it.
     *
     * @throws IllegalStateException when memory windows are bound to the region; then nothing has changed.
     */
    default void deregister() {
        close();
    }

    /**
     * Deregisters the memory; safe while packets arrive. Waits until no engine uses the memory any more. From then on requests with its
     * keys fail with an access error, and so do those with the keys of memory windows that are bound to it. Idempotent.
     */
    @Override
    void close();
}
