package io.rxe.device;

import io.rxe.memory.KeySlot;

/** A resource that holds an index of the key table: a region or a window. */
abstract sealed class KeyHolder implements AutoCloseable permits NicMemoryRegion, NicAllocatedRegion, NicMemoryWindow {
    private final KeySlot slot;
    private volatile NicProtectionDomain domain;

    KeyHolder(NicProtectionDomain domain, KeySlot slot) {
        this.domain = domain;
        this.slot = slot;
    }

    final KeySlot slot() {
        return slot;
    }

    final NicProtectionDomain domain() {
        return domain;
    }

    /** Moves it to another protection domain. */
    final void domain(NicProtectionDomain other) {
        domain = other;
    }

    final boolean belongsTo(Nic nic) {
        return domain.nic() == nic;
    }

    /** The latest key, of a region for local use too. */
    public final int rKey() {
        return slot.issuedKey();
    }

    public final int lKey() {
        return slot.issuedKey();
    }

    /** Closes it; false when it was closed. */
    boolean closeOnce() {
        return slot.close();
    }

    /** Closes a region that no window is bound to. */
    public final void deregister() {
        if (domain.nic().memoryKeys().beginChange(slot, "deregistered")) {
            close();
        }
    }

    @Override
    public final void close() {
        if (closeOnce()) {
            domain.forget(this);
            domain.nic().memoryKeys().release(slot);
        }
    }
}
