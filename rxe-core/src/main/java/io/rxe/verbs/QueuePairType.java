package io.rxe.verbs;

/** Transport service of a queue pair. */
public enum QueuePairType {
    /** Reliable connection: acknowledged, in order, exactly once. */
    RC,
    /** Unreliable connection: in order, a lost packet loses its message. */
    UC,
    /** Unreliable datagram: single packets to any peer. */
    UD
}
