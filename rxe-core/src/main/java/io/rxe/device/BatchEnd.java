package io.rxe.device;

import io.rxe.ring.SharedEnd;
import io.rxe.verbs.RequestBatch;

/**
 * The application's end of a queue: one thread at a time checks requests and queues them, or has it for a batch.
 *
 * @param <R> the requests of the queue.
 */
abstract class BatchEnd<R> implements RequestBatch<R> {
    final SharedEnd end = new SharedEnd();
    /** The request of a batch that is being filled in; null when it has been posted. */
    private R current;
    /** Requests that are queued and not published. Those of a batch are published together at its end: until then it may withdraw them. */
    private int queued;

    /** A cleared request to fill in: the slot of the queue to publish next, or another when that is full. */
    abstract R claim();

    /** Checks a request and queues it behind {@link #queued}; false when the queue is full. By the thread that has entered. */
    abstract boolean queue(R request);

    /** Hands a number of queued requests to the engine. */
    abstract void publish(int requests);

    /** Forgets all queued requests. */
    abstract void drop(int requests);

    /** Requests were queued, and other threads may post again. */
    abstract void onPosted();

    final int queued() {
        return queued;
    }

    final RequestBatch<R> begin() {
        end.hold();
        return this;
    }

    @Override
    public final R next() {
        end.checkHeld();
        current = claim();
        return current;
    }

    @Override
    public final boolean post() {
        end.checkHeld();
        if (current == null) {
            throw new IllegalStateException("the batch has no request to post: call next() before each post()");
        }
        boolean done = queue(current);
        if (done) {
            current = null;
            queued++;
        }
        return done;
    }

    @Override
    public final void withdraw() {
        end.checkHeld();
        int withdrawn = queued;
        current = null;
        queued = 0;
        drop(withdrawn);
    }

    @Override
    public final void close() {
        if (!end.isHeld()) {
            return;
        }
        boolean isNotified = queued > 0;
        if (isNotified) {
            publish(queued);
        }
        queued = 0;
        current = null;
        end.release();
        if (isNotified) {
            onPosted();
        }
    }
}
