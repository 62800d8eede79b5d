package io.rxe.port;

/**
 * Is notified when a queue pair becomes connected and when it can carry data no more. Connection management watches its queue pairs with
 * it.
 * Runs on the thread of the queue pair's engine in the middle of its work: it must not block, throw or call an engine.
 */
public interface QueuePairObserver {
    /** The first packet of the peer arrived. Called once at most. */
    void onArrival();

    /**
     * The queue pair is in ERROR and flushed, is in RESET or is closed. Called once; the queue pair has no observer from then on.
     *
     * @param cause what happened, in a sentence; "it" stands for the queue pair.
     */
    void onEnd(String cause);
}
