package io.rxe.qp;

import io.rxe.ring.Ring;

/**
 * Where a responder takes receive requests from: the queue pair's own ring, or one that several queue pairs share.
 *
 * <p>A request is copied out when a message begins to use it, so that queue pairs sharing a ring do not hold each other up. Taken by
 * one engine thread only: queue pairs that share a queue live on the same engine.
 */
public final class ReceiveQueue {
    private volatile Ring<ReceiveWqe> ring;
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

    /** Engine, while nobody posts: moves what is queued to a ring of another size. */
    public void resize(int minimumCapacity) {
        int queued = ring.size();
        Ring<ReceiveWqe> larger = new Ring<>(minimumCapacity, ReceiveWqe::new);
        if (larger.capacity() < queued) {
            throw new IllegalArgumentException("capacity " + minimumCapacity + " < " + queued + " requests that are queued: take more");
        }
        for (long index = ring.consumerIndex(); index < ring.producerIndex(); index++) {
            larger.claim().copyFrom(ring.get(index));
            larger.publish();
        }
        ring = larger;
    }

    public Ring<ReceiveWqe> ring() {
        return ring;
    }

    public boolean isShared() {
        return shared;
    }

    /** Takes the oldest request; false when there is none. */
    public boolean take(ReceiveWqe into) {
        Ring<ReceiveWqe> from = ring;
        long index = from.consumerIndex();
        if (index == from.producerIndex()) {
            return false;
        }
        into.copyFrom(from.get(index));
        from.release(index + 1);
        if (limit != 0 && from.size() < limit) {
            limit = 0;
            limitReached.run();
        }
        return true;
    }
}
