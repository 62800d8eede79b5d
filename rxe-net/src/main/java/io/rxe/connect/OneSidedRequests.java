package io.rxe.connect;

import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The one-sided operations of one connection in flight: each has a slot with its request, its callback and a landing buffer. */
final class OneSidedRequests {
    /** A callback that takes data out of the landing buffer before the slot is free again. */
    interface Landed extends OneSidedCallback {
        void take(ByteBuffer landing);
    }

    private final Endpoint endpoint;
    private final Outstanding outstanding;
    private final SlotPool slots;
    private final WorkRequest[] requests;
    private final ByteBuffer[] landings;
    /** Who takes a callback out calls it: the dispatching thread, the end of the connection, or the thread whose post failed. */
    private final AtomicReferenceArray<OneSidedCallback> callbacks;
    private final long[] ids;
    private volatile boolean refused;

    OneSidedRequests(Endpoint endpoint, ConnectOptions options, Outstanding outstanding) {
        this.endpoint = endpoint;
        this.outstanding = outstanding;
        slots = new SlotPool(options.oneSidedDepth());
        requests = new WorkRequest[slots.size()];
        landings = new ByteBuffer[slots.size()];
        callbacks = new AtomicReferenceArray<>(slots.size());
        ids = new long[slots.size()];
        for (int slot = 0; slot < slots.size(); slot++) {
            requests[slot] = new WorkRequest();
            landings[slot] = endpoint.view(endpoint.oneSidedOffset(slot)).order(ByteOrder.nativeOrder());
        }
    }

    int size() {
        return slots.size();
    }

    /**
     * Whether all slots are in flight; if so, {@link #isWritableAgain} holds when one is free. Only reads, after the first time, so that
     * a thread that tries again and again does not slow down the one that completes operations.
     */
    boolean isFull() {
        if (!slots.isEmpty()) {
            return false;
        }
        if (!refused) {
            refused = true;
        }
        // One may have been released before the flag was set.
        return slots.isEmpty();
    }

    /** Takes a slot for an operation; {@link SlotPool#NONE} if all are in flight. After {@link Outstanding#begin}. */
    int take() {
        int slot = slots.take();
        return slot == SlotPool.NONE && !isFull() ? slots.take() : slot;
    }

    /** The request of a slot, for the caller to fill in. */
    WorkRequest request(int slot) {
        return requests[slot];
    }

    /** The landing buffer of a slot, in the byte order of this host. */
    ByteBuffer landing(int slot) {
        return landings[slot];
    }

    /** Adds the landing buffer to the request of a slot. */
    void addLanding(int slot, int length) {
        requests[slot].add(endpoint.region, endpoint.oneSidedOffset(slot), length);
    }

    /** Adds memory of the application to the request of a slot. */
    void add(int slot, MemoryRegion region, long offset, int length) {
        requests[slot].add(region, offset, length);
    }

    /** Gives a slot back whose request was not posted. */
    void abandon(int slot) {
        slots.release(slot);
        outstanding.end();
    }

    /**
     * Posts the request of a slot.
     *
     * @throws IllegalArgumentException if the queue pair refuses it, for example for a region of another domain; the slot is free again.
     */
    PostStatus post(int slot, OneSidedCallback callback, long id) {
        ids[slot] = id;
        callbacks.set(slot, callback);
        boolean posted = false;
        try {
            posted = endpoint.queuePair.postSend(requests[slot].id(Work.id(Work.ONE_SIDED, slot)));
        } catch (IllegalStateException e) {
            // The queue pair or its NIC was closed. The end of the connection may have called the callback already.
            if (callbacks.getAndSet(slot, null) == null) {
                posted = true;
                return PostStatus.POSTED;
            }
            return PostStatus.NOT_CONNECTED;
        } finally {
            if (!posted) {
                callbacks.set(slot, null);
                abandon(slot);
            }
        }
        return posted ? PostStatus.POSTED : PostStatus.FULL;
    }

    /** Dispatching thread: an operation has completed. */
    void onCompletion(int slot, WorkCompletion completion) {
        OneSidedCallback callback = callbacks.getAndSet(slot, null);
        if (callback == null) {
            return;
        }
        long id = ids[slot];
        if (!completion.isSuccess()) {
            abandon(slot);
            callback.onDone(id, 0, explain(completion));
            return;
        }
        long value = completion.operation().isAtomic() ? landings[slot].getLong(0) : completion.byteLength();
        if (callback instanceof Landed landed) {
            landed.take(landings[slot]);
        }
        // Free before the callback, which may start the next operation.
        abandon(slot);
        callback.onDone(id, value, null);
    }

    private static String explain(WorkCompletion completion) {
        return completion.explanation().isEmpty() ? completion.status().sentence() : completion.explanation();
    }

    /** Whether a thread was refused and would not be now; once. */
    boolean isWritableAgain() {
        if (refused && !slots.isEmpty()) {
            refused = false;
            return true;
        }
        return false;
    }

    /** The connection has ended and its queue pair is closed: nothing completes any more. */
    void failAll(String why) {
        for (int slot = 0; slot < callbacks.length(); slot++) {
            OneSidedCallback callback = callbacks.getAndSet(slot, null);
            if (callback != null) {
                callback.onDone(ids[slot], 0, why);
            }
        }
    }
}
