package io.rxe.fault;

import io.rxe.verbs.AsyncEvent;

/**
 * Something that happens to a NIC at a time, and not in a call.
 *
 * @param kind      what happens.
 * @param event     with {@link Kind#EVENT} the event.
 * @param queuePair number of the queue pair that it happens to; 0 for all queue pairs, or where it happens to none.
 * @param why       the sentence of events and completions.
 */
public record TimedFault(Kind kind, AsyncEvent.Type event, int queuePair, String why) {
    /** What may happen. */
    public enum Kind {
        /** An asynchronous event, and the state that it tells of: a port goes down or up, a queue pair or an engine fails. */
        EVENT,
        /** Queue pairs go to ERROR. */
        QUEUE_PAIR_ERROR,
        /** Every connection is ended, as if this side had. */
        DISCONNECTED,
        /** Ids of librdmacm are told that their device is gone. */
        DEVICE_REMOVAL,
        /** Ids of librdmacm are told that the address of their device changed. */
        ADDR_CHANGE
    }
}
