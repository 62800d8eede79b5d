package io.rxe.cm.exchange;

/** States of the side that resolves a datagram service. */
enum SidrRequesterState {
    /** Waits for the SIDR_REP. */
    SIDR_REQ_SENT,
    /** SIDR_REP received, with any status. */
    ANSWERED,
    /** Timed out, or given up by the application. */
    FAILED
}
