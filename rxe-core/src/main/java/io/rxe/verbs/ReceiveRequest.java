package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;

/**
 * A request for a receive queue: where the next message goes. {@link QueuePair#postReceive} copies it.
 *
 * <p>Not thread safe: owned by the thread that posts.
 */
public final class ReceiveRequest {
    private final ScatterGatherList scatterGather = new ScatterGatherList();
    private long id;

    /** Back to id 0 and no memory. */
    public ReceiveRequest clear() {
        scatterGather.clear();
        id = 0;
        return this;
    }

    /** The id its completion will carry. */
    public ReceiveRequest id(long newId) {
        id = newId;
        return this;
    }

    /** Empties the scatter/gather list. */
    public ReceiveRequest noElements() {
        scatterGather.clear();
        return this;
    }

    /** Adds a piece of a region by its offset. */
    public ReceiveRequest add(MemoryRegion region, long offset, int lengthBytes) {
        scatterGather.add(region.address() + offset, lengthBytes, region.lKey());
        return this;
    }

    /** Adds a piece by address and local key. */
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
