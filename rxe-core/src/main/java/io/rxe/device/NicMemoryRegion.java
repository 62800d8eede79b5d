package io.rxe.device;

import io.rxe.memory.Region;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A registered region. */
final class NicMemoryRegion implements MemoryRegion {
    private final NicProtectionDomain domain;
    private final Region region;
    private final int parts;
    private final ByteBuffer first;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param buffers what was registered. */
    NicMemoryRegion(NicProtectionDomain domain, Region region, ByteBuffer... buffers) {
        this.domain = domain;
        this.region = region;
        this.parts = buffers.length;
        // A view of its own: the application may move position and limit of its buffer.
        this.first = buffers[0].slice().order(buffers[0].order());
    }

    @Override
    public int lKey() {
        return region.key();
    }

    @Override
    public int rKey() {
        return region.key();
    }

    @Override
    public long address() {
        return region.baseAddress();
    }

    @Override
    public long length() {
        return region.length();
    }

    @Override
    public int access() {
        return region.access();
    }

    @Override
    public ByteBuffer buffer() {
        if (parts != 1) {
            throw new IllegalStateException("memory region 0x" + Integer.toHexString(lKey()) + " consists of " + parts
                + " buffers: keep those that were registered");
        }
        return first.duplicate().order(first.order());
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            domain.deregister(this, region);
        }
    }

    @Override
    public String toString() {
        return "memory region 0x" + Integer.toHexString(lKey()) + " of " + length() + " bytes at address 0x" + Long.toHexString(address())
            + ", access " + AccessFlags.describe(access()) + (closed.get() ? ", closed" : region.isRevoked() ? ", invalidated" : "");
    }
}
