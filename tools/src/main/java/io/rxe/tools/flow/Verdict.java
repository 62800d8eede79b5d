package io.rxe.tools.flow;

/** What a packet means in its connection; the letter stands beside its line. */
enum Verdict {
    ORDINARY(' '),
    /** Seen before: sent again, or a copy. */
    AGAIN('R'),
    /** Something before it is missing. */
    GAP('G'),
    /** Fills a gap. */
    FILLS_GAP('F'),
    /** A NAK, but RNR. */
    NAK('N'),
    /** The receiver was not ready. */
    RECEIVER_NOT_READY('W'),
    /** Bad ICRC, malformed or dropped. */
    TROUBLE('X');

    private final char letter;

    Verdict(char letter) {
        this.letter = letter;
    }

    char letter() {
        return letter;
    }

    boolean isOrdinary() {
        return this == ORDINARY;
    }
}
