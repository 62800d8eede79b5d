package io.rxe.connect;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;

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

    /** Elements of two cache lines: the threads that begin requests and the one that ends them do not slow each other down. */
    private static final int BEGUN = 16;
    private static final int ENDED = 32;

    private final AtomicLongArray counts = new AtomicLongArray(48);
    private final Runnable onIdle;
    private final List<Runnable> onClosed = new CopyOnWriteArrayList<>();
    private volatile State state = State.CONNECTING;

    /** @param onIdle runs, perhaps several times and on any thread, when it is closed and nothing is in flight. */
    Outstanding(Runnable onIdle) {
        this.onIdle = onIdle;
    }

    /** @param listener runs when it is closed, on the closing thread. */
    void onClosed(Runnable listener) {
        onClosed.add(listener);
    }

    /** Whether a request may begin; if so, {@link #end} must follow. */
    boolean begin() {
        counts.incrementAndGet(BEGUN);
        if (state == State.OPEN) {
            return true;
        }
        end();
        return false;
    }

    /** A request has ended. */
    void end() {
        end(1);
    }

    /** So many requests have ended. */
    void end(int number) {
        long ended = counts.addAndGet(ENDED, number);
        // Once it is closed, nothing begins that does not end at once.
        if (state == State.CLOSED && ended == counts.get(BEGUN)) {
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
        onClosed.forEach(Runnable::run);
        if (counts.get(ENDED) == counts.get(BEGUN)) {
            onIdle.run();
        }
    }
}
