package io.rxe.device;

import io.rxe.qp.Events;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpmcArrayQueue;

/** The asynchronous events of a device, oldest first; when nobody takes them the newest are lost and counted. Any thread. */
final class EventQueue implements Events {
    private static final int CAPACITY = 4096;

    private final MpmcArrayQueue<AsyncEvent> queue = new MpmcArrayQueue<>(CAPACITY);
    private final AtomicLong lost = new AtomicLong();

    @Override
    public void raise(AsyncEvent.Type type, QueuePair queuePair, CompletionQueue completionQueue, String explanation) {
        add(new AsyncEvent(type, queuePair, completionQueue, null, explanation));
    }

    void add(AsyncEvent event) {
        if (!queue.offer(event)) {
            lost.incrementAndGet();
        }
    }

    AsyncEvent poll() {
        return queue.poll();
    }

    long lost() {
        return lost.get();
    }
}
