package io.rxe.port;

/**
 * A thread for each task of a test: the executor to give to a CompletableFuture. Without one, Java 25 runs tasks in the common pool, which
 * has a single thread on two processors: a task that is left there by a test that failed holds up those of all later tests.
 */
public final class OwnThread {
    private OwnThread() {
    }

    /** Starts a daemon thread. */
    public static void run(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }
}
