package io.rxe.memory;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registered memory: one range of addresses laid over one or more direct buffers.
 *
 * <p>Immutable but for {@link #revoke}. Engine threads read and write through it; which of them and when is the business of the
 * protocol, as with any RDMA NIC. Every access must be inside the region: ask {@link #contains} first.
 */
public final class Region {
    private final int key;
    private final int domain;
    private final int access;
    private final long baseAddress;
    private final long length;
    private final UnsafeBuffer[] parts;
    private final long[] partStarts;
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
    }

    /** Address of the first byte of a direct buffer in this process, at its position. */
    public static long addressOf(ByteBuffer buffer) {
        return BufferUtil.address(buffer) + buffer.position();
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

    /** Takes all rights away; packets that come later find no region. */
    public void revoke() {
        revoked = true;
    }

    public boolean isRevoked() {
        return revoked;
    }

    /** Whether all of these access bits were granted. */
    public boolean grants(int needed) {
        return (access & needed) == needed;
    }

    /** Whether a range lies inside; right for any 64-bit address and length, since nothing here can overflow. */
    public boolean contains(long address, long lengthBytes) {
        long offset = address - baseAddress;
        return lengthBytes >= 0 && Long.compareUnsigned(offset, length) <= 0 && lengthBytes <= length - offset;
    }

    /** Copies memory into a packet. */
    public void read(long address, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
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

    /** Copies a packet's payload into memory. */
    public void write(long address, DirectBuffer source, int sourceIndex, int lengthBytes) {
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

    /** Atomically swaps eight bytes in host order if they equal {@code compare}; answers what was there. The address is 8-aligned. */
    public long compareAndSwap(long address, long compare, long swap) {
        long offset = address - baseAddress;
        int part = partAt(offset);
        return parts[part].compareAndExchangeLong((int) (offset - partStarts[part]), compare, swap);
    }

    /** Atomically adds to eight bytes in host order; answers what was there. The address is 8-aligned. */
    public long fetchAndAdd(long address, long addend) {
        long offset = address - baseAddress;
        int part = partAt(offset);
        return parts[part].getAndAddLong((int) (offset - partStarts[part]), addend);
    }

    private int partAt(long offset) {
        if (parts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(partStarts, offset);
        return found >= 0 ? found : -found - 2;
    }
}
