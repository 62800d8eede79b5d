package io.rxe.net;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Ends the connections of the NICs that are open when the process exits in order (end of main, System.exit, Ctrl-C, SIGTERM), as a kernel
 * does for its processes. One shutdown hook for all NICs, there only while a NIC with connection management is open.
 */
final class ExitHook {
    /** Longest delay of the exit, also when the thread of an engine is blocked. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Set<NicConnections> OPEN = new HashSet<>();
    private static Thread hook;

    private ExitHook() {
    }

    /** A NIC has connection management from now on. */
    static void add(NicConnections nic) {
        synchronized (OPEN) {
            OPEN.add(nic);
            if (hook == null) {
                hook = new Thread(ExitHook::run, "rxe-exit");
                try {
                    Runtime.getRuntime().addShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // The process is ending already: whoever opens a NIC now has to close it.
                    hook = null;
                }
            }
        }
    }

    /** A NIC is closed. */
    static void remove(NicConnections nic) {
        synchronized (OPEN) {
            if (OPEN.remove(nic) && OPEN.isEmpty() && hook != null) {
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // The process is ending: the hook runs, and finds no NIC.
                }
                hook = null;
            }
        }
    }

    /** Whether the hook is registered. For tests. */
    static boolean isRegistered() {
        synchronized (OPEN) {
            return hook != null;
        }
    }

    private static void run() {
        List<NicConnections> open;
        synchronized (OPEN) {
            open = List.copyOf(OPEN);
        }
        endEach(open, NicConnections::disconnectAll, Thread::new);
    }

    /** Ends each at once, in threads of their own; where the process may have no more threads, one after another and without the limit. */
    static <T> void endEach(Collection<T> open, Consumer<T> end, ThreadFactory factory) {
        List<Thread> threads = new ArrayList<>();
        List<T> left = new ArrayList<>();
        for (T nic : open) {
            try {
                Thread thread = factory.newThread(() -> end.accept(nic));
                thread.setName("rxe-exit-" + nic);
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            } catch (OutOfMemoryError e) {
                left.add(nic);
            }
        }
        for (T nic : left) {
            try {
                end.accept(nic);
            } catch (Throwable e) {
                // The next has its turn. It is reported as if this NIC had a thread.
                Thread.currentThread().getUncaughtExceptionHandler().uncaughtException(Thread.currentThread(), e);
            }
        }
        long endNs = System.nanoTime() + LIMIT_NS;
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            // The process ends now.
            Thread.currentThread().interrupt();
        }
    }
}
