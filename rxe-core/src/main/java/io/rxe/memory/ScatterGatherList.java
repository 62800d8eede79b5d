package io.rxe.memory;

import java.util.Arrays;

/**
 * A scatter/gather list: address, length and local key of up to {@link #MAX_ELEMENTS} elements; a list of {@code ibv_sge}. Reused from
 * request to request. Owned by the owner of its request.
 *
 * <p>An element is two adjacent words, the address, then length and key. Lists are copied for every message, and an object for each
 * element would cost a cache line more.
 */
public final class ScatterGatherList {
    /** Most elements of one list (rdma_rxe: RXE_MAX_SGE). */
    public static final int MAX_ELEMENTS = 32;
    /** Longest message, in bytes. */
    public static final long MAX_MESSAGE_BYTES = 1L << 31;

    private long[] words = new long[2];
    private int count;
    private long totalBytes;
    /** Elements that the application named by a region instead of a key, one bit each. */
    private int ofRegions;

    public void clear() {
        count = 0;
        totalBytes = 0;
        ofRegions = 0;
    }

    /** Adds an element as {@link #add} does, and remembers that the application named a region: a post checks that one. */
    public void addOfRegion(long address, int lengthBytes, int key) {
        add(address, lengthBytes, key);
        ofRegions |= 1 << count - 1;
    }

    /** Whether an element was added by {@link #addOfRegion}. A copy of the list does not know. */
    public boolean isOfRegion(int index) {
        return (ofRegions & 1 << index) != 0;
    }

    /**
     * Adds an element.
     *
     * @param address     address in the region of {@code key}.
     * @param lengthBytes 0 to 2^32 - 1.
     * @param key         local key.
     * @throws IllegalArgumentException for another length, and for more than {@link #MAX_ELEMENTS} elements.
     */
    public void add(long address, long lengthBytes, int key) {
        if (lengthBytes >>> Integer.SIZE != 0) {
            throw new IllegalArgumentException("element of " + lengthBytes + " bytes: the length must be 0 to 4294967295");
        }
        if (count == MAX_ELEMENTS) {
            throw new IllegalArgumentException("more than " + MAX_ELEMENTS + " scatter/gather elements: split the request");
        }
        if (2 * count == words.length) {
            grow(count + 1);
        }
        words[2 * count] = address;
        words[2 * count + 1] = lengthBytes << Integer.SIZE | Integer.toUnsignedLong(key);
        count++;
        totalBytes += lengthBytes;
    }

    /** Copies the elements of another list. */
    public void copyFrom(ScatterGatherList other) {
        if (2 * other.count > words.length) {
            grow(other.count);
        }
        for (int i = 0; i < 2 * other.count; i++) {
            words[i] = other.words[i];
        }
        count = other.count;
        totalBytes = other.totalBytes;
    }

    private void grow(int needed) {
        int capacity = words.length / 2;
        words = Arrays.copyOf(words, 2 * Math.min(MAX_ELEMENTS, Math.max(needed, 2 * capacity)));
    }

    public int count() {
        return count;
    }

    /** Sum of the lengths in bytes; may exceed {@link #MAX_MESSAGE_BYTES}, so check it before use. */
    public long totalBytes() {
        return totalBytes;
    }

    public long address(int index) {
        return words[2 * index];
    }

    /** In bytes. */
    public long length(int index) {
        return words[2 * index + 1] >>> Integer.SIZE;
    }

    public int key(int index) {
        return (int) words[2 * index + 1];
    }

    @Override
    public String toString() {
        return count + (count == 1 ? " element, " : " elements, ") + totalBytes + " bytes";
    }
}
