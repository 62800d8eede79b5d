package io.rxe.device;

import io.rxe.qp.context.Events;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/**
 * The asynchronous events of a device, oldest first, and their listeners. Discards events while the queue is full, except DEVICE_FATAL,
 * which is kept behind the others then. Any thread.
 */
final class EventQueue implements Events {
    private static final int CAPACITY = 4096;

    /** A listener, and whether it was notified of DEVICE_FATAL. */
    private static final class Listener {
        private final Consumer<AsyncEvent> target;
        private final AtomicBoolean knowsFatal = new AtomicBoolean();

        Listener(Consumer<AsyncEvent> target) {
            this.target = target;
        }
    }

    private final MpmcAtomicArrayQueue<AsyncEvent> queue = new MpmcAtomicArrayQueue<>(CAPACITY);
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** DEVICE_FATAL where the queue was full, or there was no memory to use it. */
    private final AtomicReference<AsyncEvent> last = new AtomicReference<>();
    private final AtomicReference<AsyncEvent> fatal = new AtomicReference<>();

    @Override
    public void raise(AsyncEvent.Type type, QueuePair queuePair, CompletionQueue completionQueue, String explanation) {
        add(new AsyncEvent(type, queuePair, completionQueue, null, explanation));
    }

    void add(AsyncEvent event) {
        queue.offer(event);
        // No lambda: its first use may be where memory is used up.
        for (Listener listener : listeners) {
            listener.target.accept(event);
        }
    }

    /**
     * Adds DEVICE_FATAL, of which there is one, and notifies every listener, also those behind one that throws.
     *
     * @throws Error where a listener had no memory, or threw another Error: call it again, and it notifies those that do not know yet.
     */
    void addFatal(AsyncEvent event) {
        if (fatal.compareAndSet(null, event)) {
            boolean queued = false;
            try {
                queued = queue.offer(event);
            } finally {
                // Also where its first use lacks memory to link it: the next call queues nothing.
                if (!queued) {
                    last.set(event);
                }
            }
        }
        Error thrown = null;
        for (Listener listener : listeners) {
            try {
                if (listener.knowsFatal.compareAndSet(false, true)) {
                    listener.target.accept(fatal.get());
                }
            } catch (Error e) {
                listener.knowsFatal.set(false);
                thrown = e;
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    void listen(Consumer<AsyncEvent> listener) {
        listeners.add(new Listener(listener));
    }

    void forget(Consumer<AsyncEvent> listener) {
        listeners.removeIf(one -> one.target.equals(listener));
    }

    AsyncEvent poll() {
        AsyncEvent event = queue.poll();
        return event == null ? last.getAndSet(null) : event;
    }
}
