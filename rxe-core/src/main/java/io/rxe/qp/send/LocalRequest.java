package io.rxe.qp.send;

import io.rxe.memory.KeySlot;
import io.rxe.memory.MemoryRange;

/**
 * What a BIND_MW, LOCAL_INV or REG_MR changes: a part of a {@link SendWqe}. The application's thread fills it in before it publishes the
 * request; from then on it belongs to the engine.
 */
public final class LocalRequest {
    private KeySlot slot;
    private int key;
    private KeySlot boundTo;
    private int boundKey;
    private long address;
    private long lengthBytes;
    private int access;
    private MemoryRange buffers;
    private long gracePeriod;

    /** A key to end: that of the request. */
    public void invalidate(int oldKey) {
        slot = null;
        key = oldKey;
        gracePeriod = 0;
    }

    /**
     * A window to bind.
     *
     * @param window     its slot.
     * @param newKey     key of the window from then on.
     * @param region     slot of the region; null to unbind.
     * @param regionKey  key of the region when the request was posted.
     * @param from       address of the first byte.
     * @param bytes      length; 0 unbinds.
     * @param rights     access bits.
     */
    public void bind(KeySlot window, int newKey, KeySlot region, int regionKey, long from, long bytes, int rights) {
        slot = window;
        key = newKey;
        boundTo = region;
        boundKey = regionKey;
        address = from;
        lengthBytes = bytes;
        access = rights;
        gracePeriod = 0;
    }

    /** A region to register: its slot, its key from then on, its rights, the address of its first byte and its memory. */
    public void register(KeySlot region, int newKey, int rights, long baseAddress, MemoryRange memory) {
        slot = region;
        key = newKey;
        access = rights;
        address = baseAddress;
        buffers = memory;
        gracePeriod = 0;
    }

    /** The request completes, or is dropped. */
    public void complete() {
        if (slot != null) {
            slot.complete();
        }
        slot = null;
        boundTo = null;
        buffers = null;
    }

    /** The window or region; null for LOCAL_INV. */
    public KeySlot slot() {
        return slot;
    }

    /** The new key, or the key to end. */
    public int key() {
        return key;
    }

    /** Slot of the region to bind to, or null. */
    public KeySlot boundTo() {
        return boundTo;
    }

    public int boundKey() {
        return boundKey;
    }

    public long address() {
        return address;
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    public int access() {
        return access;
    }

    public MemoryRange buffers() {
        return buffers;
    }

    /** LOCAL_INV: the grace period it waits for; 0 before it has begun. */
    public long gracePeriod() {
        return gracePeriod;
    }

    public void gracePeriod(long number) {
        gracePeriod = number;
    }
}
