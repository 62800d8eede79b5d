package io.rxe.connect;

/** The set-up callback of a connection, on the thread that makes the connection: it must return before the connection can begin or end. */
final class SetUp {
    private final Thread thread = Thread.currentThread();
    private volatile boolean over;

    /** It returned or threw, and what follows from that is done. */
    void end() {
        over = true;
    }

    boolean isOver() {
        return over;
    }

    /** Whether the current thread is in it. */
    boolean isHere() {
        return !over && Thread.currentThread() == thread;
    }

    /** The line where it is now, or null. Any thread. */
    String running() {
        return over ? null : CallbackLine.of(thread);
    }
}
