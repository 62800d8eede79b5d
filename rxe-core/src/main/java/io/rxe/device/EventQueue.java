package io.rxe.device;

import io.rxe.qp.context.Events;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/** The asynchronous events of a device, oldest first. Discards new events while the queue is full. Any thread. */
final class EventQueue implements Events {
    private static final int CAPACITY = 4096;

    private final MpmcAtomicArrayQueue<AsyncEvent> queue = new MpmcAtomicArrayQueue<>(CAPACITY);

    @Override
    public void raise(AsyncEvent.Type type, QueuePair queuePair, CompletionQueue completionQueue, String explanation) {
        add(new AsyncEvent(type, queuePair, completionQueue, null, explanation));
    }

    void add(AsyncEvent event) {
        queue.offer(event);
    }

    AsyncEvent poll() {
        return queue.poll();
    }
}
