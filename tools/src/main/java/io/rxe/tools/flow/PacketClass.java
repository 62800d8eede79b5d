package io.rxe.tools.flow;

/** Role of a packet in its connection; the letter is printed beside its line. */
public enum PacketClass {
    ORDINARY(' '),
    /** Seen before: retransmitted, or duplicated by the network. */
    RETRANSMITTED('R'),
    /** Packets before it are missing. */
    GAP('G'),
    /** Fills a gap. */
    FILLS_GAP('F'),
    /** A NAK other than RNR. */
    NAK('N'),
    /** An RNR NAK. */
    RNR_NAK('W'),
    /** Bad ICRC, malformed or dropped. */
    INVALID('X');

    private final char letter;

    PacketClass(char letter) {
        this.letter = letter;
    }

    char letter() {
        return letter;
    }

    /** Whether nothing is remarkable. */
    public boolean isOrdinary() {
        return this == ORDINARY;
    }
}
