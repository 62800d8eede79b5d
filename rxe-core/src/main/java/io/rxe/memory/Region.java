package io.rxe.memory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What a key grants: rights to one range of addresses. A memory region, or a memory window bound to a part of one.
 *
 * <p>Immutable except for {@link #revoke}: every change of a registration or a binding is another object. Every access must lie inside:
 * check with {@link #contains} first.
 */
public final class Region {
    private final int key;
    private final int domain;
    private final int access;
    private final long baseAddress;
    private final long length;
    private final MemoryRange memory;
    /** Address that stands for offset 0 of the memory. */
    private final long origin;
    /** The slot of the region that this window is bound to; null when this is no bound window. */
    private final KeySlot boundTo;
    private final Object user;
    private volatile boolean revoked;

    /**
     * A memory region.
     *
     * @param key         local and remote key.
     * @param domain      number of the protection domain.
     * @param access      access bits, as in {@code AccessFlags}.
     * @param baseAddress address of the first byte.
     */
    public Region(int key, int domain, int access, long baseAddress, MemoryRange memory) {
        this(key, domain, access, baseAddress, memory.length(), memory, baseAddress, null, null);
    }

    private Region(int key, int domain, int access, long baseAddress, long length, MemoryRange memory, long origin, KeySlot boundTo,
                   Object user) {
        this.key = key;
        this.domain = domain;
        this.access = access;
        this.baseAddress = baseAddress;
        this.length = length;
        this.memory = memory;
        this.origin = origin;
        this.boundTo = boundTo;
        this.user = user;
    }

    /** A key that grants nothing until it is registered or bound. */
    public static Region free(int key, int domain) {
        Region region = new Region(key, domain, 0, 0, BufferList.EMPTY);
        region.revoke();
        return region;
    }

    /**
     * A window bound to a part of this region.
     *
     * @param slot        of this region.
     * @param windowKey   remote key of the window.
     * @param rights      access bits, as in {@code AccessFlags}.
     * @param address     address of the first byte, in this region.
     * @param lengthBytes length; the part must lie inside this region.
     * @param zeroBased   whether the address of the first byte is 0 for peers.
     * @param user        the only queue pair that may serve the window; null for any of the domain.
     */
    public Region window(KeySlot slot, int windowKey, int rights, long address, long lengthBytes, boolean zeroBased, Object user) {
        long base = zeroBased ? 0 : address;
        return new Region(windowKey, domain, rights, base, lengthBytes, memory, origin - address + base, slot, user);
    }

    /** Returns the address of a direct buffer in this process, at its position. */
    public static long addressOf(ByteBuffer buffer) {
        return BufferUtil.address(buffer) + buffer.position();
    }

    /** Whether the memory of a buffer belongs to an arena that can be closed (JDK 22 and later); then it must not be registered. */
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

    /** In bytes, unsigned: a region may be the whole address space. */
    public long length() {
        return length;
    }

    /** The memory behind it. */
    public MemoryRange memory() {
        return memory;
    }

    /** The slot of the region that this window is bound to; null when this is no bound window. */
    KeySlot boundTo() {
        return boundTo;
    }

    /** Whether it is a bound window: its key serves peers only. */
    public boolean isWindow() {
        return boundTo != null;
    }

    /** Whether a queue pair may serve it. */
    public boolean serves(Object queuePair) {
        return user == null || user == queuePair;
    }

    /** Invalidates the key: look-ups no longer return this region. */
    public void revoke() {
        revoked = true;
    }

    /** Whether it was invalidated, or the region of this window was closed. */
    public boolean isRevoked() {
        return revoked || boundTo != null && boundTo.isRemoved();
    }

    /** Whether all of the access bits were granted. */
    public boolean grants(int needed) {
        return (access & needed) == needed;
    }

    /** Whether a range lies inside the region. Correct for every 64-bit address and length: the arithmetic cannot overflow. */
    public boolean contains(long address, long lengthBytes) {
        long offset = address - baseAddress;
        return lengthBytes >= 0 && Long.compareUnsigned(offset, length) <= 0 && Long.compareUnsigned(lengthBytes, length - offset) <= 0;
    }

    /**
     * Copies from the region into a packet.
     *
     * @return false when the memory faulted. Part of the packet may have been written.
     */
    public boolean read(long address, MutableDirectBuffer target, int targetIndex, int lengthBytes) {
        return memory.read(address - origin, target, targetIndex, lengthBytes);
    }

    /**
     * Copies the payload of a packet into the region.
     *
     * @return false when the memory faulted. Part of the payload may have been written.
     */
    public boolean write(long address, DirectBuffer source, int sourceIndex, int lengthBytes) {
        return memory.write(address - origin, source, sourceIndex, lengthBytes);
    }

    /**
     * Atomically compares and swaps eight bytes in host order; returns the old value. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory faulted.
     */
    public long compareAndSwap(long address, long compare, long swap) {
        return memory.compareAndSwap(address - origin, compare, swap);
    }

    /**
     * Atomically adds to eight bytes in host order; returns the old value. The address must be a multiple of 8.
     *
     * @throws InternalError when the memory faulted.
     */
    public long fetchAndAdd(long address, long addend) {
        return memory.fetchAndAdd(address - origin, addend);
    }

    /** Whether eight bytes at an address can be written at once: it is a multiple of 8, and so is their place in memory. */
    public boolean isAligned(long address) {
        return (address & 7) == 0 && memory.isAlignedAt(address - origin);
    }

    /**
     * Writes eight bytes at once, in the order in which they lie in the packet; nobody sees a part of them, or sees them before what was
     * written earlier. The address must be {@linkplain #isAligned aligned}.
     *
     * @return false when the memory faulted.
     */
    public boolean writeAtomically(long address, DirectBuffer source, int sourceIndex) {
        return memory.writeAtomically(address - origin, source, sourceIndex);
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
        return memory.force(address - origin, lengthBytes);
    }

    /** Whether a buffer maps a file, so that it can be made persistent. */
    public static boolean isPersistent(ByteBuffer buffer) {
        return MappedMemory.isMapped(buffer);
    }
}
