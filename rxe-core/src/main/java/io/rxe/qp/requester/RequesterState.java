package io.rxe.qp.requester;

/** The next step of the requester; each step returns the one that follows. */
public enum RequesterState {
    /** Choose what to send. */
    SELECT,
    /** Send the next packet of the retry range. */
    RETRANSMIT,
    /** Begin the next posted request. */
    BEGIN,
    /** Send the next packet of the request in progress. */
    SEND_NEW,
    /** A request that sends no packet has run. */
    RAN_LOCALLY,
    /** Nothing to send. */
    IDLE,
    /** Wait until the RNR wait is over. */
    WAIT_RNR,
    /** Wait for an acknowledgement: a window is full, a fence or the READ limit holds, or credits are used up. */
    WAIT_ACKNOWLEDGEMENT,
    /** Wait for room in the sink. */
    WAIT_SINK,
    /** Wait until the other engines have passed: see {@link io.rxe.qp.context.GracePeriods}. */
    WAIT_ENGINES
}
