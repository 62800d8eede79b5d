package io.rxe.net;

import io.rxe.cm.CmEvent;
import io.rxe.cm.CmEventChannel;
import io.rxe.device.Nic;
import io.rxe.net.host.ReadinessPipe;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.WaitDriver;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One place to wait for everything a NIC reports: completions, connection events and asynchronous events.
 *
 * <pre>
 *   try (NicEvents events = nic.events()) {
 *       CompletionQueue queue = nic.device().createCompletionQueue(64, events.completionChannel());
 *       nic.connections().listen(events.connectionChannel(), PortSpace.TCP, 7471);
 *       queue.requestNotification(false);
 *       while (running) {
 *           NicEvent event = events.await(Long.MAX_VALUE);
 *           if (event == null) {
 *               continue;                              // wakeup()
 *           } else if (event.completionQueue() != null) {
 *               queue.requestNotification(false);      // arm, then poll
 *               while (queue.poll(completion)) ...
 *           } else if (event.connection() != null) ...
 *       }
 *   }
 * </pre>
 *
 * <p>A NIC may have several; each asynchronous event goes to one of them, or to who polls the device. Any thread may call any method,
 * also several at once; only {@link #await} blocks, and a listener may call it with timeout 0 only. For a thread that waits in a
 * {@link java.nio.channels.Selector} there is {@link #selectableChannel}.
 */
public final class NicEvents implements AutoCloseable {
    private static final int CONNECTION_EVENTS = 32_768;

    private final ConcurrentLinkedQueue<CompletionQueue> ready = new ConcurrentLinkedQueue<>();
    private final CompletionChannel completionChannel = CompletionChannel.calling(this::onCompletion);
    private final CmEventChannel connectionChannel = new CmEventChannel(CONNECTION_EVENTS, this::signal);
    private final Consumer<AsyncEvent> asyncListener = event -> signal();
    /** At most one: the thread that acquires it polls for events, and releases it after it found one. */
    private final Semaphore permit = new Semaphore(0);
    private final AtomicBoolean signaled = new AtomicBoolean();
    private final AtomicBoolean wakeup = new AtomicBoolean();
    private final AtomicInteger waiters = new AtomicInteger();
    private final Nic nic;
    private final Consumer<NicEvents> onClose;
    /** Null until it is needed. */
    private volatile ReadinessPipe pipe;
    /** Why nothing can arrive any more, in a sentence; null while something can. */
    private volatile String ended;
    private volatile boolean closed;

    /** @param onClose called when this is closed. */
    NicEvents(Nic nic, Consumer<NicEvents> onClose) {
        this.nic = nic;
        this.onClose = onClose;
        nic.onAsyncEvent(asyncListener);
    }

    /** For the completion queues to wait for: give it to {@code Device.createCompletionQueue}, and arm the queue. */
    public CompletionChannel completionChannel() {
        return completionChannel;
    }

    /** For the listeners and connections to wait for: give it to {@code ConnectionService.listen} and {@code connector}. */
    public CmEventChannel connectionChannel() {
        return connectionChannel;
    }

    /**
     * Waits for the next event. Where the NIC has no thread, the waiting thread drives it.
     *
     * @param timeoutNs longest wait in nanoseconds; 0 or less returns at once, {@link Long#MAX_VALUE} waits for ever.
     * @return the event; null after the timeout or {@link #wakeup}.
     * @throws IllegalStateException if no event is left and this or the NIC is closed; the message says which. At once, also when that
     *                               happens during the wait. A NIC that fails reports DEVICE_FATAL. In a listener with a timeout
     *                               above 0: it would wait for the engine that runs it.
     * @throws InterruptedException  if the waiting thread is interrupted.
     */
    public NicEvent await(long timeoutNs) throws InterruptedException {
        if (timeoutNs > 0 && nic.progress().isOnEngineThread()) {
            throw new IllegalStateException("await in a listener waits for the engine that runs the listener: await on another thread");
        }
        long beganNs = System.nanoTime();
        waiters.incrementAndGet();
        try {
            boolean inTime = true;
            while (true) {
                NicEvent next = closed ? null : next();
                if (next != null) {
                    // For another thread that waits: there may be more.
                    signal();
                    return next;
                }
                if (ended != null) {
                    throw new IllegalStateException(ended);
                }
                if (wakeup.getAndSet(false) || !inTime) {
                    return null;
                }
                if (timeoutNs <= 0 && pipe != null && pipe.clear()) {
                    // What came before the pipe was emptied did not make it readable again.
                    continue;
                }
                inTime = WaitDriver.acquire(permit, nic.driver(), leftNs(timeoutNs, beganNs));
                signaled.set(false);
            }
        } finally {
            waiters.decrementAndGet();
        }
    }

    private static long leftNs(long timeoutNs, long beganNs) {
        return timeoutNs == Long.MAX_VALUE ? timeoutNs : timeoutNs - (System.nanoTime() - beganNs);
    }

    /** Has one thread return null from {@link #await}: one that waits, or else the next that would. Several calls may count as one. */
    public void wakeup() {
        wakeup.set(true);
        signal();
    }

    /**
     * One file descriptor to wait for: a channel that is readable while an event may wait, for a {@link java.nio.channels.Selector}. Do not
     * read from it: call {@link #await} with timeout 0 until it returns null, and select then. It is closed, and readable, when this or
     * the NIC is closed; then await says so.
     *
     * @return the same channel with each call, non-blocking.
     * @throws IOException           if the process has no file descriptors left; a pipe needs two.
     * @throws IllegalStateException if this or the NIC is closed, and for a NIC without threads.
     */
    public synchronized SelectableChannel selectableChannel() throws IOException {
        if (ended != null) {
            throw new IllegalStateException(ended);
        }
        if (nic.driver() != null) {
            throw new IllegalStateException("this NIC has no thread that would make the channel readable: call RxeNic.progress and await"
                + " with timeout 0 instead, or open the NIC with progress POLLING");
        }
        if (pipe == null) {
            pipe = new ReadinessPipe();
            // For what came before.
            pipe.set();
        }
        return pipe.source();
    }

    /** Closes this and its two channels, and wakes all waiters. Completion queues and connections stay open, unreported. Idempotent. */
    @Override
    public void close() {
        closed = true;
        end("these NicEvents are closed: call RxeNic.events() for others");
        nic.forgetAsyncEvents(asyncListener);
        completionChannel.close();
        connectionChannel.close();
        closePipe();
        onClose.accept(this);
    }

    /** Waits for a thread that is just making it, which found this open. */
    private synchronized void closePipe() {
        if (pipe != null) {
            pipe.close();
        }
    }

    /** Nothing can arrive any more. */
    void end(String why) {
        ended = why;
        permit.release(waiters.get());
        makeReadable();
    }

    /** Rare events first, so that completions do not hold them up. */
    private NicEvent next() {
        AsyncEvent async = nic.pollAsyncEvent();
        if (async != null) {
            return new NicEvent(null, null, async);
        }
        CmEvent connection = nextOfConnections();
        if (connection != null) {
            return new NicEvent(null, connection, null);
        }
        CompletionQueue queue = ready.poll();
        return queue == null ? null : new NicEvent(queue, null, null);
    }

    private CmEvent nextOfConnections() {
        try {
            return connectionChannel.poll();
        } catch (IllegalStateException e) {
            // Closed, or its NIC is closed or failed; the other events go on.
            return null;
        }
    }

    private void onCompletion(CompletionQueue queue) {
        ready.add(queue);
        signal();
    }

    private void signal() {
        if (!signaled.getAndSet(true)) {
            permit.release();
        }
        makeReadable();
    }

    private void makeReadable() {
        ReadinessPipe opened = pipe;
        if (opened != null) {
            opened.set();
        }
    }
}
