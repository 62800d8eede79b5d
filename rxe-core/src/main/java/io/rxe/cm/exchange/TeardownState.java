package io.rxe.cm.exchange;

/** States of the end of a connection. */
enum TeardownState {
    /** Neither side has sent a DREQ. */
    OPEN,
    /** Waits for the DREP. */
    DREQ_SENT,
    /** Ended; late messages are still recognised. */
    TIME_WAIT,
    /** The time-wait is over. */
    CLOSED
}
