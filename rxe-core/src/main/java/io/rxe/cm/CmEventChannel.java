package io.rxe.cm;

import io.rxe.cm.exchange.ExchangeObserver;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Holds the events of listeners and connections, oldest first ({@code man 3 rdma_create_event_channel}). One channel may serve many.
 *
 * <p>Bounded, and no event is ever lost: a connection reserves room for all its events when it begins, and cannot begin without. Any
 * thread may take events. Taking the peer's reply to a connect brings the queue pair to RTS on the taking thread.
 */
public final class CmEventChannel {
    /** Events of one connection at most. */
    static final int EVENTS_PER_CONNECTION = ExchangeObserver.MAX_EVENTS;
    private static final int DEFAULT_CAPACITY = 32_768;

    private final LinkedBlockingQueue<Supplier<CmEvent>> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger free;
    private final Runnable listener;

    /** A channel of 32768 events, enough for 8192 connections. */
    public CmEventChannel() {
        this(DEFAULT_CAPACITY);
    }

    /**
     * @param capacity events it can hold, at least 4: four per connection, until the connection has ended and its events are taken.
     * @throws IllegalArgumentException for less.
     */
    public CmEventChannel(int capacity) {
        this(capacity, () -> { });
    }

    /**
     * A channel for a thread that also waits for other things.
     *
     * @param capacity events it can hold, at least 4.
     * @param listener runs after an event was added, on the engine's thread in the middle of its work: must not block, throw or call an
     *                 engine.
     * @throws IllegalArgumentException for a smaller capacity.
     */
    public CmEventChannel(int capacity, Runnable listener) {
        if (capacity < EVENTS_PER_CONNECTION) {
            throw new IllegalArgumentException("event channel of " + capacity + " events < " + EVENTS_PER_CONNECTION
                + ": one connection needs that many");
        }
        this.free = new AtomicInteger(capacity);
        this.listener = listener;
    }

    /** Takes the next event, or returns null if there is none. */
    public CmEvent poll() {
        Supplier<CmEvent> next = queue.poll();
        while (next != null) {
            CmEvent event = take(next);
            if (event != null) {
                return event;
            }
            next = queue.poll();
        }
        return null;
    }

    /**
     * Waits for the next event.
     *
     * @param timeoutNs longest wait in nanoseconds; starts anew after an event that is skipped because its
     *                  listener or connection was closed.
     * @return the event, or null after the timeout.
     * @throws InterruptedException if the waiting thread is interrupted.
     */
    public CmEvent await(long timeoutNs) throws InterruptedException {
        Supplier<CmEvent> next = queue.poll(timeoutNs, TimeUnit.NANOSECONDS);
        while (next != null) {
            CmEvent event = take(next);
            if (event != null) {
                return event;
            }
            next = queue.poll(timeoutNs, TimeUnit.NANOSECONDS);
        }
        return null;
    }

    private CmEvent take(Supplier<CmEvent> next) {
        release(1);
        return next.get();
    }

    /** Engine: reserves room for the events of one more connection; false if there is none. */
    boolean reserve() {
        int places = free.get();
        while (places >= EVENTS_PER_CONNECTION) {
            if (free.compareAndSet(places, places - EVENTS_PER_CONNECTION)) {
                return true;
            }
            places = free.get();
        }
        return false;
    }

    /** Releases reserved room. */
    void release(int places) {
        free.addAndGet(places);
    }

    /**
     * Engine: adds an event, for which room was reserved.
     *
     * @param event run by the thread that takes the event; returns null if the application shall not receive it.
     */
    void add(Supplier<CmEvent> event) {
        queue.add(event);
        listener.run();
    }
}
