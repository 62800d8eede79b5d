package io.rxe.qp;

import io.rxe.ring.Ring;

/**
 * Where a responder takes receive requests from: the queue pair's own ring, or one that several queue pairs share.
 *
 * <p>A request is copied out when a message begins to use it, so that queue pairs sharing a ring do not hold each other up. Taken by
 * one engine thread only: queue pairs that share a queue live on the same engine.
 */
public final class ReceiveQueue {
    private final Ring<ReceiveWqe> ring;
    private final boolean shared;
    private Runnable limitReached;
    private volatile int limit;

    /** @param shared whether several queue pairs take from it. */
    public ReceiveQueue(Ring<ReceiveWqe> ring, boolean shared) {
        this.ring = ring;
        this.shared = shared;
    }

    /** What to do, once, when fewer requests than the limit are left. */
    public void onLimitReached(Runnable action) {
        limitReached = action;
    }

    /** Arms the limit: 0 disarms it. Any thread. */
    public void limit(int requests) {
        limit = requests;
    }

    public int limit() {
        return limit;
    }

    public Ring<ReceiveWqe> ring() {
        return ring;
    }

    public boolean isShared() {
        return shared;
    }

    /** Takes the oldest request; false when there is none. */
    public boolean take(ReceiveWqe into) {
        long index = ring.consumerIndex();
        if (index == ring.producerIndex()) {
            return false;
        }
        into.copyFrom(ring.get(index));
        ring.release(index + 1);
        if (limit != 0 && ring.size() < limit) {
            limit = 0;
            limitReached.run();
        }
        return true;
    }
}
