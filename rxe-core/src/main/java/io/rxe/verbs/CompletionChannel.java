package io.rxe.verbs;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Lets a thread sleep until an armed completion queue has something. One channel may serve many queues.
 *
 * <p>Callable from any thread; the engine adds, applications take.
 */
public final class CompletionChannel implements AutoCloseable {
    private final LinkedBlockingQueue<CompletionQueue> ready = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    /**
     * Waits for the next queue that was armed and got a completion.
     *
     * @param timeoutNs longest wait in nanoseconds; 0 asks without waiting.
     * @return the queue, which is no longer armed, or null after the timeout or the close of the channel.
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    public CompletionQueue await(long timeoutNs) throws InterruptedException {
        return closed ? null : ready.poll(timeoutNs, TimeUnit.NANOSECONDS);
    }

    /** Used by the NIC: reports a queue whose arming was met. */
    public void signal(CompletionQueue queue) {
        if (!closed) {
            ready.add(queue);
        }
    }

    @Override
    public void close() {
        closed = true;
        ready.clear();
    }
}
