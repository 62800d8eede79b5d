package io.rxe.connect;

import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReference;

/** The one-sided operations of one connection in flight: each has a slot with its request, its callback and a landing buffer. */
final class OneSidedRequests {
    /** A callback that takes data out of the landing buffer before the slot is free again. */
    interface Landed extends OneSidedCallback {
        void take(ByteBuffer landing);
    }

    /** One slot. An object of its own, so that threads that use different slots mostly do not share a cache line. */
    private static final class Place {
        final WorkRequest request = new WorkRequest();
        final ByteBuffer landing;
        /** Who takes a callback out calls it: the dispatching thread, the end of the connection, or the thread whose post failed. */
        final AtomicReference<OneSidedCallback> callback = new AtomicReference<>();
        long id;

        Place(ByteBuffer landing) {
            this.landing = landing;
        }
    }

    private final Endpoint endpoint;
    private final RequestSlots slots;
    private final Place[] places;

    /** @param onRoom runs on any thread when an operation was given up for whose slot another may have been refused. */
    OneSidedRequests(Endpoint endpoint, ConnectOptions options, Outstanding outstanding, Runnable onRoom) {
        this.endpoint = endpoint;
        slots = new RequestSlots(options.oneSidedDepth(), null, outstanding, onRoom);
        places = new Place[slots.size()];
        for (int slot = 0; slot < places.length; slot++) {
            places[slot] = new Place(endpoint.view(endpoint.oneSidedOffset(slot)).order(ByteOrder.nativeOrder()));
        }
    }

    /** The slots of the operations. */
    RequestSlots slots() {
        return slots;
    }

    /** The request of a slot, for the caller to fill in. */
    WorkRequest request(int slot) {
        return places[slot].request;
    }

    /** The landing buffer of a slot, in the byte order of this host. */
    ByteBuffer landing(int slot) {
        return places[slot].landing;
    }

    /** Adds the landing buffer to the request of a slot. */
    void addLanding(int slot, int length) {
        places[slot].request.add(endpoint.region, endpoint.oneSidedOffset(slot), length);
    }

    /** Adds memory of the application to the request of a slot. */
    void add(int slot, MemoryRegion region, long offset, int length) {
        places[slot].request.add(region, offset, length);
    }

    /**
     * Posts the request of a slot.
     *
     * @throws IllegalArgumentException if the queue pair refuses it, for example for a region of another domain; the slot is free again.
     */
    PostStatus post(int slot, OneSidedCallback callback, long id) {
        Place place = places[slot];
        place.id = id;
        place.callback.set(callback);
        boolean posted = false;
        try {
            posted = endpoint.queuePair.postSend(place.request.id(Work.id(Work.ONE_SIDED, slot)));
        } catch (IllegalStateException e) {
            // The queue pair or its NIC was closed. The end of the connection may have called the callback already.
            if (place.callback.getAndSet(null) == null) {
                posted = true;
                return PostStatus.POSTED;
            }
            return PostStatus.NOT_CONNECTED;
        } finally {
            if (!posted) {
                place.callback.set(null);
                slots.abandon(slot);
            }
        }
        return posted ? PostStatus.POSTED : PostStatus.FULL;
    }

    /** Dispatching thread: an operation has completed. */
    void onCompletion(int slot, WorkCompletion completion) {
        Place place = places[slot];
        OneSidedCallback callback = place.callback.getAndSet(null);
        if (callback == null) {
            return;
        }
        long id = place.id;
        if (!completion.isSuccess()) {
            slots.release(slot);
            callback.onDone(id, 0, explain(completion));
            return;
        }
        long value = completion.operation().isAtomic() ? place.landing.getLong(0) : completion.byteLength();
        if (callback instanceof Landed landed) {
            landed.take(place.landing);
        }
        // Free before the callback, which may start the next operation.
        slots.release(slot);
        callback.onDone(id, value, null);
    }

    /** Why a request failed, in a sentence. */
    static String explain(WorkCompletion completion) {
        return completion.explanation().isEmpty() ? completion.status().sentence() : completion.explanation();
    }

    /** The connection has ended and its queue pair is closed: nothing completes any more. What a callback throws is reported. */
    void failAll(String why) {
        for (Place place : places) {
            OneSidedCallback callback = place.callback.getAndSet(null);
            if (callback != null) {
                ConnectionThread.guarded(() -> callback.onDone(place.id, 0, why));
            }
        }
    }
}
