package io.rxe.memory;

import java.util.Arrays;

/**
 * A list of pieces of registered memory: address, length and local key of each. Made once and used again; grows to
 * {@link #MAX_ELEMENTS}. Owned by whoever holds the request it belongs to.
 */
public final class ScatterGatherList {
    /** Most elements of one list (rxe: RXE_MAX_SGE). */
    public static final int MAX_ELEMENTS = 32;
    /** Most bytes of one message, and so of one list. */
    public static final long MAX_MESSAGE_BYTES = 1L << 31;

    private long[] addresses = new long[1];
    private int[] lengths = new int[1];
    private int[] keys = new int[1];
    private int count;
    private long totalBytes;

    /** Empties the list. */
    public void clear() {
        count = 0;
        totalBytes = 0;
    }

    /**
     * Adds a piece.
     *
     * @param address     in the address space of the region that {@code key} names.
     * @param lengthBytes 0 to 2^31 - 1.
     * @param key         local key.
     */
    public void add(long address, int lengthBytes, int key) {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("element of " + lengthBytes + " bytes: the length must be 0 to 2147483647");
        }
        if (count == MAX_ELEMENTS) {
            throw new IllegalArgumentException("more than " + MAX_ELEMENTS + " scatter/gather elements: split the request");
        }
        if (count == addresses.length) {
            grow(count + 1);
        }
        addresses[count] = address;
        lengths[count] = lengthBytes;
        keys[count] = key;
        count++;
        totalBytes += lengthBytes;
    }

    /** Takes over the elements of another list. */
    public void copyFrom(ScatterGatherList other) {
        if (other.count > addresses.length) {
            grow(other.count);
        }
        for (int i = 0; i < other.count; i++) {
            addresses[i] = other.addresses[i];
            lengths[i] = other.lengths[i];
            keys[i] = other.keys[i];
        }
        count = other.count;
        totalBytes = other.totalBytes;
    }

    private void grow(int needed) {
        int capacity = Math.min(MAX_ELEMENTS, Math.max(needed, 2 * addresses.length));
        addresses = Arrays.copyOf(addresses, capacity);
        lengths = Arrays.copyOf(lengths, capacity);
        keys = Arrays.copyOf(keys, capacity);
    }

    public int count() {
        return count;
    }

    /** Sum of the lengths, up to 32 times 2^31: compare with {@link #MAX_MESSAGE_BYTES} before use. */
    public long totalBytes() {
        return totalBytes;
    }

    public long address(int index) {
        return addresses[index];
    }

    public int length(int index) {
        return lengths[index];
    }

    public int key(int index) {
        return keys[index];
    }
}
