package io.rxe.device;

import io.rxe.qp.context.ReceiveQueue;
import io.rxe.verbs.ReceiveRequest;
import java.util.Objects;

/** The application's end of a receive queue, shared or not. */
abstract class ReceiveEnd extends BatchEnd<ReceiveRequest> {
    private final ReceiveQueue queue;

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

    @Override
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
            if (done) {
                publish(1);
            }
        } finally {
            end.leave();
        }
        if (done) {
            request.onPosted();
            onPosted();
        }
        return done;
    }

    @Override
    final boolean queue(ReceiveRequest request) {
        check(request);
        ReceiveRequest slot = queue.ring().claim(queued());
        if (slot == null) {
            return false;
        }
        if (slot != request) {
            slot.copyFrom(request);
        }
        return true;
    }

    @Override
    final void publish(int requests) {
        queue.ring().publish(requests);
    }

    @Override
    final void drop(int requests) {
        // The next ones take their slots.
    }

    /** Runs a change unless a thread is posting, as tryLock would. Returns whether it has run. */
    final boolean alone(Runnable change) {
        boolean isAlone = end.tryEnter();
        if (isAlone) {
            try {
                change.run();
            } finally {
                end.leave();
            }
        }
        return isAlone;
    }

    @Override
    final ReceiveRequest claim() {
        ReceiveRequest slot = queue.ring().claim(queued());
        return (slot == null ? new ReceiveRequest() : slot).clear();
    }
}
