package io.rxe.verbs;

import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
    /**
     * The threads that began to wait since the last wake-up of all. To wake one needs no memory: where memory is used up, a lock that is
     * contended would throw between the queue and its signal.
     */
    private static final class Group {
        /** One for each queue that is ready, or more: who acquires one in vain waits on. */
        private final Semaphore permits = new Semaphore(0);
        private volatile boolean dismissed;
    }

    private final ConcurrentLinkedQueue<CompletionQueue> ready = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Group> group = new AtomicReference<>(new Group());
    private final AtomicInteger waiters = new AtomicInteger();
    /** Whether no thread has returned null since {@link #wakeup}: the next one does not wait. */
    private final AtomicBoolean wakeup = new AtomicBoolean();
    private final AtomicInteger queues = new AtomicInteger();
    private final Consumer<CompletionQueue> listener;
    private final boolean afterAcknowledging;
    /** Whether the caller is an engine that reports to this channel; of the device whose queue was created last. */
    private volatile BooleanSupplier onEngine = () -> false;
    /** Drives the NIC while a thread waits; null where the NIC has a thread. Of the device whose queue was created last. */
    private volatile WaitDriver driver;
    private volatile boolean closed;
    /** Whether it ever had a queue. */
    private volatile boolean used;

    /** Creates a channel for threads that block in {@link #await}. */
    public CompletionChannel() {
        this(null, false);
    }

    private CompletionChannel(Consumer<CompletionQueue> listener, boolean afterAcknowledging) {
        this.listener = listener;
        this.afterAcknowledging = afterAcknowledging;
    }

    /**
     * Creates a channel that calls a listener instead of waking a thread. The queue is no longer armed when the listener is called.
     * Before it returns, the listener should poll the queue, arm it again, and poll once more.
     *
     * @param listener runs on the thread of the engine that added the completion, in the middle of its work; where threads that poll drive
     *                 the engines, inside a poll of such a thread, which must not hold a lock that it takes. It may poll, arm and post.
     *                 It must not block, throw, or create, modify or close a resource. With several engines it runs on several threads.
     */
    public static CompletionChannel calling(Consumer<CompletionQueue> listener) {
        return new CompletionChannel(checked(listener), false);
    }

    /**
     * As {@link #calling}, but the engine calls the listener after it has sent what the received messages made due, where it could. So what
     * a program posts in answer mostly follows the acknowledgement, and the peer's request completes before the answer arrives, as with
     * an adapter. Not where the send queue of the socket is full, more queue pairs have work than one poll serves, or the acknowledgement
     * waits for a gap in the peer's requests to close. {@link QueuePairConfig#acknowledgeFirst} orders the packets of a queue pair. For
     * a listener that wakes another thread; one that posts itself saves a packet with {@link #calling}.
     *
     * @param listener as of {@link #calling}.
     */
    public static CompletionChannel callingAfterAcknowledging(Consumer<CompletionQueue> listener) {
        return new CompletionChannel(checked(listener), true);
    }

    private static Consumer<CompletionQueue> checked(Consumer<CompletionQueue> listener) {
        return Objects.requireNonNull(listener, "the listener is null: give one, or use new CompletionChannel() and await");
    }

    /**
     * Waits for the next armed queue that receives a completion. Blocks up to the timeout; any number of threads may wait. Where the NIC
     * has no thread, the waiting thread drives the NIC of the queue that was created last, and no other.
     *
     * @param timeoutNs longest wait in nanoseconds; 0 returns at once; {@code Long.MAX_VALUE} waits for ever.
     * @return the queue, which is no longer armed. Null after the timeout, after a {@link #wakeup}, and at once when the channel or one of
     *     its queues is closed or a device fails while a thread waits.
     * @throws InterruptedException  when the waiting thread is interrupted.
     * @throws IllegalStateException when the channel was closed before the call, or the last of its queues, or their NIC; for a channel
     *                               created by {@link #calling}; and in a listener with a timeout above 0: it would wait for the engine
     *                               that runs it.
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
        if (isDeserted() && ready.isEmpty()) {
            throw new IllegalStateException("no queue of this completion channel is open any more, or their NIC was closed or failed:"
                + " nothing can come before another queue is created with it");
        }
        // Counted first: who wakes dismisses a group and then counts.
        waiters.incrementAndGet();
        try {
            return await(group.get(), timeoutNs);
        } finally {
            waiters.decrementAndGet();
        }
    }

    private CompletionQueue await(Group own, long timeoutNs) throws InterruptedException {
        long beganNs = System.nanoTime();
        boolean inTime = true;
        boolean acquired = false;
        while (true) {
            CompletionQueue next = ready.poll();
            if (next != null) {
                if (!acquired) {
                    // That of this queue. It may not be there yet, and wakes a thread in vain then.
                    own.permits.tryAcquire();
                }
                return next;
            }
            boolean woken = wakeup.get() && wakeup.getAndSet(false);
            if (closed || isDeserted() || own.dismissed || !inTime || woken) {
                return null;
            }
            acquired = WaitDriver.acquire(own.permits, driver, leftNs(timeoutNs, beganNs));
            inTime = acquired;
        }
    }

    private static long leftNs(long timeoutNs, long beganNs) {
        return timeoutNs == Long.MAX_VALUE ? timeoutNs : timeoutNs - (System.nanoTime() - beganNs);
    }

    /**
     * Makes every thread that waits in {@link #await} return null; when none waits, the next one does not. Of threads that begin to wait
     * at the same moment one more may return null. Any thread; never blocks.
     *
     * @throws IllegalStateException when the channel is closed.
     */
    public void wakeup() {
        checkOpen();
        // In this order: a thread that begins to wait counts itself first. A thread that is counted may be leaving with a queue.
        wakeup.set(true);
        if (waiters.get() > 0) {
            dismiss();
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
     * @param whileWaiting   drives the NIC while a thread waits; null where it has a thread.
     * @throws IllegalStateException when the channel is closed.
     */
    public void attach(BooleanSupplier onEngineThread, WaitDriver whileWaiting) {
        checkOpen();
        onEngine = onEngineThread;
        driver = whileWaiting;
        boolean isFirst = queues.getAndIncrement() == 0;
        try {
            if (isFirst && used && !closed) {
                // It was deserted: threads that wait may have waited for a queue that was closed.
                dismiss();
            }
        } catch (OutOfMemoryError e) {
            queues.decrementAndGet();
            throw e;
        }
        used = true;
    }

    /** Used by the NIC: a queue of this channel was closed, or its device failed. {@link #wakeWaiters} must follow. */
    public void detach() {
        queues.decrementAndGet();
    }

    /** Whether the last of its queues was closed, or their devices failed. Kept nowhere: queues come and go on several threads. */
    private boolean isDeserted() {
        return used && queues.get() == 0;
    }

    /** Used by the NIC: whether it calls a listener, and no thread waits. */
    public boolean isCalling() {
        return listener != null;
    }

    /** Used by the NIC: whether it is notified after the responses that were due have left, as far as they could. */
    public boolean isAfterAcknowledging() {
        return afterAcknowledging;
    }

    /** Used by the NIC: wakes every waiting thread. Where memory is used up it throws OutOfMemoryError, and must be called again. */
    public void wakeWaiters() {
        if (!closed && !isDeserted()) {
            dismiss();
        } else {
            group.get().permits.release(waiters.get());
        }
    }

    /** Has every thread that waits return, and none that begins to wait from now on. */
    private void dismiss() {
        Group next = new Group();
        Group waiting = group.getAndSet(next);
        waiting.dismissed = true;
        waiting.permits.release(waiters.get());
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
            // Read after the queue was added: a thread of a later group finds the queue before it waits.
            group.get().permits.release();
        }
    }

    /** Closes the channel: wakes every thread in {@link #await}, and notifies nobody any more. Its queues can be polled. Idempotent. */
    @Override
    public void close() {
        closed = true;
        ready.clear();
        wakeWaiters();
    }

    @Override
    public String toString() {
        return "completion channel of " + queues.get() + " queues, " + (listener == null ? waiters.get() + " threads waiting"
            : "calls a listener") + (closed ? ", closed" : "");
    }
}
