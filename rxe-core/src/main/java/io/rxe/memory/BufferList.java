package io.rxe.memory;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** One or more direct buffers as one range of bytes. They fault where they map a file that was truncated. */
public final class BufferList extends MemoryRange {
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

    @Override
    public long length() {
        return length;
    }

    public int count() {
        return parts.length;
    }

    @Override
    public boolean isAligned(long baseAddress) {
        for (int i = 0; i < parts.length; i++) {
            long address = baseAddress + partStarts[i];
            if ((parts[i].addressOffset() - address & 7) != 0 || i > 0 && (address & 7) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean read(long at, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        if (only != null) {
            target.putBytes(targetIndex, only, (int) at, lengthBytes);
            return true;
        }
        return copy(at, null, target, targetIndex, lengthBytes);
    }

    @Override
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
                DirectBuffer from = target == null ? source : parts[part];
                MutableDirectBuffer to = target == null ? parts[part] : target;
                int fromIndex = target == null ? index + done : partOffset;
                int toIndex = target == null ? partOffset : index + done;
                if (mapped) {
                    MappedMemory.copy(from, fromIndex, to, toIndex, step);
                } else {
                    to.putBytes(toIndex, from, fromIndex, step);
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

    @Override
    public long compareAndSwap(long at, long compare, long swap) {
        int part = partAt(at);
        if (mapped) {
            MappedMemory.touch(parts[part], (int) (at - partStarts[part]));
        }
        return parts[part].compareAndExchangeLong((int) (at - partStarts[part]), compare, swap);
    }

    @Override
    public long fetchAndAdd(long at, long addend) {
        int part = partAt(at);
        if (mapped) {
            MappedMemory.touch(parts[part], (int) (at - partStarts[part]));
        }
        return parts[part].getAndAddLong((int) (at - partStarts[part]), addend);
    }

    @Override
    boolean isAlignedAt(long at) {
        int part = partAt(at);
        long partOffset = at - partStarts[part];
        return (parts[part].addressOffset() + partOffset & 7) == 0 && partOffset + Long.BYTES <= parts[part].capacity();
    }

    @Override
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

    @Override
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
