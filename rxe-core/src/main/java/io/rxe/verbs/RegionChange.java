package io.rxe.verbs;

import java.nio.ByteBuffer;

/** What {@link MemoryRegion#reregister} changes; the flags and arguments of {@code ibv_rereg_mr}. Immutable; what is not named stays. */
public final class RegionChange {
    private final Integer access;
    private final ProtectionDomain domain;
    private final long baseAddress;
    private final ByteBuffer[] buffers;
    private final ProcessMemory processMemory;

    private RegionChange(Integer access, ProtectionDomain domain, long baseAddress, ProcessMemory processMemory,
                         ByteBuffer... buffers) {
        this.access = access;
        this.domain = domain;
        this.baseAddress = baseAddress;
        this.processMemory = processMemory;
        this.buffers = buffers;
    }

    /** Changes nothing: the start of a chain of calls. */
    public static RegionChange none() {
        return new RegionChange(null, null, 0, null);
    }

    /** Also changes the access rights; {@code IBV_REREG_MR_CHANGE_ACCESS}. */
    public RegionChange access(int flags) {
        return new RegionChange(flags, domain, baseAddress, processMemory, buffers);
    }

    /** Also moves the region to another protection domain of its device; {@code IBV_REREG_MR_CHANGE_PD}. */
    public RegionChange domain(ProtectionDomain newDomain) {
        return new RegionChange(access, newDomain, baseAddress, processMemory, buffers);
    }

    /** Also changes addresses and memory; {@code IBV_REREG_MR_CHANGE_TRANSLATION}. Arguments as in {@link ProtectionDomain#register}. */
    public RegionChange memory(long newBaseAddress, ByteBuffer... newBuffers) {
        return new RegionChange(access, domain, newBaseAddress, null, newBuffers.clone());
    }

    /** The same for memory of a native program. */
    public RegionChange memory(long newBaseAddress, ProcessMemory newMemory) {
        return new RegionChange(access, domain, newBaseAddress, newMemory);
    }

    /** New access rights, or null. */
    public Integer access() {
        return access;
    }

    /** New domain, or null. */
    public ProtectionDomain domain() {
        return domain;
    }

    public long baseAddress() {
        return baseAddress;
    }

    /** New memory of a native program, or null. */
    public ProcessMemory processMemory() {
        return processMemory;
    }

    /** New buffers; empty when they stay. */
    public ByteBuffer[] buffers() {
        return buffers.clone();
    }
}
