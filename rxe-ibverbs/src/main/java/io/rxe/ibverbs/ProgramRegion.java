package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;

/** A memory region of the program, and what {@code ibv_advise_mr} asks of it. Guarded by the lock of {@link Verbs}. */
final class ProgramRegion extends ProgramResource<MemoryRegion> {
    private ProtectionDomain domain;
    private boolean onDemand;
    /** What an address of the region lacks to that in this process. */
    private long shift;

    ProgramRegion(MemoryRegion region, ProgramResource<ProtectionDomain> owner, ProgramMemory memory) {
        super(region, owner);
        this.domain = owner.object();
        this.onDemand = memory.onDemand();
        this.shift = memory.memory().address() - memory.baseAddress();
    }

    void moveTo(ProgramResource<ProtectionDomain> owner) {
        needInstead(0, owner);
        domain = owner.object();
    }

    /** Whether pages are brought in when they are needed, as the program sees it; here they always are. */
    void onDemand(boolean now) {
        onDemand = now;
    }

    /** It is other memory from now on. */
    void memory(ProgramMemory memory) {
        shift = memory.memory().address() - memory.baseAddress();
    }

    /**
     * Returns where a range of the region is in this process.
     *
     * @param asked  the domain that the program named.
     * @param writes whether the range is to be written.
     * @throws RuntimeException {@link VerbFailure} as ibv_advise_mr(3) has it.
     */
    long locate(ProtectionDomain asked, long address, long lengthBytes, boolean writes) {
        MemoryRegion region = object();
        if (domain != asked) {
            throw refusal(VerbError.EPERM, "belongs to another protection domain");
        }
        if (!onDemand) {
            throw refusal(VerbError.EINVAL, "was registered without IBV_ACCESS_ON_DEMAND");
        }
        if (writes && (region.access() & AccessFlags.LOCAL_WRITE) == 0) {
            throw refusal(VerbError.EPERM, "was registered without IBV_ACCESS_LOCAL_WRITE");
        }
        long offset = address - region.address();
        if (Long.compareUnsigned(offset, region.length()) > 0 || Long.compareUnsigned(lengthBytes, region.length() - offset) > 0) {
            throw refusal(VerbError.EFAULT, "does not contain " + lengthBytes + " bytes at 0x" + Long.toHexString(address));
        }
        return address + shift;
    }

    /** @throws RuntimeException {@link VerbFailure} when windows are bound to the region: it stays, and so do they. */
    @Override
    void close() {
        try {
            object().deregister();
        } catch (IllegalStateException e) {
            throw e instanceof VerbFailure ? e : VerbFailure.of(VerbError.EBUSY, e.getMessage());
        }
        release();
    }

    private RuntimeException refusal(VerbError error, String why) {
        return VerbFailure.of(error, "memory region 0x" + Integer.toHexString(object().lKey()) + " " + why);
    }
}
