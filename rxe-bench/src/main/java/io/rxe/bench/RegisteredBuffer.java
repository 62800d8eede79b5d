package io.rxe.bench;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;

/**
 * Direct memory and its registration with every right.
 *
 * @param bytes  the memory, in big-endian order as a fresh buffer has it.
 * @param region names it towards the NIC.
 */
record RegisteredBuffer(ByteBuffer bytes, MemoryRegion region) implements AutoCloseable {
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
        | AccessFlags.REMOTE_ATOMIC;

    /** Allocates and registers; the region starts at a multiple of eight. */
    static RegisteredBuffer allocate(ProtectionDomain domain, int lengthBytes) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(lengthBytes + Long.BYTES).alignedSlice(Long.BYTES);
        bytes.limit(lengthBytes);
        return new RegisteredBuffer(bytes, domain.register(bytes, ACCESS));
    }

    /** Address of a byte as the peer names it. */
    long address(int offset) {
        return region.address() + offset;
    }

    @Override
    public void close() {
        region.close();
    }
}
