package io.rxe.ibverbs;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;

/**
 * Memory that the program registers, as buffers over it: nothing is copied or pinned.
 *
 * @param access      {@link AccessFlags}.
 * @param baseAddress address of the first byte for peers and requests; 0 for a zero-based region.
 * @param buffers     at most 1 GiB each, since a buffer cannot be longer than 2 GiB.
 */
record ProgramMemory(int access, long baseAddress, ByteBuffer... buffers) {
    private static final long PART_BYTES = 1L << 30;
    private static final int ZERO_BASED = 1 << 5;
    private static final int HUGETLB = 1 << 7;
    /** Flags that a NIC may ignore (IBV_ACCESS_OPTIONAL_RANGE), relaxed ordering among them. */
    private static final int OPTIONAL = 0x3FF0_0000;
    private static final int KNOWN = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
        | AccessFlags.REMOTE_ATOMIC | AccessFlags.MW_BIND | AccessFlags.FLUSH_GLOBAL;

    /**
     * @param iova  the base address that the program chose.
     * @param flags {@code ibv_access_flags}.
     * @throws VerbException for flags this NIC does not have, such as on-demand paging.
     */
    static ProgramMemory of(long address, long lengthBytes, long iova, int flags) {
        int access = access(flags);
        if (lengthBytes < 0 || address == 0 && lengthBytes > 0) {
            throw new VerbException(Errno.EINVAL, "memory of " + Long.toUnsignedString(lengthBytes) + " bytes at 0x"
                + Long.toHexString(address) + " cannot be registered");
        }
        int parts = (int) Math.max(1, (lengthBytes + PART_BYTES - 1) / PART_BYTES);
        ByteBuffer[] buffers = new ByteBuffer[parts];
        for (int i = 0; i < parts; i++) {
            long at = i * PART_BYTES;
            buffers[i] = Downcalls.buffer(address + at, Math.min(PART_BYTES, lengthBytes - at));
        }
        return new ProgramMemory(access, base(iova, flags), buffers);
    }

    /**
     * Returns the {@link AccessFlags} of {@code ibv_access_flags}.
     *
     * @throws VerbException for flags this NIC does not have.
     */
    static int access(int flags) {
        int rest = flags & ~(KNOWN | ZERO_BASED | HUGETLB | OPTIONAL);
        if (rest != 0) {
            throw new VerbException(Errno.EOPNOTSUPP, "access flags 0x" + Integer.toHexString(rest) + " are not supported");
        }
        return flags & KNOWN;
    }

    private static long base(long iova, int flags) {
        if (iova == ProtectionDomain.OWN_ADDRESS) {
            throw new VerbException(Errno.EINVAL, "a region cannot begin at the last address");
        }
        return (flags & ZERO_BASED) != 0 ? 0 : iova;
    }
}
