package io.rxe.cm.exchange;

/** States of the side that is asked for a datagram service. */
enum SidrResponderState {
    /** SIDR_REQ received; the application decides. */
    SIDR_REQ_RECEIVED,
    /** SIDR_REP sent; kept for two intervals of the requester, to reply to a duplicate SIDR_REQ. */
    SIDR_REP_SENT,
    /** The application did not decide before the requester gave up. */
    EXPIRED
}
