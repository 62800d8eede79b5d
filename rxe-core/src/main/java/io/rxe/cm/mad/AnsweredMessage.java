package io.rxe.cm.mad;

/** Which message a REJ rejects or an MRA acknowledges; a field of two bits. */
public enum AnsweredMessage {
    REQ,
    REP,
    /** Another message, such as a LAP. */
    OTHER,
    /** Not defined by the specification. */
    RESERVED;

    private static final AnsweredMessage[] BY_CODE = values();

    /** The code on the wire, 0 to 3. */
    public int code() {
        return ordinal();
    }

    /** The message with a code, 0 to 3. */
    public static AnsweredMessage of(int code) {
        return BY_CODE[code & 3];
    }
}
