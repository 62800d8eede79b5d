package io.rxe.verbs;

import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Notifies an application that an armed completion queue has a completion; {@code ibv_comp_channel}. One channel may serve many
 * queues.
 *
 * <p>Any thread may call. A thread can block in {@link #await}; or, for a channel created by {@link #calling}, the application's code
 * runs on the engine's thread, which saves a change of threads in each direction.
 */
public final class CompletionChannel implements AutoCloseable {
    /** Wakes a waiting thread although no queue is ready. */
    private static final Object WAKE_UP = new Object();

    private final LinkedBlockingQueue<Object> ready = new LinkedBlockingQueue<>();
    private final AtomicInteger waiters = new AtomicInteger();
    private final AtomicInteger queues = new AtomicInteger();
    private final Consumer<CompletionQueue> listener;
    /** Whether the caller is an engine that reports to this channel; of the device whose queue was created last. */
    private volatile BooleanSupplier onEngine = () -> false;
    private volatile boolean closed;
    /** Whether the last of its queues was closed, or their devices failed. */
    private volatile boolean deserted;

    /** Creates a channel for threads that block in {@link #await}. */
    public CompletionChannel() {
        this(null);
    }

    private CompletionChannel(Consumer<CompletionQueue> listener) {
        this.listener = listener;
    }

    /**
     * Creates a channel that calls a listener instead of waking a thread. The queue is no longer armed when the listener is called.
     * Before it returns, the listener should poll the queue, arm it again, and poll once more.
     *
     * @param listener runs on the thread of the engine that added the completion, in the middle of its work. It may poll, arm and post.
     *                 It must not block, throw, or create, modify or close a resource. With several engines it runs on several threads.
     */
    public static CompletionChannel calling(Consumer<CompletionQueue> listener) {
        return new CompletionChannel(Objects.requireNonNull(listener, "the listener is null: give one, or use new CompletionChannel()"
            + " and await"));
    }

    /**
     * Waits for the next armed queue that receives a completion. Blocks up to the timeout; any number of threads may wait.
     *
     * @param timeoutNs longest wait in nanoseconds; 0 returns at once; {@code Long.MAX_VALUE} waits for ever.
     * @return the queue, which is no longer armed. Null after the timeout, after a {@link #wakeup}, and at once when the channel or one of
     *     its queues is closed or a device fails; where no open queue is left, always at once.
     * @throws InterruptedException  when the waiting thread is interrupted.
     * @throws IllegalStateException when the channel was closed before the call, for a channel created by {@link #calling}, and in a
     *                               listener with a timeout above 0: it would wait for the engine that runs it.
     */
    public CompletionQueue await(long timeoutNs) throws InterruptedException {
        if (listener != null) {
            throw new IllegalStateException("this completion channel calls its listener: await on one created by its constructor");
        }
        checkOpen();
        if (timeoutNs > 0 && onEngine.getAsBoolean()) {
            throw new IllegalStateException("await in a listener waits for the engine that runs the listener: poll the queues there, or"
                + " await on another thread");
        }
        waiters.incrementAndGet();
        try {
            Object next = closed || deserted ? ready.poll() : ready.poll(timeoutNs, TimeUnit.NANOSECONDS);
            if (next == WAKE_UP && (closed || deserted)) {
                // For the next thread that waits.
                ready.add(WAKE_UP);
            }
            return next instanceof CompletionQueue queue ? queue : null;
        } finally {
            waiters.decrementAndGet();
        }
    }

    /**
     * Makes every thread in {@link #await} return null; when none waits, the next one does not. Any thread; never blocks.
     *
     * @throws IllegalStateException when the channel is closed.
     */
    public void wakeup() {
        checkOpen();
        if (waiters.get() == 0) {
            if (!ready.contains(WAKE_UP)) {
                ready.add(WAKE_UP);
            }
        } else {
            wakeUp();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the completion channel is closed: create another, and queues for it");
        }
    }

    /**
     * Used by the NIC: a queue was created with this channel.
     *
     * @param onEngineThread whether the caller is one of the engines of the NIC.
     * @throws IllegalStateException when the channel is closed.
     */
    public void attach(BooleanSupplier onEngineThread) {
        checkOpen();
        onEngine = onEngineThread;
        queues.incrementAndGet();
        if (deserted && !closed) {
            deserted = false;
            while (ready.remove(WAKE_UP)) {
                // One for each thread that waited.
            }
        }
    }

    /** Used by the NIC: a queue of this channel was closed, or its device failed. {@link #wakeWaiters} must follow. */
    public void detach() {
        deserted = queues.decrementAndGet() == 0;
    }

    /** Used by the NIC: whether it calls a listener, and no thread waits. */
    public boolean isCalling() {
        return listener != null;
    }

    /** Used by the NIC: wakes every waiting thread. Where memory is used up it throws OutOfMemoryError, and must be called again. */
    public void wakeWaiters() {
        wakeUp();
    }

    private void wakeUp() {
        for (int waiting = waiters.get(); waiting > 0; waiting--) {
            ready.add(WAKE_UP);
        }
    }

    /** Used by the NIC: reports an armed queue that received a completion. */
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

    /** Closes the channel: wakes every thread in {@link #await}, and notifies nobody any more. Its queues can be polled. Idempotent. */
    @Override
    public void close() {
        closed = true;
        ready.clear();
        wakeUp();
    }

    @Override
    public String toString() {
        return "completion channel of " + queues.get() + " queues, " + (listener == null ? waiters.get() + " threads waiting"
            : "calls a listener") + (closed ? ", closed" : "");
    }
}
