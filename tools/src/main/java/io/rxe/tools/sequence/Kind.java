package io.rxe.tools.sequence;

import io.rxe.tools.flow.RetransmissionCause;

/** What a mark of the picture stands for: one colour, one entry of the legend. */
enum Kind {
    FIRST("first transmission", "P2"),
    SEQUENCE_NAK(RetransmissionCause.SEQUENCE_NAK),
    GAP_REPORT(RetransmissionCause.GAP_REPORT),
    IMPLIED_NAK(RetransmissionCause.IMPLIED_NAK),
    REORDER_TIMER(RetransmissionCause.REORDER_TIMER),
    PROBE(RetransmissionCause.PROBE),
    TIMEOUT(RetransmissionCause.TIMEOUT),
    RNR(RetransmissionCause.RNR),
    MIGRATION(RetransmissionCause.MIGRATION),
    REPLAY(RetransmissionCause.REPLAY),
    KEEP_ALIVE(RetransmissionCause.KEEP_ALIVE),
    SEVERAL(RetransmissionCause.SEVERAL),
    COPY(RetransmissionCause.COPY),
    DISORDER(RetransmissionCause.DISORDER),
    NOT_CAPTURED(RetransmissionCause.NOT_CAPTURED),
    RESPONSE("READ response", "P2"),
    NAK_SENT("NAK PSN sequence error", "R1"),
    REPORT_SENT("gap report", "G3"),
    RNR_SENT("RNR NAK", "R8"),
    REFUSAL("refused", "R3"),
    ACKED("acknowledged", "Q4"),
    CREDITED("credits", "R19"),
    ROUND_TRIP("round trip", "G4"),
    IN_FLIGHT("in flight", "P4"),
    MARKED("marked CE", ""),
    NOTIFIED("CNP", "");

    private final String label;
    private final String rule;

    Kind(String label, String rule) {
        this.label = label;
        this.rule = rule;
    }

    Kind(RetransmissionCause cause) {
        this(cause.text(), cause.rule());
    }

    static Kind of(RetransmissionCause cause) {
        return cause == null ? FIRST : values()[SEQUENCE_NAK.ordinal() + cause.ordinal()];
    }

    String label() {
        return label;
    }

    String rule() {
        return rule;
    }

    /** Its name in style sheets. */
    String style() {
        return name().toLowerCase().replace('_', '-');
    }

    /** Whether it is drawn as a line that joins its marks. */
    boolean isLine() {
        return this == ACKED || this == CREDITED || this == IN_FLIGHT;
    }
}
