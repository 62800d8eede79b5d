package io.rxe.cm;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where the events of listeners and connections arrive, oldest first. One channel may serve many.
 *
 * <p>Bounded, and yet no event is ever lost: a connection reserves room for all the events it can have when it begins, and cannot
 * begin without. Any thread may take events; taking the answer to a connect brings its queue pair to RTS on the taking thread.
 */
public final class CmEventChannel {
    /** Events one connection can have: request or response, established, its end, the end of its time-wait. */
    static final int EVENTS_OF_A_DIALOGUE = 4;
    private static final int DEFAULT_CAPACITY = 32_768;

    private final LinkedBlockingQueue<CmEvent> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger free;
    private final Runnable listener;

    /** A channel for some 8000 connections. */
    public CmEventChannel() {
        this(DEFAULT_CAPACITY);
    }

    /**
     * @param capacity events it can hold: four for each connection, those that ended count until their events are taken.
     */
    public CmEventChannel(int capacity) {
        this(capacity, () -> { });
    }

    /**
     * A channel for a thread that waits for other things as well.
     *
     * @param capacity events it can hold.
     * @param listener runs when an event has been added, on the engine's thread in the middle of its work: it must not block, throw or
     *                 call an engine.
     */
    public CmEventChannel(int capacity, Runnable listener) {
        if (capacity < EVENTS_OF_A_DIALOGUE) {
            throw new IllegalArgumentException("event channel of " + capacity + " events < " + EVENTS_OF_A_DIALOGUE
                + ": one connection needs that many");
        }
        this.free = new AtomicInteger(capacity);
        this.listener = listener;
    }

    /** Takes the next event, or null when there is none. */
    public CmEvent poll() {
        CmEvent event = queue.poll();
        while (event != null) {
            CmEvent seen = take(event);
            if (seen != null) {
                return seen;
            }
            event = queue.poll();
        }
        return null;
    }

    /**
     * Waits for the next event.
     *
     * @param timeoutNs longest wait in nanoseconds; begins anew when an event has to be passed over because its listener was closed.
     * @return the event, or null after the timeout.
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    public CmEvent await(long timeoutNs) throws InterruptedException {
        CmEvent event = queue.poll(timeoutNs, TimeUnit.NANOSECONDS);
        while (event != null) {
            CmEvent seen = take(event);
            if (seen != null) {
                return seen;
            }
            event = queue.poll(timeoutNs, TimeUnit.NANOSECONDS);
        }
        return null;
    }

    private CmEvent take(CmEvent event) {
        release(1);
        return event.connection().onTaken(event);
    }

    /** Engine: takes room for a new dialogue's events. */
    boolean reserve() {
        int now = free.get();
        while (now >= EVENTS_OF_A_DIALOGUE) {
            if (free.compareAndSet(now, now - EVENTS_OF_A_DIALOGUE)) {
                return true;
            }
            now = free.get();
        }
        return false;
    }

    /** Gives room back. */
    void release(int places) {
        free.addAndGet(places);
    }

    /** Engine: adds an event, for which room was reserved. */
    void add(CmEvent event) {
        queue.add(event);
        listener.run();
    }
}
