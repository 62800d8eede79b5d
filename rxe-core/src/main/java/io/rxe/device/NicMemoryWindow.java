package io.rxe.device;

import io.rxe.memory.KeySlot;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import java.util.concurrent.atomic.AtomicBoolean;

/** A memory window. */
final class NicMemoryWindow implements MemoryWindow, KeyHolder {
    private final NicProtectionDomain domain;
    private final KeySlot slot;
    private final MemoryWindowType type;
    private final AtomicBoolean closed = new AtomicBoolean();

    NicMemoryWindow(NicProtectionDomain domain, KeySlot slot, MemoryWindowType type) {
        this.domain = domain;
        this.slot = slot;
        this.type = type;
    }

    @Override
    public KeySlot slot() {
        return slot;
    }

    @Override
    public boolean belongsTo(Nic nic) {
        return domain.nic() == nic;
    }

    @Override
    public MemoryWindowType type() {
        return type;
    }

    @Override
    public int rKey() {
        return slot.issuedKey();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            domain.forget(this);
            domain.nic().memoryKeys().release(slot);
        }
    }

    @Override
    public String toString() {
        return "memory window 0x" + Integer.toHexString(rKey()) + " of " + type
            + (slot.isRemoved() ? ", closed" : slot.current().isRevoked() ? ", free" : ", bound");
    }
}
