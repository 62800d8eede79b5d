package io.rxe.cm.mad;

/** Whether a datagram on queue pair 1 is a MAD for connection management, and if not, why. */
public enum MadVerdict {
    /** A MAD for connection management. */
    VALID,
    /** Not 256 bytes long. */
    BAD_LENGTH,
    /** Base version other than 1. */
    BAD_BASE_VERSION,
    /** Management class other than 7. */
    WRONG_CLASS,
    /** Class version other than 2. */
    BAD_CLASS_VERSION,
    /** Method other than Send, the only one of this class. */
    WRONG_METHOD,
    /** Attribute ID outside 0x10..0x1A. */
    UNKNOWN_ATTRIBUTE
}
