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
    private boolean posted;

    /** A cleared request to fill in: the slot of the queue to publish next, or another when that is full. */
    abstract R claim();

    /** Checks a request and queues it; false when the queue is full. By the thread that has entered. */
    abstract boolean queue(R request);

    /** Requests were queued, and other threads may post again. */
    abstract void onPosted();

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
