package io.rxe.net.drive;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread that waits for the file system in place of an engine's thread: FLUSH to persistence. It starts with the first work and ends
 * when it was idle for a while. Any thread.
 */
final class FileWriter implements AutoCloseable {
    /** Most work that waits. A queue pair has one FLUSH at a time; beyond that the engine does the work itself, which slows the peers. */
    static final int MAX_WAITING = 1024;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;

    /** @param name of the thread. */
    FileWriter(String name) {
        executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        }, new ThreadPoolExecutor.CallerRunsPolicy());
        executor.allowCoreThreadTimeOut(true);
    }

    /** Runs work soon, or before this returns when too much waits. After {@link #close} it is dropped. */
    void execute(Runnable work) {
        executor.execute(work);
    }

    /** What has begun goes on; what waits is dropped. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
