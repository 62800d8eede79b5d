package io.rxe.verbs;

import java.util.Objects;

/**
 * Memory of a native program by its address in this process, for a registration. The program may unmap or protect it while it is
 * registered: an access then fails the request that names it, and nothing else. Java programs register buffers, which cannot go away.
 *
 * @param address     of the first byte, in this process; memory need not be there.
 * @param lengthBytes unsigned; 2^64 - 1 from address 0 on is the whole address space.
 * @param faults      of this process.
 */
public record ProcessMemory(long address, long lengthBytes, MemoryFaults faults) {
    /** The length of the whole address space, as an unsigned number. */
    public static final long WHOLE = -1;

    /** @throws IllegalArgumentException for a range that goes beyond the last address. */
    public ProcessMemory {
        Objects.requireNonNull(faults, "the faults are null: only who catches them may register memory by its address");
        if (Long.compareUnsigned(lengthBytes, WHOLE - address) > 0) {
            throw new IllegalArgumentException(Long.toUnsignedString(lengthBytes) + " bytes at 0x" + Long.toHexString(address)
                + " go beyond the last address");
        }
    }
}
