package io.rxe.net;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

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
        List<Thread> threads = new ArrayList<>();
        for (NicConnections nic : open) {
            try {
                Thread thread = new Thread(nic::disconnectAll, "rxe-exit-" + nic);
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            } catch (OutOfMemoryError e) {
                // The process may have no more threads: this one does it, without the limit.
                nic.disconnectAll();
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
