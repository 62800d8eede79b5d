package io.rxe.bench;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;

/**
 * Direct memory, registered with all access rights.
 *
 * @param bytes  the memory, in big-endian order.
 * @param region its registration.
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

    /** Remote address of a byte. */
    long address(int offset) {
        return region.address() + offset;
    }

    @Override
    public void close() {
        region.close();
    }
}
