package io.rxe.memory;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One or more direct buffers as one range of bytes, which begins at offset 0.
 *
 * <p>Immutable. Several threads may read and write the memory at the same time: as with any RDMA NIC, the applications order their
 * accesses. Every access must lie inside.
 */
public final class BufferList {
    /** No memory. */
    static final BufferList EMPTY = new BufferList(ByteBuffer.allocateDirect(0));

    private final UnsafeBuffer[] parts;
    /** The only part, if it maps no file: what nearly every packet uses. Null otherwise. */
    private final UnsafeBuffer only;
    private final long[] partStarts;
    private final long length;
    /** Whether any part is memory of a mapped file, which may be truncated. */
    private final boolean mapped;
    /** The parts as buffers, to force them to their files; null when no part is mapped. */
    private final ByteBuffer[] files;

    /** @param buffers direct, each from position to limit; kept reachable. */
    public BufferList(ByteBuffer... buffers) {
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
        this.only = parts.length == 1 && !mapped ? parts[0] : null;
        this.files = mapped ? Stream.of(buffers).map(ByteBuffer::slice).toArray(ByteBuffer[]::new) : null;
    }

    /** Length in bytes. */
    public long length() {
        return length;
    }

    /** Number of buffers. */
    public int count() {
        return parts.length;
    }

    /**
     * Whether atomics work at every address that is a multiple of 8: it is one in memory too, and its eight bytes lie in one buffer.
     *
     * @param baseAddress address that stands for offset 0.
     */
    public boolean isAligned(long baseAddress) {
        for (int i = 0; i < parts.length; i++) {
            long address = baseAddress + partStarts[i];
            if ((parts[i].addressOffset() - address & 7) != 0 || i > 0 && (address & 7) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies from memory into a packet.
     *
     * @param at offset in bytes.
     * @return false when the memory faulted: it maps a file that was truncated. Part of the packet may have been written.
     */
    public boolean read(long at, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        if (only != null) {
            target.putBytes(targetIndex, only, (int) at, lengthBytes);
            return true;
        }
        return copy(at, null, target, targetIndex, lengthBytes);
    }

    /**
     * Copies the payload of a packet into memory.
     *
     * @param at offset in bytes.
     * @return false when the memory faulted: it maps a file that was truncated. Part of the payload may have been written.
     */
    public boolean write(long at, DirectBuffer source, int sourceIndex, int lengthBytes) {
        if (only != null) {
            only.putBytes((int) at, source, sourceIndex, lengthBytes);
            return true;
        }
        return copy(at, source, null, sourceIndex, lengthBytes);
    }

    /** Copies part by part, from the source into memory, or from memory into the target: the other one is null. False after a fault. */
    private boolean copy(long at, DirectBuffer source, MutableDirectBuffer target, int index, int lengthBytes) {
        int done = 0;
        try {
            while (done < lengthBytes) {
                int part = partAt(at + done);
                int partOffset = (int) (at + done - partStarts[part]);
                int step = Math.min(lengthBytes - done, parts[part].capacity() - partOffset);
                if (target == null) {
                    parts[part].putBytes(partOffset, source, index + done, step);
                } else {
                    target.putBytes(index + done, parts[part], partOffset, step);
                }
                done += step;
            }
            if (mapped) {
                MappedMemory.deliverFault();
            }
            return true;
        } catch (InternalError e) {
            if (mapped) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Atomically compares and swaps eight bytes in host order; returns the old value. The memory there must be aligned to 8 bytes.
     *
     * @param at offset in bytes.
     * @throws InternalError when the memory faulted: it maps a file that was truncated.
     */
    public long compareAndSwap(long at, long compare, long swap) {
        int part = partAt(at);
        if (mapped) {
            MappedMemory.touch(parts[part], (int) (at - partStarts[part]));
        }
        return parts[part].compareAndExchangeLong((int) (at - partStarts[part]), compare, swap);
    }

    /**
     * Atomically adds to eight bytes in host order; returns the old value. The memory there must be aligned to 8 bytes.
     *
     * @param at offset in bytes.
     * @throws InternalError when the memory faulted: it maps a file that was truncated.
     */
    public long fetchAndAdd(long at, long addend) {
        int part = partAt(at);
        if (mapped) {
            MappedMemory.touch(parts[part], (int) (at - partStarts[part]));
        }
        return parts[part].getAndAddLong((int) (at - partStarts[part]), addend);
    }

    /** Whether eight bytes at an offset are aligned in memory, and lie in one buffer. */
    boolean isAlignedAt(long at) {
        int part = partAt(at);
        long partOffset = at - partStarts[part];
        return (parts[part].addressOffset() + partOffset & 7) == 0 && partOffset + Long.BYTES <= parts[part].capacity();
    }

    /** Writes eight bytes at once, at an aligned offset; false when the memory faulted. */
    boolean writeAtomically(long at, DirectBuffer source, int sourceIndex) {
        int part = partAt(at);
        try {
            if (mapped) {
                MappedMemory.touch(parts[part], (int) (at - partStarts[part]));
            }
            parts[part].putLongVolatile((int) (at - partStarts[part]), source.getLong(sourceIndex));
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    /** Writes the pages of a range to the files they map; false when that failed. */
    boolean force(long at, long lengthBytes) {
        if (!mapped || lengthBytes == 0) {
            return true;
        }
        long end = at + lengthBytes;
        try {
            for (int part = partAt(at); part < files.length && partStarts[part] < end; part++) {
                long from = Math.max(at, partStarts[part]);
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

    private int partAt(long offset) {
        if (parts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(partStarts, offset);
        return found >= 0 ? found : -found - 2;
    }
}
