package io.rxe.net.drive;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread that waits for the file system in place of an engine's thread: FLUSH to persistence. It starts with the first work and ends
 * when it was idle for a while. As much waits as there are queue pairs, since each has one FLUSH at a time. Any thread.
 */
final class FileWriter implements AutoCloseable {
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;

    /** @param name of the thread. */
    FileWriter(String name) {
        executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        }, new ThreadPoolExecutor.DiscardPolicy());
        executor.allowCoreThreadTimeOut(true);
    }

    /** Runs work soon, and never waits, unless the process may start no thread: then here. After {@link #close} it is dropped. */
    void execute(Runnable work) {
        try {
            executor.execute(work);
        } catch (OutOfMemoryError e) {
            // The queue pair would fail, for what the file system does as well for this thread.
            work.run();
        }
    }

    /** What has begun goes on; what waits is dropped. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
