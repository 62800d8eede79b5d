package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;

/**
 * A request for a receive queue: the memory for one incoming message; {@code ibv_recv_wr}. {@link QueuePair#postReceive} copies it, so
 * one object serves for all posts. It can be posted again as it is; {@link #clear} and {@link #clearElements} make way for other memory.
 *
 * <p>Not thread safe: owned by the thread that posts.
 */
public final class ReceiveRequest {
    private final ScatterGatherList scatterGather = new ScatterGatherList();
    private long id;
    /** Whether it was posted with its present elements. */
    private boolean posted;

    /** Resets the request: id 0, no elements. */
    public ReceiveRequest clear() {
        id = 0;
        return clearElements();
    }

    /** Sets the id that the completion reports. */
    public ReceiveRequest id(long newId) {
        id = newId;
        return this;
    }

    /** Empties the scatter/gather list. */
    public ReceiveRequest clearElements() {
        scatterGather.clear();
        posted = false;
        return this;
    }

    /**
     * Adds an element: part of a region, by its offset. The post checks that the region is open, belongs to the protection domain of the
     * queue, and grants LOCAL_WRITE.
     *
     * @param offset      bytes from the start of the region.
     * @param lengthBytes 0 to what is left of the region.
     * @throws IllegalArgumentException for a range outside the region, and for more than 32 elements.
     * @throws IllegalStateException    when the request was posted and not cleared.
     */
    public ReceiveRequest add(MemoryRegion region, long offset, int lengthBytes) {
        checkAppend();
        ElementCheck.addTo(scatterGather, region, offset, lengthBytes);
        return this;
    }

    /**
     * Adds an element by address and local key, as in libibverbs: key, range and rights are checked when a message arrives, and wrong ones
     * complete the request with LOC_PROT_ERR.
     *
     * @param lengthBytes 0 to 2^32 - 1.
     * @throws IllegalArgumentException for another length, and for more than 32 elements.
     * @throws IllegalStateException    when the request was posted and not cleared.
     */
    public ReceiveRequest add(long address, long lengthBytes, int lKey) {
        checkAppend();
        scatterGather.add(address, lengthBytes, lKey);
        return this;
    }

    private void checkAppend() {
        if (posted) {
            throw new IllegalStateException("the request was posted with " + scatterGather.count() + " elements and another would be"
                + " appended: call clear or clearElements first");
        }
    }

    /** Used by the NIC: a queue took a copy, and what is appended from now on would be another request. */
    public void onPosted() {
        if (!posted) {
            posted = true;
        }
    }

    /** Used by the NIC: a queue copies requests as they move on. */
    public void copyFrom(ReceiveRequest other) {
        id = other.id;
        scatterGather.copyFrom(other.scatterGather);
    }

    public long id() {
        return id;
    }

    public ScatterGatherList scatterGather() {
        return scatterGather;
    }

    @Override
    public String toString() {
        return "receive " + id + " of " + scatterGather;
    }
}
