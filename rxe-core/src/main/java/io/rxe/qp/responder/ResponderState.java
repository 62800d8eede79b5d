package io.rxe.qp.responder;

/** What the responder does with a request next; each step answers the one that follows. Names as in rxe's resp_states. */
public enum ResponderState {
    /** New, duplicate or ahead (rule R1)? */
    CHECK_PSN,
    /** Does it continue the message in progress (rule R9)? */
    CHECK_OP_SEQUENCE,
    /** May the peer do this here (rule R9)? */
    CHECK_OP_VALID,
    /** Is there a receive request, is there a place for a READ or atomic (rules R7, R8)? */
    CHECK_RESOURCE,
    /** Do the lengths add up (rule R9)? */
    CHECK_LENGTH,
    /** Do key, range and rights fit (rule R10)? */
    CHECK_RKEY,
    /** Move data. */
    EXECUTE,
    /** End of a message. */
    COMPLETE,
    /** Note what is to be answered. */
    ACKNOWLEDGE,
    /** Received before (rules R4 to R6). */
    DUPLICATE,
    /** Something before it is missing (rule R1). */
    GAP,
    /** Done. */
    DONE
}
