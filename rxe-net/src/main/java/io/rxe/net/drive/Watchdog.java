package io.rxe.net.drive;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread for all NICs of the process, which checks their engines from outside. It ends when there is no NIC.
 *
 * <p>Its own work needs no memory: it must go on where everything else has run out of it.
 */
public final class Watchdog {
    /** Between two ticks. */
    static final long PERIOD_MS = 100;
    private static final int IDLE_TICKS = 50;
    private static final Runnable[] NONE = {};

    private static final Watchdog OF_PROCESS = new Watchdog();

    /** Replaced as a whole. */
    private volatile Runnable[] watched = NONE;
    private Thread thread;
    private int idleTicks;

    private Watchdog() {
    }

    /** Runs a task at every tick until {@link #forget}, whatever it throws. */
    public static void watch(Runnable tick) {
        OF_PROCESS.add(tick);
    }

    /** Ends {@link #watch}; no effect for a task that is not watched. */
    public static void forget(Runnable tick) {
        OF_PROCESS.remove(tick);
    }

    private synchronized void add(Runnable tick) {
        Runnable[] more = new Runnable[watched.length + 1];
        System.arraycopy(watched, 0, more, 1, watched.length);
        more[0] = tick;
        if (thread == null || !thread.isAlive()) {
            Thread started = new Thread(this::run, "rxe-watchdog");
            started.setDaemon(true);
            started.start();
            thread = started;
        }
        idleTicks = 0;
        watched = more;
    }

    private synchronized void remove(Runnable tick) {
        Runnable[] before = watched;
        for (int place = 0; place < before.length; place++) {
            if (before[place] == tick) {
                Runnable[] fewer = new Runnable[before.length - 1];
                System.arraycopy(before, 0, fewer, 0, place);
                System.arraycopy(before, place + 1, fewer, place, fewer.length - place);
                watched = fewer;
                return;
            }
        }
    }

    private void run() {
        while (isNeeded()) {
            // Somebody else's interrupt, as of all threads of a group: with it no park would wait, and no tick could read a file.
            Thread.interrupted();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PERIOD_MS));
            Runnable[] now = watched;
            for (int i = 0; i < now.length; i++) {
                tick(now[i]);
            }
        }
    }

    private static void tick(Runnable watched) {
        try {
            watched.run();
        } catch (Throwable e) {
            // Most likely out of heap: the next tick tries again.
            return;
        }
    }

    /** Whether there was a NIC in the last ticks. Otherwise the thread ends, and the next NIC starts another. */
    private synchronized boolean isNeeded() {
        idleTicks = watched.length > 0 ? 0 : idleTicks + 1;
        boolean isNeeded = idleTicks <= IDLE_TICKS;
        if (!isNeeded) {
            thread = null;
        }
        return isNeeded;
    }
}
