package io.rxe.qp;

import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;

/** Takes asynchronous events; the device's event queue. */
@FunctionalInterface
public interface Events {
    /** Reports an event; see {@link AsyncEvent}. */
    void raise(AsyncEvent.Type type, QueuePair queuePair, CompletionQueue completionQueue, String explanation);
}
