package io.rxe.device;

import io.rxe.qp.context.ReceiveQueue;
import io.rxe.ring.SharedEnd;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.RequestBatch;
import java.util.Objects;

/** The application's end of a receive queue, shared or not: one thread at a time checks requests and queues them. */
abstract class ReceiveEnd implements RequestBatch<ReceiveRequest> {
    private final ReceiveQueue queue;
    private final SharedEnd end = new SharedEnd();
    /** The request of a batch that is being filled in: the slot to publish next, or none of the queue's when that is full. */
    private ReceiveRequest current;
    private boolean posted;

    ReceiveEnd(ReceiveQueue queue) {
        this.queue = queue;
    }

    /**
     * Refuses a request that could never be used, or that the queue cannot take now.
     *
     * @throws IllegalArgumentException naming the value, the limit and the remedy.
     * @throws IllegalStateException    naming what is closed or in the wrong state.
     */
    abstract void check(ReceiveRequest request);

    /** Requests were queued, and other threads may post again. */
    void onPosted() {
        // The engine looks at a queue when a message arrives.
    }

    /** Copies a request into the queue; false when that is full. */
    final boolean post(ReceiveRequest request) {
        Objects.requireNonNull(request, "the request is null: give one to copy");
        boolean done;
        end.enter();
        try {
            done = queue(request);
        } finally {
            end.leave();
        }
        if (done) {
            request.onPosted();
            onPosted();
        }
        return done;
    }

    private boolean queue(ReceiveRequest request) {
        check(request);
        ReceiveRequest slot = queue.ring().claim();
        if (slot == null) {
            return false;
        }
        if (slot != request) {
            slot.copyFrom(request);
        }
        queue.ring().publish();
        return true;
    }

    /** Runs something while nobody posts. */
    final void alone(Runnable change) {
        end.enter();
        try {
            change.run();
        } finally {
            end.leave();
        }
    }

    final ReceiveEnd begin() {
        end.hold();
        return this;
    }

    @Override
    public final ReceiveRequest next() {
        end.checkHeld();
        ReceiveRequest slot = queue.ring().claim();
        current = slot == null ? new ReceiveRequest() : slot;
        return current.clear();
    }

    @Override
    public final boolean post() {
        end.checkHeld();
        if (current == null) {
            throw new IllegalStateException("the batch has no request to post: call next() before each post()");
        }
        boolean done = queue(current);
        if (done) {
            // The engine's from now on.
            current = null;
            posted = true;
        }
        return done;
    }

    @Override
    public final void close() {
        if (!end.isHeld()) {
            return;
        }
        boolean isNotified = posted;
        posted = false;
        current = null;
        end.release();
        if (isNotified) {
            onPosted();
        }
    }
}
