package io.rxe.memory;

import io.rxe.port.RangeFaults;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Memory of a native program, which may unmap or protect it at any time. A copy that faults stops, and the surroundings count it: one look
 * at the count before and behind each copy is what it costs.
 */
public final class ProcessRange extends MemoryRange {
    /** As much as a process has, or nearly: pages of the JVM are in it. */
    private static final int WHOLE_BITS = 46;

    private final long address;
    private final long length;
    private final RangeFaults faults;

    /**
     * A range that ends at the last address or before.
     *
     * @param address     in this process; memory need not be there.
     * @param lengthBytes unsigned.
     */
    public ProcessRange(long address, long lengthBytes, RangeFaults faults) {
        this.address = address;
        this.length = lengthBytes;
        this.faults = faults;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isAligned(long baseAddress) {
        return (address - baseAddress & 7) == 0;
    }

    @Override
    public boolean read(long at, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        target.boundsCheck(targetIndex, lengthBytes);
        return copy(null, address + at, target.byteArray(), target.addressOffset() + targetIndex, lengthBytes);
    }

    @Override
    public boolean write(long at, DirectBuffer source, int sourceIndex, int lengthBytes) {
        source.boundsCheck(sourceIndex, lengthBytes);
        return copy(source.byteArray(), source.addressOffset() + sourceIndex, null, address + at, lengthBytes);
    }

    /**
     * Copies as {@code Unsafe.copyMemory} does, whose faults every JVM survives, interpreted and compiled, unless they are in pages that it
     * protects for itself. False after a fault.
     */
    private boolean copy(byte[] from, long fromOffset, byte[] to, long toOffset, int lengthBytes) {
        long before = faults.count();
        try {
            if (length >>> WHOLE_BITS != 0 && from == null && to == null) {
                faults.copy(fromOffset, toOffset, lengthBytes);
                return true;
            }
            UnsafeApi.copyMemory(from, fromOffset, to, toOffset, lengthBytes);
            if (faults.count() != before) {
                // Of this thread, or of another at the same time.
                MappedMemory.deliverFault();
            }
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    @Override
    public long compareAndSwap(long at, long compare, long swap) {
        return faults.compareAndSwap(address + at, compare, swap);
    }

    @Override
    public long fetchAndAdd(long at, long addend) {
        return faults.fetchAndAdd(address + at, addend);
    }

    @Override
    boolean isAlignedAt(long at) {
        return (address + at & 7) == 0;
    }

    /** Not a copy, which moves single bytes where the packet is not aligned. */
    @Override
    boolean writeAtomically(long at, DirectBuffer source, int sourceIndex) {
        try {
            faults.store(address + at, source.getLong(sourceIndex));
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    /** It maps no file that this process knows of. */
    @Override
    boolean force(long at, long lengthBytes) {
        return true;
    }
}
