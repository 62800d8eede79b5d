package io.rxe.qp.responder;

/** The next step of the responder with a request; each step returns the one that follows. Named after rxe's resp_states. */
public enum ResponderState {
    /** Is it expected, a duplicate, or behind a gap (rule R1)? */
    CHECK_PSN,
    /** Does it continue the message in progress (rule R9)? */
    CHECK_OP_SEQUENCE,
    /** Do the access flags of the queue pair allow it (rule R9)? */
    CHECK_OP_VALID,
    /** Is there a receive request, or a place for a READ or atomic (rules R7, R8)? */
    CHECK_RESOURCE,
    /** Are the lengths consistent (rule R9)? */
    CHECK_LENGTH,
    /** Are key, range and rights valid (rule R10)? */
    CHECK_RKEY,
    /** Move data. */
    EXECUTE,
    /** Complete the receive request at the end of a message. */
    COMPLETE,
    /** Queue an acknowledgement. */
    ACKNOWLEDGE,
    /** Handle a duplicate (rules R4 to R6). */
    DUPLICATE,
    /** Keep it behind a gap (rule R1). */
    GAP,
    /** Done. */
    DONE
}
