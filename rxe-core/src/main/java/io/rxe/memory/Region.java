package io.rxe.memory;

import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registered memory: one range of addresses that maps to one or more direct buffers.
 *
 * <p>Immutable except for {@link #revoke}. Several engine threads may read and write the memory at the same time: as with any RDMA NIC,
 * the applications order their accesses. Every access must lie inside the region: check with {@link #contains} first.
 */
public final class Region {
    private final int key;
    private final int domain;
    private final int access;
    private final long baseAddress;
    private final long length;
    private final UnsafeBuffer[] parts;
    private final long[] partStarts;
    /** Whether any part is memory of a mapped file, which somebody may truncate. */
    private final boolean mapped;
    /** The parts as buffers, to force them to their files; null when no part is mapped. */
    private final ByteBuffer[] files;
    private volatile boolean revoked;

    /**
     * @param key         local and remote key.
     * @param domain      number of the protection domain.
     * @param access      access bits, as in {@code AccessFlags}.
     * @param baseAddress address of the first byte.
     * @param buffers     direct, each from position to limit; kept reachable.
     */
    public Region(int key, int domain, int access, long baseAddress, ByteBuffer... buffers) {
        this.key = key;
        this.domain = domain;
        this.access = access;
        this.baseAddress = baseAddress;
        this.parts = new UnsafeBuffer[buffers.length];
        this.partStarts = new long[buffers.length];
        long bytes = 0;
        for (int i = 0; i < buffers.length; i++) {
            parts[i] = new UnsafeBuffer(buffers[i].slice());
            partStarts[i] = bytes;
            bytes += parts[i].capacity();
        }
        this.length = bytes;
        this.mapped = Stream.of(buffers).anyMatch(MappedMemory::isMapped);
        this.files = mapped ? Stream.of(buffers).map(ByteBuffer::slice).toArray(ByteBuffer[]::new) : null;
    }

    /** Returns the address of a direct buffer in this process, at its position. */
    public static long addressOf(ByteBuffer buffer) {
        return BufferUtil.address(buffer) + buffer.position();
    }

    /** Whether somebody may close the arena that the memory of a buffer belongs to (JDK 22 and later); then it must not be registered. */
    public static boolean isOfCloseableArena(ByteBuffer buffer) {
        return ArenaMemory.isCloseable(buffer);
    }

    public int key() {
        return key;
    }

    /** Number of the protection domain it belongs to. */
    public int domain() {
        return domain;
    }

    public int access() {
        return access;
    }

    public long baseAddress() {
        return baseAddress;
    }

    public long length() {
        return length;
    }

    /** Invalidates the key: look-ups no longer return this region. */
    public void revoke() {
        revoked = true;
    }

    public boolean isRevoked() {
        return revoked;
    }

    /** Whether all of the access bits were granted. */
    public boolean grants(int needed) {
        return (access & needed) == needed;
    }

    /** Whether a range lies inside the region. Correct for every 64-bit address and length: the arithmetic cannot overflow. */
    public boolean contains(long address, long lengthBytes) {
        long offset = address - baseAddress;
        return lengthBytes >= 0 && Long.compareUnsigned(offset, length) <= 0 && lengthBytes <= length - offset;
    }

    /**
     * Copies from the region into a packet.
     *
     * @return false when the memory faulted: it maps a file that was truncated. Part of the packet may have been written.
     */
    public boolean read(long address, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        if (mapped) {
            return readMapped(address, target, targetIndex, lengthBytes);
        }
        copyOut(address, target, targetIndex, lengthBytes);
        return true;
    }

    private boolean readMapped(long address, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        try {
            copyOut(address, target, targetIndex, lengthBytes);
            MappedMemory.deliverFault();
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    private void copyOut(long address, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        long offset = address - baseAddress;
        if (parts.length == 1) {
            target.putBytes(targetIndex, parts[0], (int) offset, lengthBytes);
            return;
        }
        int done = 0;
        while (done < lengthBytes) {
            int part = partAt(offset);
            int partOffset = (int) (offset - partStarts[part]);
            int step = Math.min(lengthBytes - done, parts[part].capacity() - partOffset);
            target.putBytes(targetIndex + done, parts[part], partOffset, step);
            done += step;
            offset += step;
        }
    }

    /**
     * Copies the payload of a packet into the region.
     *
     * @return false when the memory faulted: it maps a file that was truncated. Part of the payload may have been written.
     */
    public boolean write(long address, DirectBuffer source, int sourceIndex, int lengthBytes) {
        if (mapped) {
            return writeMapped(address, source, sourceIndex, lengthBytes);
        }
        copyIn(address, source, sourceIndex, lengthBytes);
        return true;
    }

    private boolean writeMapped(long address, DirectBuffer source, int sourceIndex, int lengthBytes) {
        try {
            copyIn(address, source, sourceIndex, lengthBytes);
            MappedMemory.deliverFault();
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    private void copyIn(long address, DirectBuffer source, int sourceIndex, int lengthBytes) {
        long offset = address - baseAddress;
        if (parts.length == 1) {
            parts[0].putBytes((int) offset, source, sourceIndex, lengthBytes);
            return;
        }
        int done = 0;
        while (done < lengthBytes) {
            int part = partAt(offset);
            int partOffset = (int) (offset - partStarts[part]);
            int step = Math.min(lengthBytes - done, parts[part].capacity() - partOffset);
            parts[part].putBytes(partOffset, source, sourceIndex + done, step);
            done += step;
            offset += step;
        }
    }

    /**
     * Atomically compares and swaps eight bytes in host order; returns the old value. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory faulted: it maps a file that was truncated.
     */
    public long compareAndSwap(long address, long compare, long swap) {
        long offset = address - baseAddress;
        int part = partAt(offset);
        if (mapped) {
            MappedMemory.touch(parts[part], (int) (offset - partStarts[part]));
        }
        return parts[part].compareAndExchangeLong((int) (offset - partStarts[part]), compare, swap);
    }

    /**
     * Atomically adds to eight bytes in host order; returns the old value. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory faulted: it maps a file that was truncated.
     */
    public long fetchAndAdd(long address, long addend) {
        long offset = address - baseAddress;
        int part = partAt(offset);
        if (mapped) {
            MappedMemory.touch(parts[part], (int) (offset - partStarts[part]));
        }
        return parts[part].getAndAddLong((int) (offset - partStarts[part]), addend);
    }

    /** Whether eight bytes at an address can be written at once: it is a multiple of 8, and so is their place in memory. */
    public boolean isAligned(long address) {
        long offset = address - baseAddress;
        int part = partAt(offset);
        long partOffset = offset - partStarts[part];
        return (address & 7) == 0 && (parts[part].addressOffset() + partOffset & 7) == 0
            && partOffset + Long.BYTES <= parts[part].capacity();
    }

    /**
     * Writes eight bytes at once, in the order in which they lie in the packet; nobody sees a part of them, or sees them before what was
     * written earlier. The address must be {@linkplain #isAligned aligned}.
     *
     * @return false when the memory faulted: it maps a file that was truncated.
     */
    public boolean writeAtomically(long address, DirectBuffer source, int sourceIndex) {
        long offset = address - baseAddress;
        int part = partAt(offset);
        try {
            if (mapped) {
                MappedMemory.touch(parts[part], (int) (offset - partStarts[part]));
            }
            parts[part].putLongVolatile((int) (offset - partStarts[part]), source.getLong(sourceIndex));
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    /** Makes what this thread has written to any region visible to other threads and processes before what it writes from now on. */
    public static void makeVisible() {
        VarHandle.fullFence();
    }

    /**
     * Writes the pages of a range to the files they map, and returns when they are there: the operating system decides how long that takes.
     * Does nothing for memory that maps no file.
     *
     * @return false when that failed.
     */
    public boolean force(long address, long lengthBytes) {
        if (!mapped || lengthBytes == 0) {
            return true;
        }
        long offset = address - baseAddress;
        long end = offset + lengthBytes;
        try {
            for (int part = partAt(offset); part < files.length && partStarts[part] < end; part++) {
                long from = Math.max(offset, partStarts[part]);
                int length = (int) (Math.min(end, partStarts[part] + files[part].capacity()) - from);
                if (files[part] instanceof MappedByteBuffer && length > 0) {
                    ((MappedByteBuffer) files[part]).force((int) (from - partStarts[part]), length);
                }
            }
            return true;
        } catch (UncheckedIOException | InternalError e) {
            return false;
        }
    }

    /** Whether a buffer maps a file, so that it can be made persistent. */
    public static boolean isPersistent(ByteBuffer buffer) {
        return MappedMemory.isMapped(buffer);
    }

    private int partAt(long offset) {
        if (parts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(partStarts, offset);
        return found >= 0 ? found : -found - 2;
    }
}
