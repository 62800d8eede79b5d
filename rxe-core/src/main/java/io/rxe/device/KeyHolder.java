package io.rxe.device;

import io.rxe.fault.Verb;
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

    /** Closes a region that no window is bound to. What was posted before begins to leave, as an adapter begins at once. */
    public final void deregister() {
        checkFree();
        domain.nic().progress().awaitIteration();
        domain.nic().memoryKeys().fix(slot, KeySlot::closeUnbound, "deregistered");
        shut();
    }

    @Override
    public final void close() {
        checkFree();
        shut();
    }

    private void checkFree() {
        if (!slot.isRemoved()) {
            domain.checkFree(this instanceof NicMemoryWindow ? Verb.DEALLOC_MW : Verb.DEREG_MR);
        }
    }

    /** Again too: another thread may be in the middle of it, or have failed there. */
    private void shut() {
        domain.nic().memoryKeys().close(slot);
        domain.forget(this);
        domain.nic().memoryKeys().release(slot);
    }
}
