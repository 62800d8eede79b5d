package io.rxe.verbs;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Lets a thread sleep until an armed completion queue has something. One channel may serve many queues.
 *
 * <p>Callable from any thread; the engine adds, applications take. A channel made by {@link #calling} has no thread to wake: the
 * application's code runs on the engine's thread, which saves a change of threads in each direction.
 */
public final class CompletionChannel implements AutoCloseable {
    private final LinkedBlockingQueue<CompletionQueue> ready = new LinkedBlockingQueue<>();
    private final Consumer<CompletionQueue> listener;
    private volatile boolean closed;

    /** A channel for threads that {@link #await}. */
    public CompletionChannel() {
        this(null);
    }

    private CompletionChannel(Consumer<CompletionQueue> listener) {
        this.listener = listener;
    }

    /**
     * A channel that calls instead of waking a thread. The queue is no longer armed when the listener is called; before it returns it
     * should poll the queue, arm it again, and poll once more.
     *
     * @param listener runs on the thread of the engine that completed something, in the middle of its work: it may poll, arm and post,
     *                 must not block, throw, or create, modify or close anything. With several engines it is called from several threads.
     */
    public static CompletionChannel calling(Consumer<CompletionQueue> listener) {
        return new CompletionChannel(listener);
    }

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
        if (closed) {
            return;
        }
        if (listener != null) {
            listener.accept(queue);
        } else {
            ready.add(queue);
        }
    }

    @Override
    public void close() {
        closed = true;
        ready.clear();
    }
}
