package io.rxe.capture;

/** Direction of a captured frame, from the point of view of the host that captured it. */
public enum Direction {
    /** The capture does not say. */
    UNKNOWN,
    /** Received. */
    INBOUND,
    /** Sent. */
    OUTBOUND
}
