package io.rxe.cm;

/** States of the side that asks for a connection. */
enum ActiveState {
    /** Waits for the answer to its REQ. */
    REQ_SENT,
    /** The peer asked for more time. */
    MRA_RECEIVED,
    /** Accepted; the queue pair is being brought to RTS. */
    REP_RECEIVED,
    /** RTU sent; {@link TeardownMachine} takes over. */
    ESTABLISHED,
    /** Over before it began; a REJ may still have to leave. */
    FAILED
}
