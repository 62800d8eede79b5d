package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;

/**
 * A request for a receive queue: the memory for one incoming message; {@code ibv_recv_wr}. {@link QueuePair#postReceive} copies it, so
 * one object serves for all posts.
 *
 * <p>Not thread safe: owned by the thread that posts.
 */
public final class ReceiveRequest {
    private final ScatterGatherList scatterGather = new ScatterGatherList();
    private long id;

    /** Resets the request: id 0, no elements. */
    public ReceiveRequest clear() {
        scatterGather.clear();
        id = 0;
        return this;
    }

    /** Sets the id that the completion reports. */
    public ReceiveRequest id(long newId) {
        id = newId;
        return this;
    }

    /** Empties the scatter/gather list. */
    public ReceiveRequest clearElements() {
        scatterGather.clear();
        return this;
    }

    /**
     * Adds an element: part of a region, by its offset.
     *
     * @param offset      bytes from the start of the region.
     * @param lengthBytes 0 to 2^31 - 1.
     * @throws IllegalArgumentException for a negative length, and for more than 32 elements.
     */
    public ReceiveRequest add(MemoryRegion region, long offset, int lengthBytes) {
        scatterGather.add(region.address() + offset, lengthBytes, region.lKey());
        return this;
    }

    /**
     * Adds an element by address and local key.
     *
     * @param lengthBytes 0 to 2^31 - 1.
     * @throws IllegalArgumentException for a negative length, and for more than 32 elements.
     */
    public ReceiveRequest add(long address, int lengthBytes, int lKey) {
        scatterGather.add(address, lengthBytes, lKey);
        return this;
    }

    public long id() {
        return id;
    }

    public ScatterGatherList scatterGather() {
        return scatterGather;
    }
}
