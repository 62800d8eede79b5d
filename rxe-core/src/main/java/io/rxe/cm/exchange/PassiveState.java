package io.rxe.cm.exchange;

/** States of the side that accepts or rejects a connection. */
public enum PassiveState {
    /** REQ received; the application decides. */
    REQ_RECEIVED,
    /** The application still decides; a duplicate REQ was answered with an MRA. */
    MRA_SENT,
    /** Accepted; waits for the RTU. Data may arrive already. */
    REP_SENT,
    /** Waits for the RTU longer: the peer sent an MRA. */
    MRA_RECEIVED,
    /** RTU received; {@link TeardownMachine} takes over. */
    ESTABLISHED,
    /** Rejected; the REJ is kept for some seconds, to reply to a duplicate REQ. */
    REJ_SENT,
    /** The handshake failed; late duplicates of the REQ are recognised until the time-wait ends. */
    FAILED
}
