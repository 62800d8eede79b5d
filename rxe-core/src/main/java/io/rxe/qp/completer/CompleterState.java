package io.rxe.qp.completer;

/** What the completer does with a response next; each step answers the one that follows. Names as in rxe's comp_state where one fits. */
public enum CompleterState {
    /** Which region does the PSN fall into (rule P5)? */
    CHECK_PSN,
    /** What does the syndrome say? */
    CHECK_ACK,
    /** A plain acknowledgement. */
    ACKNOWLEDGE,
    /** A packet of READ data. */
    READ,
    /** The old value of an atomic. */
    ATOMIC,
    /** The receiver was not ready. */
    RNR_RETRY,
    /** The peer misses a packet. */
    SEQUENCE_RETRY,
    /** The peer refused the request. */
    REFUSED,
    /** The answer does not fit the request. */
    BAD_RESPONSE,
    /** Move the edges, complete what is complete. */
    COMPLETE,
    /** Done. */
    DONE
}
