package io.rxe.cm;

/** States of the side that is asked for a connection. */
enum PassiveState {
    /** The application has to decide. */
    REQ_RECEIVED,
    /** It still has to, and the peer was asked for patience. */
    MRA_SENT,
    /** Accepted; waits for the RTU. Data may come already. */
    REP_SENT,
    /** As before, and the peer asked for more time. */
    MRA_RECEIVED,
    /** RTU received; {@link TeardownMachine} takes over. */
    ESTABLISHED,
    /** Refused; the REJ is kept for a while, in case the first was lost. */
    REJ_SENT,
    /** Over before it began; late duplicates of the REQ are recognised for a while. */
    FAILED
}
