package io.rxe.device;

import io.rxe.memory.Region;
import io.rxe.verbs.MemoryRegion;
import java.util.concurrent.atomic.AtomicBoolean;

/** A registered region. */
final class NicMemoryRegion implements MemoryRegion {
    private final NicProtectionDomain domain;
    private final Region region;
    private final AtomicBoolean closed = new AtomicBoolean();

    NicMemoryRegion(NicProtectionDomain domain, Region region) {
        this.domain = domain;
        this.region = region;
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
    public void close() {
        if (closed.compareAndSet(false, true)) {
            domain.deregister(this, region);
        }
    }
}
