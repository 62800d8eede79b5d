package io.rxe.cm;

/** States of the side that asks for the queue pair of a datagram service. */
enum ResolveState {
    /** Waits for the answer to its SIDR_REQ. */
    SIDR_REQ_SENT,
    /** Answered, one way or the other. */
    ANSWERED,
    /** No answer. */
    FAILED
}
