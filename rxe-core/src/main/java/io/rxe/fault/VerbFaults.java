package io.rxe.fault;

import io.rxe.verbs.QueuePairType;
import java.util.Map;

/**
 * Decides what fails, and counts it. Any thread; never waits. {@link #NONE} for a NIC without faults, which asks it in control verbs only.
 */
public interface VerbFaults {
    /** Nothing fails. */
    VerbFaults NONE = new VerbFaults() {
    };

    /**
     * Whether any rule is about a verb. Without one about posts and polls, queues are made that never ask.
     *
     * @return false for a verb that {@link #onCall} never refuses, for POST_SEND also if {@link #onRequest} never answers, and for
     *     POST_RECV and POST_SRQ_RECV if {@link #onReceive} does not.
     */
    default boolean concerns(Verb verb) {
        return false;
    }

    /**
     * A verb is called.
     *
     * @param bytes of the memory it is about, 0 for none.
     * @throws RuntimeException {@link VerbFailure}, if this call is to fail.
     */
    default void onCall(Verb verb, long bytes) {
    }

    /**
     * A request is about to be posted to a send queue.
     *
     * @param queuePair its number.
     * @param type      of the queue pair: a request cannot fail with a status that its transport does not have.
     * @param bytes     of the message.
     * @return how it is to fail, or null.
     * @throws RuntimeException {@link VerbFailure}, if the post is to fail.
     */
    default RequestFault onRequest(int queuePair, QueuePairType type, long bytes) {
        return null;
    }

    /**
     * A message took a receive request.
     *
     * @param verb      with which it was posted: POST_RECV or POST_SRQ_RECV.
     * @param queuePair number of the one that got the message.
     * @param type      of the queue pair.
     * @param bytes     that the request has room for.
     * @return how it is to fail, or null.
     */
    default RequestFault onReceive(Verb verb, int queuePair, QueuePairType type, long bytes) {
        return null;
    }

    /** A call of connection management is about to begin something; returns the event that it is to fail with, or null. */
    default ConnectionFault onConnection(Verb verb) {
        return null;
    }

    /** A peer requests a connection; returns the reason of the REJ it is to get, 1 to 33, or 0. */
    default int onConnectionRequest() {
        return 0;
    }

    /** Whether the ports carry traffic. False between PORT_ERR and PORT_ACTIVE. */
    default boolean isPortUp() {
        return true;
    }

    /**
     * The NIC is open: times begin.
     *
     * @param onDue wakes who waits for {@link #takeDue}; any thread calls it.
     */
    default void open(Runnable onDue) {
    }

    /** Whether {@link #takeDue} may ever return something, or an expectation fail. */
    default boolean isTimed() {
        return false;
    }

    /** Takes the oldest fault that is due, once; null for none. One thread at a time. */
    default TimedFault takeDue() {
        return null;
    }

    /** How long until something is due, in nanoseconds; {@link Long#MAX_VALUE} for no known time. */
    default long waitNs() {
        return Long.MAX_VALUE;
    }

    /** An event was raised: its name in {@code ibv_event_type} or {@code rdma_cm_event_type}, without their prefix. */
    default void onEvent(String name) {
    }

    /**
     * What a script expects and did not get.
     *
     * @param isAtEnd whether nothing can follow any more.
     * @return a sentence with the line; null while nothing has failed.
     */
    default String failure(boolean isAtEnd) {
        return null;
    }

    /** How many faults were made since the last question. */
    default long takeStrikes() {
        return 0;
    }

    /** How often each rule struck, by its words; and 1 for each expectation that was met, 0 for others. Always in the same order. */
    default Map<String, Long> counts() {
        return Map.of();
    }
}
