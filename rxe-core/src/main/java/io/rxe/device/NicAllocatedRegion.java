package io.rxe.device;

import io.rxe.memory.KeySlot;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AllocatedRegion;
import io.rxe.verbs.RegionChange;
import java.nio.ByteBuffer;

/** A region for fast registration. */
final class NicAllocatedRegion extends KeyHolder implements AllocatedRegion {
    private final int maxBuffers;
    private volatile RegisteredMemory mapped = RegisteredMemory.of(0, ByteBuffer.allocateDirect(0));

    NicAllocatedRegion(NicProtectionDomain domain, KeySlot slot, int maxBuffers) {
        super(domain, slot);
        this.maxBuffers = maxBuffers;
    }

    /** What the next REG_MR registers. */
    RegisteredMemory mapped() {
        return mapped;
    }

    @Override
    public int maxBuffers() {
        return maxBuffers;
    }

    @Override
    public void map(long baseAddress, ByteBuffer... buffers) {
        if (slot().isRemoved()) {
            throw new IllegalStateException("memory region 0x" + Integer.toHexString(rKey()) + " is closed: allocate another");
        }
        if (buffers != null && buffers.length > maxBuffers) {
            throw new IllegalArgumentException(buffers.length + " buffers > maxBuffers " + maxBuffers
                + ": map fewer, or allocate the region with more");
        }
        mapped = RegisteredMemory.of(baseAddress, buffers);
    }

    @Override
    public int nextKey() {
        return KeySlot.nextKey(slot().issuedKey());
    }

    @Override
    public boolean isValid() {
        return !slot().current().isRevoked();
    }

    @Override
    public long address() {
        return mapped.baseAddress();
    }

    @Override
    public long length() {
        return mapped.range().length();
    }

    @Override
    public int access() {
        return slot().current().access();
    }

    @Override
    public ByteBuffer buffer() {
        return mapped.buffer(lKey());
    }

    @Override
    public void reregister(RegionChange change) {
        throw new IllegalStateException("memory region 0x" + Integer.toHexString(rKey())
            + " is registered by work requests: invalidate it, and post another REG_MR");
    }

    @Override
    public String toString() {
        return "memory region 0x" + Integer.toHexString(lKey()) + " for fast registration of up to " + maxBuffers + " buffers"
            + (slot().isRemoved() ? ", closed" : isValid() ? ", access " + AccessFlags.describe(access()) : ", free");
    }
}
