package io.rxe.cm;

/** How far the end of a connection has come. */
enum TeardownState {
    /** Neither side has asked for it. */
    OPEN,
    /** We asked, and wait for the DREP. */
    DREQ_SENT,
    /** Over; late messages are still recognised. */
    TIME_WAIT,
    /** Gone. */
    CLOSED
}
