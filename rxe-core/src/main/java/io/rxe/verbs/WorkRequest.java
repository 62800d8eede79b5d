package io.rxe.verbs;

import io.rxe.wire.Bth;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A request for a send queue; {@code ibv_send_wr}. {@link QueuePair#postSend} copies it, so one object serves for all posts.
 *
 * <p>Naming the operation ({@link #send}, {@link #write}, {@link #read} and so on) starts a new request: it empties the scatter/gather
 * list and resets everything but the id, as a zeroed {@code ibv_send_wr} would be, except that a request is signaled unless it says
 * otherwise. So the operation comes first, and whatever was set before it is refused. A request can be posted again as it is, also after
 * its id, a flag, the destination or the inline data was changed; {@link #clearElements} makes way for other memory. Not thread safe:
 * owned by the thread that posts.
 *
 * <p>The slots of a send queue extend it, so that {@link QueuePair#beginSends} can hand them out. Applications do not.
 */
public class WorkRequest extends WorkRequestFields {
    /** Whether the operation was named since the last post. */
    private boolean begun;
    /** Whether the operation was named ever; without one there is nothing to post. */
    private boolean named;
    /** Whether anything that naming the operation would reset was set since the last post, without naming it first. */
    private boolean changed;
    /** Whether it was posted with its present elements. */
    private boolean posted;

    /** Resets the request: signaled, with id 0, no elements and no operation. */
    public final WorkRequest clear() {
        id = 0;
        startNew(Operation.SEND);
        begun = false;
        named = false;
        return this;
    }

    private WorkRequest begin(Operation newOperation) {
        if (changed && !begun) {
            throw new IllegalStateException("elements, flags or a destination were set before " + newOperation + ", which starts a new"
                + " request and would drop them: name the operation first");
        }
        startNew(newOperation);
        begun = true;
        named = true;
        return this;
    }

    private void startNew(Operation newOperation) {
        reset(newOperation);
        posted = false;
        changed = false;
    }

    /** Sets the id that the completion reports. */
    public final WorkRequest id(long newId) {
        id = newId;
        return this;
    }

    /** Makes it a SEND of the scatter/gather list. */
    public final WorkRequest send() {
        return begin(Operation.SEND);
    }

    /** Makes it a SEND with immediate data: four bytes, big-endian on the wire. */
    public final WorkRequest sendWithImmediate(int data) {
        begin(Operation.SEND_WITH_IMMEDIATE);
        immediateOrKey = data;
        return this;
    }

    /** Makes it a SEND that invalidates a remote key of the peer when it is delivered (RC). */
    public final WorkRequest sendWithInvalidate(int key) {
        begin(Operation.SEND_WITH_INVALIDATE);
        immediateOrKey = key;
        return this;
    }

    /** Makes it an RDMA WRITE of the scatter/gather list to an address in the peer's memory (RC, UC). */
    public final WorkRequest write(long address, int key) {
        return begin(Operation.RDMA_WRITE).remote(address, key);
    }

    /** Makes it an RDMA WRITE that also completes a receive request of the peer with four bytes of immediate data (RC, UC). */
    public final WorkRequest writeWithImmediate(long address, int key, int data) {
        begin(Operation.RDMA_WRITE_WITH_IMMEDIATE);
        immediateOrKey = data;
        return remote(address, key);
    }

    /** Makes it an RDMA READ from an address in the peer's memory into the scatter/gather list (RC). */
    public final WorkRequest read(long address, int key) {
        return begin(Operation.RDMA_READ).remote(address, key);
    }

    /**
     * Makes it an atomic compare-and-swap (RC): writes {@code swapValue} if the eight bytes at the address equal {@code compareValue}. The
     * old value is written to the scatter/gather list, in the byte order of this host.
     *
     * @param address in the peer's memory, a multiple of 8.
     */
    public final WorkRequest compareAndSwap(long address, int key, long compareValue, long swapValue) {
        begin(Operation.COMPARE_AND_SWAP);
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
    public final WorkRequest fetchAndAdd(long address, int key, long addend) {
        begin(Operation.FETCH_AND_ADD);
        swapOrAdd = addend;
        return remote(address, key);
    }

    /**
     * Makes it an atomic write (RC, XRC): the eight bytes of the scatter/gather list or of {@link #inline} appear in the peer's memory at
     * once, in their order, after all WRITEs before it. The peer's queue pair and memory need REMOTE_WRITE. A peer that does not know the
     * operation, such as rdma_rxe before Linux 6.2, drops it, and the request fails with RETRY_EXC_ERR.
     *
     * @param address in the peer's memory, a multiple of 8.
     */
    public final WorkRequest atomicWrite(long address, int key) {
        return begin(Operation.ATOMIC_WRITE).remote(address, key);
    }

    /**
     * Makes it a FLUSH (RC, XRC): it completes when what the requests before it have written is visible or persistent. It moves no data and
     * has no elements. The peer's queue pair and memory need FLUSH_GLOBAL or FLUSH_PERSISTENT. A peer that does not know the operation
     * drops it, and the request fails with RETRY_EXC_ERR; rdma_rxe does not know it in our form.
     *
     * @param address     in the peer's memory.
     * @param lengthBytes bytes to flush from the address on, 0 to 2^31; ignored for a whole region.
     * @param type        bits of {@link FlushType}, at least one.
     */
    public final WorkRequest flush(long address, int key, long lengthBytes, int type, FlushLevel level) {
        begin(Operation.FLUSH);
        flushBytes = lengthBytes;
        flushType = type;
        flushLevel = Objects.requireNonNull(level, "the level is null: use RANGE or REGION");
        return remote(address, key);
    }

    /** Makes it a BIND_MW of a window of type 1, for {@link QueuePair#bindWindow}. The NIC chooses the key. */
    public final WorkRequest bindWindow(MemoryWindow toBind, MemoryBinding newBinding) {
        return bindWindow(toBind, 0, newBinding);
    }

    /**
     * Makes it a BIND_MW of a window of type 2 (RC, UC). It completes with MW_BIND_ERR when the window is bound already, closed, or of
     * another domain than the queue pair, and for a binding that the region does not allow: see {@link MemoryBinding}.
     *
     * @param newKey its low 8 bits become those of the window's key, and the others stay: see {@link MemoryWindow#nextRKey}.
     */
    public final WorkRequest bindWindow(MemoryWindow toBind, int newKey, MemoryBinding newBinding) {
        begin(Operation.BIND_MW);
        window = toBind;
        localKey = newKey;
        binding = Objects.requireNonNull(newBinding, "the binding is null: give MemoryBinding.NONE to end one");
        return this;
    }

    /**
     * Makes it a LOCAL_INV (RC, UC): the key grants nothing any more when it completes. It begins when all earlier requests of this send
     * queue have completed. It completes with LOC_QP_OP_ERR for a key that is not in force, for that of a window of type 1, of a region
     * that a verb registered or that windows are bound to, of another domain, and of a window that another queue pair bound.
     *
     * @param key of a window of type 2 or of an {@link AllocatedRegion}.
     */
    public final WorkRequest localInvalidate(int key) {
        begin(Operation.LOCAL_INV);
        localKey = key;
        return this;
    }

    /**
     * Makes it a REG_MR (RC, UC): registers what was mapped last with {@link AllocatedRegion#map}. Requests behind it in this send queue
     * may use the key; others when it has completed. It completes with LOC_QP_OP_ERR when the region is valid already, closed, or of
     * another domain than the queue pair.
     *
     * @param newKey differs from the region's key in the low 8 bits at most: see {@link AllocatedRegion#nextKey}.
     * @param access {@link AccessFlags}, combined with {@code |}.
     */
    public final WorkRequest registerMemory(AllocatedRegion toRegister, int newKey, int access) {
        begin(Operation.REG_MR);
        region = toRegister;
        localKey = newKey;
        registerAccess = access;
        return this;
    }

    private WorkRequest remote(long address, int key) {
        remoteAddress = address;
        remoteKey = key;
        return this;
    }

    /**
     * Sets the destination of a datagram (UD).
     *
     * @param handle   of the destination's port.
     * @param qpn      number of the destination queue pair, 1 to 0xFFFFFF; 0xFFFFFF for a multicast group.
     * @param queueKey queue key of the destination; if its highest bit is set, the key of the sending queue pair is sent instead.
     */
    public final WorkRequest to(AddressHandle handle, int qpn, int queueKey) {
        addressHandle = Objects.requireNonNull(handle, "the address handle is null: create one with ProtectionDomain.createAddressHandle");
        remoteQpn = qpn;
        remoteQueueKey = queueKey;
        changed = true;
        return this;
    }

    /**
     * Names the peer's shared receive queue, which every request of XRC_SEND needs: 1 to 0xFFFFFF, as {@link SharedReceiveQueue#number}
     * gives it at the peer; {@code remote_srqn}.
     */
    public final WorkRequest toSharedReceiveQueue(int number) {
        remoteQpn = number;
        changed = true;
        return this;
    }

    /** Sets a multicast group as the destination of a datagram (UD): a handle with its address, and the queue key of its members. */
    public final WorkRequest toGroup(AddressHandle group, int queueKey) {
        return to(group, Bth.MULTICAST_QPN, queueKey);
    }

    /** Empties the scatter/gather list and drops inline data. */
    public final WorkRequest clearElements() {
        scatterGather.clear();
        inlineData = null;
        posted = false;
        return this;
    }

    /**
     * Adds an element: part of a region, by its offset. The post checks that the region is open, belongs to the protection domain of the
     * queue pair, and grants LOCAL_WRITE to operations that bring data back.
     *
     * @param offset      bytes from the start of the region.
     * @param lengthBytes 0 to what is left of the region.
     * @throws IllegalArgumentException for a range outside the region, and for more than 32 elements.
     * @throws IllegalStateException    for inline data, and when the request was posted and its operation not named again.
     */
    public final WorkRequest add(MemoryRegion region, long offset, int lengthBytes) {
        checkAppend();
        ElementCheck.addTo(scatterGather, region, offset, lengthBytes);
        return this;
    }

    /**
     * Adds an element by address and local key, as in libibverbs: key, range and rights are checked when the request is executed, and
     * wrong ones complete it with LOC_PROT_ERR.
     *
     * @param lengthBytes 0 to 2^32 - 1.
     * @throws IllegalArgumentException for another length, and for more than 32 elements.
     * @throws IllegalStateException    for inline data, and when the request was posted and its operation not named again.
     */
    public final WorkRequest add(long address, long lengthBytes, int lKey) {
        checkAppend();
        scatterGather.add(address, lengthBytes, lKey);
        return this;
    }

    private void checkAppend() {
        if (posted) {
            throw new IllegalStateException("the request was posted with " + (inlineData == null ? scatterGather.count() + " elements"
                : "inline data") + " and another would be appended: name the operation again, or call clearElements");
        }
        if (inlineData != null) {
            throw new IllegalStateException("the request sends " + inlineData.remaining() + " bytes of inline data instead of memory"
                + " elements: use one of the two, clearElements drops both");
        }
        changed = true;
    }

    /**
     * Sends bytes of an unregistered buffer instead of a scatter/gather list (SEND, WRITE and ATOMIC_WRITE only). Posting copies them.
     *
     * @param data from position to limit at the time of the post, at most {@code maxInlineBytes} of the queue pair. Its position does
     *             not change.
     * @throws IllegalStateException when the request has elements.
     */
    public final WorkRequest inline(ByteBuffer data) {
        Objects.requireNonNull(data, "the inline data is null: give a buffer, or call clearElements for an empty message");
        if (scatterGather.count() != 0) {
            throw new IllegalStateException("the request has " + scatterGather.count() + " memory elements, which inline data would"
                + " replace: use one of the two, clearElements drops both");
        }
        inlineData = data;
        changed = true;
        return this;
    }

    /** Whether the request completes on success; true by default. Errors always complete. */
    public final WorkRequest signaled(boolean on) {
        signaled = on;
        changed = true;
        return this;
    }

    /** Sets the solicited event bit: see {@link CompletionQueue#requestNotification}. */
    public final WorkRequest solicited(boolean on) {
        solicited = on;
        changed = true;
        return this;
    }

    /** Starts the request only after all earlier READs and atomics of this send queue have completed. */
    public final WorkRequest fence(boolean on) {
        fence = on;
        changed = true;
        return this;
    }

    /**
     * Lets the request complete with LOC_QP_OP_ERR when its turn comes, whatever else it says; for other APIs above this one, where what
     * cannot be carried out is no error of the post.
     *
     * @param why explanation of the completion.
     */
    public final WorkRequest refuse(String why) {
        refusal = why;
        changed = true;
        return this;
    }

    /** Whether its operation was named since it was created or cleared. */
    public final boolean hasOperation() {
        return named;
    }

    /** Used by the NIC: a queue took a copy, and what is appended from now on would be another request. */
    public final void onPosted() {
        if (!posted || changed || begun) {
            posted = true;
            changed = false;
            begun = false;
        }
    }
}
