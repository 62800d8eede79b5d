package io.rxe.tools.flow;

/** Why a packet of a connection was sent again, or only looks so; with the rule of docs/rules.md that made it. */
public enum RetransmissionCause {
    /** A PSN sequence NAK named it, or what lies before it: the peer discards what follows a gap. */
    SEQUENCE_NAK("PSN sequence NAK", "Q7"),
    /** A gap report named it. */
    GAP_REPORT("gap report", "G2"),
    /** A later response showed that the one to it is missing. */
    IMPLIED_NAK("implied NAK", "Q5"),
    /** It was known to be missing, but its sender first waited for packets that arrive out of order. */
    REORDER_TIMER("reorder timer", "G4"),
    /** Nothing was heard: the oldest or the last packet, before the timeout. Only an rxe does so. */
    PROBE("probe", "T3"),
    /** Nothing was heard for the local ACK timeout. */
    TIMEOUT("ACK timeout", "T3"),
    /** The receiver had no receive request; what lies behind the refused packet was dropped. */
    RNR("RNR wait", "T8"),
    /** The connection took another path. */
    MIGRATION("path migration", "M1"),
    /** A READ or an atomic was requested again, and its answer repeated. */
    REPLAY("answer to a duplicate", "R5"),
    /** A duplicate that asks an idle peer whether it is there. */
    KEEP_ALIVE("keep-alive", "T11"),
    /** A READ request that leaves several times at once, in case some are lost. */
    SEVERAL("READ sent several times", "G7"),
    /** The same packet twice within less than any timer: made by the network, or captured on both sides. */
    COPY("copy, not retransmitted", "R4"),
    /** It arrived behind later ones. */
    DISORDER("late, not retransmitted", "R1"),
    /** The capture has no response that could tell. */
    NOT_CAPTURED("cause not captured", "T6");

    private final String text;
    private final String rule;

    RetransmissionCause(String text, String rule) {
        this.text = text;
        this.rule = rule;
    }

    /** In words. */
    public String text() {
        return text;
    }

    /** The id of the rule, as in docs/rules.md. */
    public String rule() {
        return rule;
    }

    /** Whether a sender made the packet anew, in order to repair a loss. */
    public boolean isRepair() {
        return ordinal() <= MIGRATION.ordinal();
    }
}
