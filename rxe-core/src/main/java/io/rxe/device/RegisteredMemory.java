package io.rxe.device;

import io.rxe.memory.BufferList;
import io.rxe.memory.MemoryRange;
import io.rxe.memory.ProcessRange;
import io.rxe.memory.Region;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.ProcessMemory;
import io.rxe.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Memory as an application names it for a registration, checked.
 *
 * @param baseAddress address of the first byte.
 * @param range       what is registered.
 * @param readOnly    whether any of it is read-only.
 * @param persistent  whether all of it maps files.
 * @param only        the only buffer; null when there are several, or none.
 */
record RegisteredMemory(long baseAddress, MemoryRange range, boolean readOnly, boolean persistent, ByteBuffer only) {
    /**
     * @param address base address, or {@link ProtectionDomain#OWN_ADDRESS}.
     * @throws IllegalArgumentException for no buffer, and for one on the heap.
     */
    static RegisteredMemory of(long address, ByteBuffer... buffers) {
        Objects.requireNonNull(buffers, "the buffers are null: give at least one direct buffer");
        if (buffers.length == 0) {
            throw new IllegalArgumentException("no buffer: give at least one");
        }
        for (ByteBuffer buffer : buffers) {
            checkBuffer(buffer);
        }
        // Leave empty buffers out, so that each address of the region lies in exactly one part.
        ByteBuffer[] full = Stream.of(buffers).filter(ByteBuffer::hasRemaining).toArray(ByteBuffer[]::new);
        ByteBuffer[] parts = full.length == 0 ? new ByteBuffer[] {buffers[0]} : full;
        long base = address == ProtectionDomain.OWN_ADDRESS ? Region.addressOf(parts[0]) : address;
        // A view of its own: the application may move position and limit of its buffer.
        ByteBuffer first = parts.length == 1 ? parts[0].slice().order(parts[0].order()) : null;
        return new RegisteredMemory(base, new BufferList(parts), Stream.of(buffers).anyMatch(ByteBuffer::isReadOnly),
            Stream.of(parts).allMatch(Region::isPersistent), first);
    }

    /** @param address base address, or {@link ProtectionDomain#OWN_ADDRESS}. */
    static RegisteredMemory of(long address, ProcessMemory memory) {
        Objects.requireNonNull(memory, "the memory is null: give its address and length");
        long base = address == ProtectionDomain.OWN_ADDRESS ? memory.address() : address;
        MemoryRange range = new ProcessRange(memory.address(), memory.lengthBytes(), memory.faults());
        return new RegisteredMemory(base, range, false, false, null);
    }

    private static void checkBuffer(ByteBuffer buffer) {
        Objects.requireNonNull(buffer, "a buffer is null: give direct buffers");
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining()
                + " bytes lies on the heap, where the NIC cannot use it: allocateDirect or map it");
        }
        if (Region.isOfCloseableArena(buffer)) {
            throw new IllegalArgumentException("a buffer of " + buffer.remaining() + " bytes belongs to an arena that can be closed, and"
                + " then a packet of the peer would crash this process: allocate the memory in Arena.ofAuto() or Arena.global(), or with"
                + " ByteBuffer.allocateDirect");
        }
    }

    long lengthBytes() {
        return range.length();
    }

    /**
     * The only buffer.
     *
     * @param key of the region, for the message.
     * @throws IllegalStateException when there are several.
     */
    ByteBuffer buffer(int key) {
        if (only == null) {
            throw new IllegalStateException("memory region 0x" + Integer.toHexString(key) + (range instanceof BufferList buffers
                ? " consists of " + buffers.count() + " buffers: keep those that were registered" : " was registered by its address"));
        }
        return only.duplicate().order(only.order());
    }

    /** @throws IllegalArgumentException for flags that do not fit together, or that this memory does not allow. */
    void checkAccess(int access) {
        AccessFlags.validate(access);
        if (readOnly && (access & AccessFlags.LOCAL_WRITE) != 0) {
            throw new IllegalArgumentException("one of the buffers of " + range.length()
                + " bytes is read-only: register it without LOCAL_WRITE, or map it read-write");
        }
        if ((access & AccessFlags.FLUSH_PERSISTENT) != 0 && !persistent) {
            throw new IllegalArgumentException("FLUSH_PERSISTENT for memory that maps no file, and only files keep what is written:"
                + " register what FileChannel.map returns, or leave the flag out");
        }
        if ((access & AccessFlags.REMOTE_ATOMIC) != 0 && !range.isAligned(baseAddress)) {
            throw new IllegalArgumentException("the address 0x" + Long.toHexString(baseAddress) + " of " + range.length()
                + " bytes and the memory are not aligned alike, but atomics need 8 byte alignment in both: choose a"
                + " base that differs by a multiple of 8, and buffers whose lengths are multiples of 8");
        }
    }
}
