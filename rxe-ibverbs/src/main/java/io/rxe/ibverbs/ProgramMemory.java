package io.rxe.ibverbs;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.ProcessMemory;
import io.rxe.verbs.ProtectionDomain;

/**
 * Memory that the program registers, by its address: nothing is copied or pinned, so that all of it is on demand, asked for or not.
 *
 * @param access      {@link AccessFlags}.
 * @param baseAddress address of the first byte for peers and requests; 0 for a zero-based region.
 * @param onDemand    whether the program asked for on-demand paging.
 * @param memory      the range.
 */
record ProgramMemory(int access, long baseAddress, boolean onDemand, ProcessMemory memory) {
    private static final int ZERO_BASED = 1 << 5;
    private static final int ON_DEMAND = 1 << 6;
    private static final int HUGETLB = 1 << 7;
    /** Flags that a NIC may ignore (IBV_ACCESS_OPTIONAL_RANGE), relaxed ordering among them. */
    private static final int OPTIONAL = 0x3FF0_0000;
    private static final int KNOWN = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
        | AccessFlags.REMOTE_ATOMIC | AccessFlags.MW_BIND | AccessFlags.FLUSH_GLOBAL;

    /**
     * @param iova  the base address that the program chose.
     * @param flags {@code ibv_access_flags}. With on-demand paging, all bytes from address 0 on are an implicit region: the whole address
     *              space, whatever the program maps there later.
     * @throws RuntimeException {@link VerbFailure} for flags this NIC does not have, and for memory that no process can have.
     */
    static ProgramMemory of(long address, long lengthBytes, long iova, int flags, ProgramFaults faults) {
        int access = access(flags);
        boolean implicit = isOnDemand(flags) && address == 0 && lengthBytes == ProcessMemory.WHOLE;
        if (!implicit && (lengthBytes < 0 || address == 0 && lengthBytes > 0)) {
            throw VerbFailure.of(VerbError.EINVAL, "memory of " + Long.toUnsignedString(lengthBytes) + " bytes at 0x"
                + Long.toHexString(address) + " cannot be registered");
        }
        if (implicit && iova != 0) {
            throw VerbFailure.of(VerbError.EINVAL, "an implicit region begins at address 0, not at 0x" + Long.toHexString(iova));
        }
        return new ProgramMemory(access, base(iova, flags), isOnDemand(flags), new ProcessMemory(address, lengthBytes, faults));
    }

    /** Whether {@code ibv_access_flags} ask for on-demand paging. */
    static boolean isOnDemand(int flags) {
        return (flags & ON_DEMAND) != 0;
    }

    /**
     * Returns the {@link AccessFlags} of {@code ibv_access_flags}.
     *
     * @throws RuntimeException {@link VerbFailure} for flags this NIC does not have.
     */
    static int access(int flags) {
        int rest = flags & ~(KNOWN | ZERO_BASED | ON_DEMAND | HUGETLB | OPTIONAL);
        if (rest != 0) {
            throw VerbFailure.of(VerbError.EOPNOTSUPP, "access flags 0x" + Integer.toHexString(rest) + " are not supported");
        }
        return flags & KNOWN;
    }

    private static long base(long iova, int flags) {
        if (iova == ProtectionDomain.OWN_ADDRESS) {
            throw VerbFailure.of(VerbError.EINVAL, "a region cannot begin at the last address");
        }
        return (flags & ZERO_BASED) != 0 ? 0 : iova;
    }
}
