package io.rxe.qp.context;

import io.rxe.ring.Ring;
import io.rxe.verbs.ReceiveRequest;

/**
 * The receive queue of a queue pair, or a shared receive queue (SRQ).
 *
 * <p>A request is copied out when a message begins to use it, so that queue pairs of an SRQ do not block each other. Only one engine thread
 * takes requests: queue pairs that share a queue belong to the same engine.
 */
public final class ReceiveQueue {
    private volatile Ring<ReceiveRequest> ring;
    private final boolean shared;
    private final int domain;
    private Runnable limitReached;
    private volatile int limit;
    private volatile boolean creditsLow;

    /**
     * @param shared whether several queue pairs take from it.
     * @param domain number of the protection domain that has the memory of its requests; a queue pair may be of another.
     */
    public ReceiveQueue(Ring<ReceiveRequest> ring, boolean shared, int domain) {
        this.ring = ring;
        this.shared = shared;
        this.domain = domain;
    }

    /** Number of the protection domain that has the memory of its requests. */
    public int domain() {
        return domain;
    }

    /** Sets what runs, once, when fewer requests than the limit are left. */
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

    /** Engine, while the lock keeps every thread from posting: moves the queued requests to a ring of another size. */
    public void resize(int minimumCapacity) {
        int queued = ring.size();
        Ring<ReceiveRequest> larger = new Ring<>(minimumCapacity, ReceiveRequest::new);
        if (larger.capacity() < queued) {
            throw new IllegalArgumentException("capacity " + minimumCapacity + " < " + queued + " queued requests: choose a larger one");
        }
        for (long index = ring.consumerIndex(); index < ring.producerIndex(); index++) {
            larger.claim().copyFrom(ring.get(index));
            larger.publish();
        }
        ring = larger;
    }

    public Ring<ReceiveRequest> ring() {
        return ring;
    }

    public boolean isShared() {
        return shared;
    }

    /** Engine: the peer knows of few receive requests, so it needs a grant when more are posted (rule R19). */
    public void creditsLow(boolean low) {
        creditsLow = low;
    }

    /** Whether the engine has to be woken after a post. Read it after the post and a full fence. */
    public boolean isCreditsLow() {
        return creditsLow;
    }

    /** Takes the oldest request; false when there is none. */
    public boolean take(ReceiveRequest into) {
        Ring<ReceiveRequest> from = ring;
        long index = from.consumerIndex();
        if (index == from.producerIndex()) {
            return false;
        }
        into.copyFrom(from.get(index));
        int armed = limit;
        if (armed != 0 && from.size() <= armed) {
            reportLimit(armed);
        }
        from.release(index + 1);
        return true;
    }

    /** Before the request is taken: where memory is used up, it stays for another queue pair, and so does the limit. */
    private void reportLimit(int armed) {
        // Before the event, on which the application arms it again.
        limit = 0;
        try {
            limitReached.run();
        } catch (OutOfMemoryError noMemory) {
            // Not after anything else that a listener throws: the event is queued then, and each queue pair would fail.
            limit = armed;
            throw noMemory;
        }
    }
}
