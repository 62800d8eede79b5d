package io.rxe.cm;

import io.rxe.cm.exchange.ExchangeObserver;
import io.rxe.verbs.WaitDriver;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Holds the events of listeners and connections, oldest first ({@code man 3 rdma_create_event_channel}). One channel may serve many, of
 * several NICs too.
 *
 * <p>Bounded, and no event is ever lost: a connection reserves room for all its events when it begins, and cannot begin without; nor
 * is an alternate path loaded without room for its event.
 *
 * <p>Any thread may call any method, also several at once; each event goes to one of them. Only {@link #await} blocks. Taking the peer's
 * reply to a connect brings the queue pair to RTS on the taking thread, which runs commands on the threads of engines. So a listener
 * must not take events.
 *
 * <p>When no event can arrive any more, because the channel is closed or all its NICs are closed or failed, what is left can be taken;
 * then {@link #poll} and {@link #await} throw {@link IllegalStateException} with the reason, also in threads that wait.
 */
public final class CmEventChannel implements AutoCloseable {
    /** Events of one connection at most. */
    static final int EVENTS_PER_CONNECTION = ExchangeObserver.MAX_EVENTS;
    private static final int DEFAULT_CAPACITY = 32_768;
    private static final String CLOSED = "the event channel is closed: create another";

    private final ConcurrentLinkedQueue<Waiting> queue = new ConcurrentLinkedQueue<>();
    /** At least one for each event in the queue, those included that threads have just acquired. One acquired too many is dropped. */
    private final Semaphore permits = new Semaphore(0);
    private final AtomicInteger waiters = new AtomicInteger();
    private final AtomicBoolean wakeup = new AtomicBoolean();
    private final Set<Object> sources = ConcurrentHashMap.newKeySet();
    private final AtomicInteger free;
    private final Runnable listener;
    /** Whether the caller is the engine that reports to this channel; of the NIC that came last. */
    private volatile BooleanSupplier onEngine = () -> false;
    /** Drives the NIC while a thread waits; null where the NIC has a thread. Of the NIC that came last. */
    private volatile WaitDriver driver;
    private volatile boolean closed;
    /** Why the last source ended; null before. */
    private volatile String lastEnd;

    /** An event until the application takes it. */
    interface Waiting {
        /** Returns the event for the application, or null if it shall not receive it. On the thread that takes events. */
        CmEvent take();

        /** The channel was closed: nobody will take it. Any thread; waits for no engine. */
        void discard();
    }

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
     * A channel for a thread that also waits for other things; see also {@code io.rxe.net.NicEvents}.
     *
     * @param capacity events it can hold, at least 4.
     * @param listener runs after an event was added, {@link #wakeup} was called or no further event can arrive: on an engine's thread in
     *                 the middle of its work, or on the thread that wakes or closes. It must not block, throw, take events or call an
     *                 engine.
     * @throws IllegalArgumentException for a smaller capacity.
     */
    public CmEventChannel(int capacity, Runnable listener) {
        if (capacity < EVENTS_PER_CONNECTION) {
            throw new IllegalArgumentException("event channel of " + capacity + " events < " + EVENTS_PER_CONNECTION
                + ": one connection needs that many");
        }
        this.free = new AtomicInteger(capacity);
        this.listener = Objects.requireNonNull(listener, "the listener of the event channel is null: give one, or leave it out");
    }

    /**
     * Takes the next event; never waits for one.
     *
     * @return the event, or null if there is none.
     * @throws IllegalStateException if there is none and no event can arrive any more; the message says why.
     */
    public CmEvent poll() {
        while (true) {
            boolean acquired = permits.tryAcquire();
            Waiting next = queue.poll();
            if (next == null) {
                if (acquired && (wakeup.get() || end() != null)) {
                    // It is for a thread that waits.
                    permits.release();
                }
                checkOpen();
                return null;
            }
            CmEvent event = take(next);
            if (event != null) {
                return event;
            }
        }
    }

    private CmEvent take(Waiting next) {
        release(1);
        return next.take();
    }

    /**
     * Waits for the next event. Where the NIC has no thread, the waiting thread drives the NIC that the channel was given to last.
     *
     * @param timeoutNs longest wait in nanoseconds, 0 or less for none; starts again after an event that is skipped because its listener
     *                  or connection was closed. {@link Long#MAX_VALUE} waits for ever.
     * @return the event; null after the timeout or {@link #wakeup}.
     * @throws IllegalStateException if no event is left and none can arrive any more; the message says why. At once, also when that
     *                               happens during the wait. In a listener with a timeout above 0: it would wait for the engine that
     *                               runs it.
     * @throws InterruptedException  if the waiting thread is interrupted.
     */
    public CmEvent await(long timeoutNs) throws InterruptedException {
        if (timeoutNs > 0 && onEngine.getAsBoolean()) {
            throw new IllegalStateException("await in a listener waits for the engine that runs the listener: await on another thread,"
                + " or have the listener wake one");
        }
        waiters.incrementAndGet();
        try {
            while (true) {
                boolean signaled = end() == null && WaitDriver.acquire(permits, driver, timeoutNs);
                Waiting next = queue.poll();
                CmEvent event = next == null ? null : take(next);
                if (event != null) {
                    return event;
                }
                if (next == null) {
                    checkOpen();
                    if (!signaled || wakeup.getAndSet(false)) {
                        return null;
                    }
                }
            }
        } finally {
            waiters.decrementAndGet();
        }
    }

    /** Has one thread return null from {@link #await}: one that waits, or else the next that would. Several calls may count as one. */
    public void wakeup() {
        if (!wakeup.getAndSet(true)) {
            permits.release();
        }
        listener.run();
    }

    /**
     * Closes the channel. Events in it are discarded, requests among them are rejected, and listeners with this channel reject what
     * arrives; close them first to be polite. Connections stay connected, and nothing reports their end. Idempotent.
     */
    @Override
    public void close() {
        closed = true;
        for (Waiting next = queue.poll(); next != null; next = queue.poll()) {
            release(1);
            next.discard();
        }
        onEnd();
    }

    /** Why no event can arrive any more; null while one can. */
    private String end() {
        return closed ? CLOSED : sources.isEmpty() ? lastEnd : null;
    }

    private void checkOpen() {
        String why = end();
        if (why != null) {
            throw new IllegalStateException(why);
        }
    }

    private void onEnd() {
        permits.release(waiters.get());
        listener.run();
    }

    /**
     * Connection management of a NIC sends events from now on.
     *
     * @param whileWaiting drives the NIC while a thread waits; null where it has a thread.
     * @throws IllegalStateException if the channel is closed.
     */
    void attach(Object source, BooleanSupplier onEngineThread, WaitDriver whileWaiting) {
        checkNotClosed();
        onEngine = onEngineThread;
        driver = whileWaiting;
        sources.add(source);
    }

    void checkNotClosed() {
        if (closed) {
            throw new IllegalStateException(CLOSED);
        }
    }

    /** Connection management of a NIC sends no event any more, but for what happens to a failed NIC's connections. */
    void detach(Object source, String why) {
        lastEnd = why;
        sources.remove(source);
        // Also when it was removed before: who could not finish for want of memory calls again.
        if (sources.isEmpty()) {
            onEnd();
        }
    }

    /** Engine: reserves room for some events of a connection; false if there is none. */
    boolean reserve(int events) {
        int places = closed ? 0 : free.get();
        while (places >= events) {
            if (free.compareAndSet(places, places - events)) {
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

    /** Engine: adds an event, for which room was reserved. */
    void add(Waiting event) {
        queue.add(event);
        permits.release();
        if (closed && queue.remove(event)) {
            release(1);
            event.discard();
        }
        listener.run();
    }
}
