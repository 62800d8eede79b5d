package io.rxe.qp.requester;

/** What the requester does next; each step answers the one that follows. */
public enum RequesterState {
    /** Decide. */
    SELECT,
    /** Send a packet again (the retry flag is up). */
    SEND_AGAIN,
    /** Take up the next posted request. */
    BEGIN,
    /** Send the next packet of the request in progress. */
    SEND_NEW,
    /** Nothing to send. */
    IDLE,
    /** Wait until the RNR delay is over. */
    WAIT_RECEIVER,
    /** Wait until something is acknowledged: a window is full, a fence or the READ limit holds, or credits are out. */
    WAIT_ACKNOWLEDGEMENT,
    /** Wait for room in the sink. */
    WAIT_SINK
}
