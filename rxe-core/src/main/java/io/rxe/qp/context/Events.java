package io.rxe.qp.context;

import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;

/** The device's queue of asynchronous events. */
@FunctionalInterface
public interface Events {
    /** Adds an event; see {@link AsyncEvent}. */
    void raise(AsyncEvent.Type type, QueuePair queuePair, CompletionQueue completionQueue, String explanation);
}
