package io.rxe.cm.mad;

/** Whether a datagram on queue pair 1 is a MAD for connection management, and if not, why. */
public enum MadVerdict {
    VALID,
    /** Not 256 bytes long. */
    BAD_LENGTH,
    /** Base version other than 1. */
    BAD_BASE_VERSION,
    /** Another management class. */
    WRONG_CLASS,
    /** Version of the class other than 2. */
    BAD_CLASS_VERSION,
    /** Not a Send, the only method of this class. */
    WRONG_METHOD,
    /** An attribute this class does not have. */
    UNKNOWN_ATTRIBUTE
}
