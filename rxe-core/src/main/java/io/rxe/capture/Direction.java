package io.rxe.capture;

/** Which way a captured frame went, seen from the host that captured it. */
public enum Direction {
    /** The capture does not tell. */
    UNKNOWN,
    /** Received. */
    INBOUND,
    /** Sent. */
    OUTBOUND
}
