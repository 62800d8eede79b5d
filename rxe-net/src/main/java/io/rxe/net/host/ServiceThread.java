package io.rxe.net.host;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that serves until it has nothing to serve any more: neither an exception nor an Error of one round ends it, nor an interrupt,
 * for what comes later is not to be lost with what failed.
 */
public final class ServiceThread {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private ServiceThread() {
    }

    /** What the thread does over and over. */
    @FunctionalInterface
    public interface Round {
        /** Waits for something to do, and does it; returns false for the last round. */
        boolean serve() throws InterruptedException;
    }

    /** Starts a daemon thread. What a round throws goes to its handler of uncaught exceptions. */
    public static void start(String name, Round round) {
        Thread thread = new Thread(() -> run(round), name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void run(Round round) {
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = round.serve();
            } catch (InterruptedException e) {
                // Somebody else's, as of all threads of a group: it is forgotten.
                continue;
            } catch (Throwable e) {
                survive(e);
            }
        }
    }

    /** Reports what ended a round, and waits a moment: it is most likely the heap, which others may free meanwhile. */
    private static void survive(Throwable thrown) {
        report(thrown);
        LockSupport.parkNanos(PAUSE_NS);
    }

    /** Passes what was thrown to the handler of this thread, which goes on. Any thread. */
    public static void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } catch (Throwable e) {
            // The handler may be the application's. Java ignores what it throws, and the thread has to continue.
            return;
        }
    }
}
