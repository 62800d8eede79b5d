package io.rxe.qp;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Doorbells that rang, the oldest first, each at most once. A list through the doorbells themselves, as {@link ReadyQueue} is: ringing one
 * needs no memory, so an application whose heap is used up is heard.
 *
 * <p>Any thread rings; the engine's thread polls.
 *
 * @param <T> what a doorbell belongs to.
 */
public final class Doorbells<T> {
    /** The one that rang last; each knows the one that rang before it. */
    private final AtomicReference<Doorbell<T>> last = new AtomicReference<>();
    /** Taken from the list, the oldest first; each knows the one that rang after it. */
    private Doorbell<T> taken;

    /** A doorbell. */
    public static final class Doorbell<T> {
        private final T owner;
        private final AtomicBoolean rung = new AtomicBoolean();
        private Doorbell<T> next;

        public Doorbell(T owner) {
            this.owner = owner;
        }
    }

    /** Rings a doorbell; false when the engine has not answered since it last rang. Any thread. */
    public boolean ring(Doorbell<T> doorbell) {
        if (doorbell.rung.getAndSet(true)) {
            return false;
        }
        Doorbell<T> before;
        do {
            before = last.get();
            doorbell.next = before;
        } while (!last.compareAndSet(before, doorbell));
        return true;
    }

    /** Answers the doorbell that rang first: it may ring again, before its owner is served. Returns the owner, or null when none rang. */
    public T poll() {
        if (taken == null) {
            if (last.get() == null) {
                return null;
            }
            takeAll();
        }
        Doorbell<T> answered = taken;
        taken = answered.next;
        answered.rung.set(false);
        return answered.owner;
    }

    private void takeAll() {
        Doorbell<T> newest = last.getAndSet(null);
        while (newest != null) {
            Doorbell<T> older = newest.next;
            newest.next = taken;
            taken = newest;
            newest = older;
        }
    }
}
