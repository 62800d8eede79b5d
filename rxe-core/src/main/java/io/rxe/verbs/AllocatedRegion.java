package io.rxe.verbs;

import java.nio.ByteBuffer;

/**
 * A memory region that work requests register and invalidate, again and again, without a round through the engine's commands;
 * {@code ib_alloc_mr} of the kernel verbs. Created by {@link ProtectionDomain#allocateRegion}.
 *
 * <p>States: free (its key grants nothing) when allocated and after an invalidation; valid after REG_MR. To use it: {@link #map} buffers,
 * post {@link WorkRequest#registerMemory}, and when its key has served, post {@link WorkRequest#localInvalidate}, or let the peer send a
 * SEND_WITH_INVALIDATE. Its keys, address, length and access are those of the latest REG_MR that ran.
 */
public interface AllocatedRegion extends MemoryRegion {
    /** Most buffers it maps. */
    int maxBuffers();

    /**
     * Names the memory for the next REG_MR; {@code ib_map_mr_sg}. Without effect on a REG_MR that is posted already.
     *
     * @param baseAddress address of the first byte: 0, any other value, or {@link ProtectionDomain#OWN_ADDRESS}.
     * @param buffers     1 to {@link #maxBuffers}; direct or mapped, each from position to limit. The region keeps them reachable.
     * @throws IllegalArgumentException for a heap buffer, and for a number of buffers out of range.
     * @throws IllegalStateException    when the region is closed.
     */
    void map(long baseAddress, ByteBuffer... buffers);

    /** The key for the next REG_MR: that of the latest REG_MR posted, with the next low 8 bits; {@code ib_inc_rkey}. */
    int nextKey();

    /** Whether a REG_MR is in force. */
    boolean isValid();
}
