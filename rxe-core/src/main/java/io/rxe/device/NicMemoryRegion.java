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
        NicProtectionDomain from = domain();
        NicProtectionDomain to = change.domain() == null ? from : from.nic().ownDomain(change.domain());
        to.checkOpen();
        to.nic().faults().onCall(Verb.REREG_MR, memory.lengthBytes());
        int newAccess = change.access() == null ? access : change.access();
        RegisteredMemory newMemory = newMemory(change);
        newMemory.checkAccess(newAccess);
        if (!from.nic().memoryKeys().beginChange(slot(), "registered again")) {
            throw closed();
        }
        try {
            Region before = slot().current();
            if (before.isRevoked()) {
                throw new IllegalStateException("memory region 0x" + Integer.toHexString(rKey())
                    + " was invalidated by the peer: register the memory again");
            }
            if (!slot().replace(before, new Region(before.key(), to.number(), newAccess, newMemory.baseAddress(), newMemory.range()))) {
                // Another thread closes it meanwhile.
                throw closed();
            }
        } finally {
            slot().endChange();
        }
        access = newAccess;
        memory = newMemory;
        domain(to);
        from.forget(this);
        to.add(this);
        if (slot().isClosed()) {
            // By another thread, maybe before it was in this domain.
            to.forget(this);
        }
        from.nic().memoryKeys().awaitEngines();
    }

    private IllegalStateException closed() {
        return new IllegalStateException("memory region 0x" + Integer.toHexString(rKey()) + " is closed: register the memory again");
    }

    private RegisteredMemory newMemory(RegionChange change) {
        if (change.processMemory() != null) {
            return RegisteredMemory.of(change.baseAddress(), change.processMemory());
        }
        return change.buffers().length == 0 ? memory : RegisteredMemory.of(change.baseAddress(), change.buffers());
    }

    @Override
    public String toString() {
        return "memory region 0x" + Integer.toHexString(lKey()) + " of " + Long.toUnsignedString(length())
            + " bytes at address 0x" + Long.toHexString(address())
            + ", access " + AccessFlags.describe(access())
            + (slot().isRemoved() ? ", closed" : slot().current().isRevoked() ? ", invalidated" : "");
    }
}
