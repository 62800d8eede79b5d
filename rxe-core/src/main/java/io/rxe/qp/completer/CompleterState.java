package io.rxe.qp.completer;

/** The next step of the completer with a response; each step returns the one that follows. Named after rxe's comp_state where one fits. */
public enum CompleterState {
    /** Finds the region of the PSN (rule P5). */
    CHECK_PSN,
    /** Chooses by opcode and syndrome. */
    CHECK_ACK,
    /** A plain acknowledgement. */
    ACKNOWLEDGE,
    /** A packet of READ data. */
    READ,
    /** The old value of an atomic. */
    ATOMIC,
    /** An RNR NAK. */
    RNR_RETRY,
    /** A PSN sequence NAK. */
    SEQUENCE_RETRY,
    /** A fatal NAK. */
    REFUSED,
    /** The response does not fit the request. */
    BAD_RESPONSE,
    /** Moves the acknowledged edge and completes requests. */
    COMPLETE,
    /** Done. */
    DONE
}
