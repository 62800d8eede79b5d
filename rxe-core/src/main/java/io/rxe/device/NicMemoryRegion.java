package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.memory.KeySlot;
import io.rxe.memory.Region;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.RegionChange;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A region that a verb registered. */
final class NicMemoryRegion extends KeyHolder implements MemoryRegion {
    private volatile RegisteredMemory memory;
    private volatile int access;

    NicMemoryRegion(NicProtectionDomain domain, KeySlot slot, RegisteredMemory memory, int access) {
        super(domain, slot);
        this.memory = memory;
        this.access = access;
    }

    @Override
    public long address() {
        return memory.baseAddress();
    }

    @Override
    public long length() {
        return memory.range().length();
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public ByteBuffer buffer() {
        return memory.buffer(lKey());
    }

    @Override
    public void reregister(RegionChange change) {
        Objects.requireNonNull(change, "the change is null: start from RegionChange.none");
        Nic nic = domain().nic();
        NicProtectionDomain newDomain = change.domain() == null ? null : nic.ownDomain(change.domain());
        (newDomain == null ? domain() : newDomain).checkOpen();
        nic.faults().onCall(Verb.REREG_MR, memory.lengthBytes());
        RegisteredMemory newMemory = newMemory(change);
        if (!nic.memoryKeys().fix(slot(), KeySlot::beginChange, "registered again")) {
            throw closed();
        }
        NicProtectionDomain to;
        try {
            // From here on what another call has changed is seen.
            to = newDomain == null ? domain() : newDomain;
            change(to, change.access() == null ? access : change.access(), newMemory == null ? memory : newMemory);
        } finally {
            slot().endChange();
        }
        to.closeIfEnded(this::close);
        nic.memoryKeys().awaitEngines();
    }

    private void change(NicProtectionDomain to, int newAccess, RegisteredMemory newMemory) {
        newMemory.checkAccess(newAccess);
        Region before = slot().current();
        if (before.isRevoked()) {
            throw new IllegalStateException("memory region 0x" + Integer.toHexString(rKey())
                + " was invalidated by the peer: register the memory again");
        }
        Region next = new Region(before.key(), to.number(), newAccess, newMemory.baseAddress(), newMemory.range());
        NicProtectionDomain from = domain();
        to.hold(this);
        slot().change(next);
        access = newAccess;
        memory = newMemory;
        domain(to);
        if (from != to) {
            from.forget(this);
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException("memory region 0x" + Integer.toHexString(rKey()) + " is closed: register the memory again");
    }

    /** Null when it stays. */
    private static RegisteredMemory newMemory(RegionChange change) {
        if (change.processMemory() != null) {
            return RegisteredMemory.of(change.baseAddress(), change.processMemory());
        }
        return change.buffers().length == 0 ? null : RegisteredMemory.of(change.baseAddress(), change.buffers());
    }

    @Override
    public String toString() {
        return "memory region 0x" + Integer.toHexString(lKey()) + " of " + Long.toUnsignedString(length())
            + " bytes at address 0x" + Long.toHexString(address())
            + ", access " + AccessFlags.describe(access())
            + (slot().isRemoved() ? ", closed" : slot().current().isRevoked() ? ", invalidated" : "");
    }
}
