package io.rxe.disni;

import com.ibm.disni.verbs.IbvMr;
import io.rxe.verbs.MemoryRegion;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** Registered memory. */
final class DisniRegion extends IbvMr {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final DisniDomain domain;
    private final MemoryRegion region;

    DisniRegion(DisniDomain domain, MemoryRegion region) throws IOException {
        super(domain.getContext(), region.address(), Math.toIntExact(region.length()), region.access(), region.lKey(), region.rKey(),
            NUMBERS.incrementAndGet());
        this.domain = domain;
        this.region = region;
        domain.onUsed();
    }

    void deregister() {
        region.close();
        close();
        domain.onUnused();
    }
}
