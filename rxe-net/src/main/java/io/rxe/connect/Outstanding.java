package io.rxe.connect;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the requests of the application in flight, and lets new ones begin while the connection is open. Any thread.
 *
 * <pre>
 *   CONNECTING --open--> OPEN --close--> CLOSED
 * </pre>
 */
final class Outstanding {
    private enum State {
        CONNECTING, OPEN, CLOSED
    }

    private final AtomicInteger count = new AtomicInteger();
    private final Runnable onIdle;
    private volatile State state = State.CONNECTING;

    /** @param onIdle runs, perhaps several times and on any thread, when it is closed and nothing is in flight. */
    Outstanding(Runnable onIdle) {
        this.onIdle = onIdle;
    }

    /** Whether a request may begin; if so, {@link #end} must follow. */
    boolean begin() {
        count.incrementAndGet();
        if (state == State.OPEN) {
            return true;
        }
        end();
        return false;
    }

    /** A request has ended. */
    void end() {
        if (count.decrementAndGet() == 0 && state == State.CLOSED) {
            onIdle.run();
        }
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Requests may begin, unless it was closed before. */
    synchronized void open() {
        if (state == State.CONNECTING) {
            state = State.OPEN;
        }
    }

    /** No request may begin any more. */
    void close() {
        synchronized (this) {
            state = State.CLOSED;
        }
        if (count.get() == 0) {
            onIdle.run();
        }
    }
}
