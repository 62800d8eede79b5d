package io.rxe.verbs;

import io.rxe.memory.ScatterGatherList;
import java.nio.ByteBuffer;

/**
 * A request for a send queue. {@link QueuePair#postSend} copies it, so one object serves for all posts: {@link #clear} it, or just set
 * what differs.
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

    /** Back to a signaled SEND of nothing with id 0. */
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

    /** The id its completion will carry. */
    public WorkRequest id(long newId) {
        id = newId;
        return this;
    }

    /** SEND of the scatter/gather list. */
    public WorkRequest send() {
        operation = Operation.SEND;
        return this;
    }

    /** SEND with four bytes of immediate data. */
    public WorkRequest sendWithImmediate(int data) {
        operation = Operation.SEND_WITH_IMMEDIATE;
        immediate = data;
        return this;
    }

    /** SEND that invalidates a remote key once it is delivered. */
    public WorkRequest sendWithInvalidate(int key) {
        operation = Operation.SEND_WITH_INVALIDATE;
        invalidateKey = key;
        return this;
    }

    /** RDMA WRITE of the scatter/gather list to the peer's memory. */
    public WorkRequest write(long address, int key) {
        operation = Operation.RDMA_WRITE;
        return remote(address, key);
    }

    /** RDMA WRITE that also takes a receive request of the peer and hands it four bytes. */
    public WorkRequest writeWithImmediate(long address, int key, int data) {
        operation = Operation.RDMA_WRITE_WITH_IMMEDIATE;
        immediate = data;
        return remote(address, key);
    }

    /** RDMA READ of the peer's memory into the scatter/gather list. */
    public WorkRequest read(long address, int key) {
        operation = Operation.RDMA_READ;
        return remote(address, key);
    }

    /** Writes {@code swapValue} at the peer if eight bytes there equal {@code compareValue}; the old value comes back into the list. */
    public WorkRequest compareAndSwap(long address, int key, long compareValue, long swapValue) {
        operation = Operation.COMPARE_AND_SWAP;
        compare = compareValue;
        swapOrAdd = swapValue;
        return remote(address, key);
    }

    /** Adds to eight bytes at the peer; the old value comes back into the list. */
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
     * Where a datagram goes (UD).
     *
     * @param queueKey what the peer's queue pair expects; with its highest bit set the queue pair's own key is sent instead.
     */
    public WorkRequest to(AddressHandle handle, int qpn, int queueKey) {
        addressHandle = handle;
        remoteQpn = qpn;
        remoteQueueKey = queueKey;
        return this;
    }

    /** Empties the scatter/gather list. */
    public WorkRequest noElements() {
        scatterGather.clear();
        inline = false;
        inlineData = null;
        return this;
    }

    /** Adds a piece of a region by its offset. */
    public WorkRequest add(MemoryRegion region, long offset, int lengthBytes) {
        scatterGather.add(region.address() + offset, lengthBytes, region.lKey());
        return this;
    }

    /** Adds a piece by address and local key. */
    public WorkRequest add(long address, int lengthBytes, int lKey) {
        scatterGather.add(address, lengthBytes, lKey);
        return this;
    }

    /**
     * Sends bytes that need no registration: they are copied when the request is posted. Replaces the scatter/gather list. SEND and
     * WRITE only; the queue pair's {@code maxInlineBytes} is the limit.
     *
     * @param data read from position to limit at the post; its position stays.
     */
    public WorkRequest inline(ByteBuffer data) {
        inline = true;
        inlineData = data;
        return this;
    }

    /** Whether success makes a completion too. Errors always do. True at first. */
    public WorkRequest signaled(boolean on) {
        signaled = on;
        return this;
    }

    /** Asks for a solicited event at the receiver. */
    public WorkRequest solicited(boolean on) {
        solicited = on;
        return this;
    }

    /** Begins only when all earlier READs and atomics of this queue have ended. */
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

    /** The bytes of {@link #inline}, or null. */
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
