package io.rxe.cm;

/** States of the side that is asked for the queue pair of a datagram service. */
enum AnswerState {
    /** The application has to decide. */
    SIDR_REQ_RECEIVED,
    /** Answered; the answer is kept for a while, in case it was lost. */
    SIDR_REP_SENT,
    /** The asker gave up. */
    EXPIRED
}
