package io.rxe.cm.exchange;

/** States of the side that requests a connection. */
public enum ActiveState {
    /** Waits for the REP. */
    REQ_SENT,
    /** Waits for the REP longer: the peer sent an MRA. */
    MRA_RECEIVED,
    /** REP received; the application brings the queue pair to RTS. */
    REP_RECEIVED,
    /** RTU sent; {@link TeardownMachine} takes over. */
    ESTABLISHED,
    /** The handshake failed; a REJ may wait for room in the sink. */
    FAILED
}
