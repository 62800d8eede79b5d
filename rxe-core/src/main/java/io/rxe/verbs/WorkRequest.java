package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;
import java.nio.ByteBuffer;

/**
 * A request for a send queue; {@code ibv_send_wr}. {@link QueuePair#postSend} copies it, so one object serves for all posts:
 * {@link #clear} it, or set only what differs.
 *
 * <p>Not thread safe: owned by the thread that posts.
 */
public final class WorkRequest {
    private final ScatterGatherList scatterGather = new ScatterGatherList();
    private long id;
    private Operation operation = Operation.SEND;
    private boolean signaled = true;
    private boolean solicited;
    private boolean fence;
    private boolean inline;
    private int immediate;
    private int invalidateKey;
    private long remoteAddress;
    private int remoteKey;
    private long compare;
    private long swapOrAdd;
    private ByteBuffer inlineData;
    private AddressHandle addressHandle;
    private int remoteQpn;
    private int remoteQueueKey;

    /** Resets the request: a signaled SEND with id 0 and no elements. */
    public WorkRequest clear() {
        scatterGather.clear();
        id = 0;
        operation = Operation.SEND;
        signaled = true;
        solicited = false;
        fence = false;
        inline = false;
        inlineData = null;
        immediate = 0;
        invalidateKey = 0;
        remoteAddress = 0;
        remoteKey = 0;
        compare = 0;
        swapOrAdd = 0;
        addressHandle = null;
        remoteQpn = 0;
        remoteQueueKey = 0;
        return this;
    }

    /** Sets the id that the completion reports. */
    public WorkRequest id(long newId) {
        id = newId;
        return this;
    }

    /** Makes it a SEND of the scatter/gather list. */
    public WorkRequest send() {
        operation = Operation.SEND;
        return this;
    }

    /** Makes it a SEND with immediate data: four bytes, big-endian on the wire. */
    public WorkRequest sendWithImmediate(int data) {
        operation = Operation.SEND_WITH_IMMEDIATE;
        immediate = data;
        return this;
    }

    /** Makes it a SEND that invalidates a remote key of the peer when it is delivered (RC). */
    public WorkRequest sendWithInvalidate(int key) {
        operation = Operation.SEND_WITH_INVALIDATE;
        invalidateKey = key;
        return this;
    }

    /** Makes it an RDMA WRITE of the scatter/gather list to an address in the peer's memory (RC, UC). */
    public WorkRequest write(long address, int key) {
        operation = Operation.RDMA_WRITE;
        return remote(address, key);
    }

    /** Makes it an RDMA WRITE that also completes a receive request of the peer with four bytes of immediate data (RC, UC). */
    public WorkRequest writeWithImmediate(long address, int key, int data) {
        operation = Operation.RDMA_WRITE_WITH_IMMEDIATE;
        immediate = data;
        return remote(address, key);
    }

    /** Makes it an RDMA READ from an address in the peer's memory into the scatter/gather list (RC). */
    public WorkRequest read(long address, int key) {
        operation = Operation.RDMA_READ;
        return remote(address, key);
    }

    /**
     * Makes it an atomic compare-and-swap (RC): writes {@code swapValue} if the eight bytes at the address equal {@code compareValue}. The
     * old value is written to the scatter/gather list, in the byte order of this host.
     *
     * @param address in the peer's memory, a multiple of 8.
     */
    public WorkRequest compareAndSwap(long address, int key, long compareValue, long swapValue) {
        operation = Operation.COMPARE_AND_SWAP;
        compare = compareValue;
        swapOrAdd = swapValue;
        return remote(address, key);
    }

    /**
     * Makes it an atomic fetch-and-add (RC): adds to the eight bytes at the address. The old value is written to the scatter/gather list,
     * in the byte order of this host.
     *
     * @param address in the peer's memory, a multiple of 8.
     */
    public WorkRequest fetchAndAdd(long address, int key, long addend) {
        operation = Operation.FETCH_AND_ADD;
        compare = 0;
        swapOrAdd = addend;
        return remote(address, key);
    }

    private WorkRequest remote(long address, int key) {
        remoteAddress = address;
        remoteKey = key;
        return this;
    }

    /**
     * Sets the destination of a datagram (UD).
     *
     * @param qpn      number of the destination queue pair, 1 to 0xFFFFFF; 0xFFFFFF for a multicast group.
     * @param queueKey queue key of the destination; if its highest bit is set, the key of the sending queue pair is sent instead.
     */
    public WorkRequest to(AddressHandle handle, int qpn, int queueKey) {
        addressHandle = handle;
        remoteQpn = qpn;
        remoteQueueKey = queueKey;
        return this;
    }

    /** Empties the scatter/gather list and drops inline data. */
    public WorkRequest clearElements() {
        scatterGather.clear();
        inline = false;
        inlineData = null;
        return this;
    }

    /**
     * Adds an element: part of a region, by its offset.
     *
     * @param offset      bytes from the start of the region.
     * @param lengthBytes 0 to 2^31 - 1.
     * @throws IllegalArgumentException for a negative length, and for more than 32 elements.
     */
    public WorkRequest add(MemoryRegion region, long offset, int lengthBytes) {
        scatterGather.add(region.address() + offset, lengthBytes, region.lKey());
        return this;
    }

    /**
     * Adds an element by address and local key.
     *
     * @param lengthBytes 0 to 2^31 - 1.
     * @throws IllegalArgumentException for a negative length, and for more than 32 elements.
     */
    public WorkRequest add(long address, int lengthBytes, int lKey) {
        scatterGather.add(address, lengthBytes, lKey);
        return this;
    }

    /**
     * Sends bytes of an unregistered buffer instead of the scatter/gather list (SEND and WRITE only). Posting copies them.
     *
     * @param data from position to limit at the time of the post, at most {@code maxInlineBytes} of the queue pair. Its position does
     *             not change.
     */
    public WorkRequest inline(ByteBuffer data) {
        inline = true;
        inlineData = data;
        return this;
    }

    /** Whether the request completes on success; true by default. Errors always complete. */
    public WorkRequest signaled(boolean on) {
        signaled = on;
        return this;
    }

    /** Sets the solicited event bit: see {@link CompletionQueue#requestNotification}. */
    public WorkRequest solicited(boolean on) {
        solicited = on;
        return this;
    }

    /** Starts the request only after all earlier READs and atomics of this send queue have completed. */
    public WorkRequest fence(boolean on) {
        fence = on;
        return this;
    }

    public long id() {
        return id;
    }

    public Operation operation() {
        return operation;
    }

    public boolean isSignaled() {
        return signaled;
    }

    public boolean isSolicited() {
        return solicited;
    }

    public boolean isFence() {
        return fence;
    }

    public boolean isInline() {
        return inline;
    }

    /** The buffer given to {@link #inline}, or null. */
    public ByteBuffer inlineData() {
        return inlineData;
    }

    public int immediate() {
        return immediate;
    }

    public int invalidateKey() {
        return invalidateKey;
    }

    public long remoteAddress() {
        return remoteAddress;
    }

    public int remoteKey() {
        return remoteKey;
    }

    public long compareValue() {
        return compare;
    }

    public long swapOrAddValue() {
        return swapOrAdd;
    }

    /** Destination of a datagram, or null. */
    public AddressHandle addressHandle() {
        return addressHandle;
    }

    public int remoteQpn() {
        return remoteQpn;
    }

    public int remoteQueueKey() {
        return remoteQueueKey;
    }

    public ScatterGatherList scatterGather() {
        return scatterGather;
    }
}
