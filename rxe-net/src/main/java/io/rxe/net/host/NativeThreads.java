package io.rxe.net.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/** Whether this process may start the threads of a NIC: one that is refused in the middle of opening leaves much to undo. */
public final class NativeThreads {
    /** The watchdog, and one for the events of the NIC. */
    private static final int BESIDE_ENGINES = 2;

    private NativeThreads() {
    }

    /**
     * Starts as many threads as a NIC with this number of engines has, and ends them.
     *
     * @throws IOException that names need, limit and remedy.
     */
    public static void require(int engines) throws IOException {
        require(engines, Thread::new);
    }

    static void require(int engines, ThreadFactory factory) throws IOException {
        int needed = BESIDE_ENGINES + engines;
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> started = new ArrayList<>();
        try {
            while (started.size() < needed) {
                Thread thread = factory.newThread(() -> await(end));
                thread.setDaemon(true);
                thread.start();
                started.add(thread);
            }
        } catch (OutOfMemoryError e) {
            throw new IOException("a NIC of " + engines + (engines == 1 ? " engine" : " engines") + " needs " + needed + " threads, and the"
                + " system refuses all but " + started.size() + " (" + e.getMessage() + "): raise the limit of threads (ulimit -u, or"
                + " pids.max of the cgroup), or end some", e);
        } finally {
            end.countDown();
            started.forEach(NativeThreads::join);
        }
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            // Then it ends now.
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
