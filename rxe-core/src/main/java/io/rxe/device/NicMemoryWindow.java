package io.rxe.device;

import io.rxe.memory.KeySlot;
import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;

final class NicMemoryWindow extends KeyHolder implements MemoryWindow {
    private final MemoryWindowType type;

    NicMemoryWindow(NicProtectionDomain domain, KeySlot slot, MemoryWindowType type) {
        super(domain, slot);
        this.type = type;
    }

    @Override
    public MemoryWindowType type() {
        return type;
    }

    @Override
    public String toString() {
        return "memory window 0x" + Integer.toHexString(rKey()) + " of " + type
            + (slot().isRemoved() ? ", closed" : slot().current().isRevoked() ? ", free" : ", bound");
    }
}
