package io.rxe.model;

import static io.rxe.model.Receiver.GAP_REPORTS;
import static io.rxe.model.Receiver.GO_BACK_N;
import static io.rxe.model.Receiver.SELECTIVE_REPEAT;

/**
 * Defects that the check of the model must find. Each is a few lines of the model behind {@code #ifdef D_NAME}. Where the simulation plants
 * the same defect into the code, the name of that one (io.rxe.sim.Defect, io.rxe.sim.RuleDefect) is given.
 */
enum ModelDefect {
    REPEATS_DUPLICATES(GO_BACK_N, true, "REPEATS_WRITE, REPEATS_SEND", "a duplicate is executed again (R4)"),
    DROPS_DUPLICATES(GO_BACK_N, false, "DROPS_DUPLICATES", "a duplicate is dropped without an ACK (R4)"),
    NAKS_DUPLICATES(GO_BACK_N, true, "NAKS_DUPLICATES", "a duplicate is answered with a PSN sequence NAK (R3)"),
    EXECUTES_BEHIND_A_GAP(GO_BACK_N, true, "FLUSH_OVERTAKES", "a packet behind a gap is executed at once (R1)"),
    CLOSES_GAPS_BLINDLY(SELECTIVE_REPEAT, true, "", "when a gap closes, all that is kept is executed, across a second gap (R1)"),
    ACKNOWLEDGES_EARLY(SELECTIVE_REPEAT, false, "ACKNOWLEDGES_EARLY", "a packet kept behind a gap is acknowledged (R2)"),
    NAK_NAMES_WHAT_ARRIVED(GO_BACK_N, true, "", "a NAK has the PSN behind the missing packet, and so acknowledges that one (R2)"),
    NEVER_NAKS(GO_BACK_N, false, "NEVER_REPORTS_GAPS", "no NAK is sent for a gap (R1)"),
    NEVER_REPORTS_GAPS(GAP_REPORTS, false, "NEVER_REPORTS_GAPS", "no report is sent for a gap (G3)"),
    NAKS_ONCE(GO_BACK_N, false, "", "after the first NAK no other is sent: its state is never cleared (R1)"),
    NAKS_EVERY_PACKET(GO_BACK_N, true, "", "every packet behind a gap gets a NAK of its own (R1)"),
    KEEPS_NAK(GO_BACK_N, true, "", "a NAK is sent although the gap closed before it left (R1)"),
    FORGETS_MESSAGE_NUMBER(GO_BACK_N, true, "FORGETS_MESSAGE_NUMBER", "the MSN is not incremented (R15)"),
    ACCEPTS_GHOSTS(GO_BACK_N, true, "ACCEPTS_GHOSTS", "an ACK of a PSN that was never sent is accepted (P5)"),
    ACKNOWLEDGES_ONE_TOO_MANY(GO_BACK_N, true, "", "an ACK covers the packet behind its PSN as well (Q4)"),
    COMPLETES_EARLY(GO_BACK_N, true, "COMPLETES_READ_EARLY", "the ACK of its first packet completes a message (Q4)"),
    COMPLETES_BACKWARDS(GO_BACK_N, true, "COMPLETES_BACKWARDS", "messages acknowledged together complete in reverse order (Q14)"),
    WINDOW_TOO_LARGE(SELECTIVE_REPEAT, true, "", "the window is one packet more than half of the PSN space (P4)"),
    IGNORES_WINDOW(GO_BACK_N, true, "IGNORES_SEND_WINDOW", "packets are sent beyond the window (P4)"),
    COMPARES_WITHOUT_WRAP(GO_BACK_N, true, "", "PSNs are compared as plain numbers (P3)"),
    MISCOUNTS_AT_WRAP(GO_BACK_N, true, "MISCOUNTS_AT_WRAP", "a PSN difference across the wrap is one too large (P3)"),
    TIMER_NEVER_FIRES(GO_BACK_N, false, "TIMER_NEVER_FIRES", "the timer never expires (T3)"),
    RETRANSMISSION_SKIPS_A_PACKET(GO_BACK_N, false, "", "a retransmission begins behind the oldest packet (P6, T3)"),
    MISREPORTS_GAPS(GAP_REPORTS, true, "", "the responder reports its gaps one packet too early (G2)"),
    MISREADS_GAPS(GAP_REPORTS, true, "", "the requester reads the gaps of a report one packet too early (G2)"),
    NEVER_REVOKES(GAP_REPORTS, false, "NEVER_REVOKES", "what was reported as arrived is dropped in silence (G3)"),
    IGNORES_REVOCATION(GAP_REPORTS, false, "", "after a NAK the requester still counts what was reported as arrived (G6)"),
    NEVER_FORGETS(GAP_REPORTS, false, "", "when the timer expires, what was reported still counts as arrived (G6)");

    /** What the responder does behind a gap. */
    final Receiver receiver;
    /** Whether the configuration with any number of faults finds it: else the one with a few faults and a timer. */
    final boolean anyFaults;
    /** The defects of the simulation that are the same mistake, with commas between them, or empty. */
    final String twins;
    final String sentence;

    ModelDefect(Receiver receiver, boolean anyFaults, String twins, String sentence) {
        this.receiver = receiver;
        this.anyFaults = anyFaults;
        this.twins = twins;
        this.sentence = sentence;
    }

    /** The name that plants it into the model. */
    String macro() {
        return "D_" + (this == NEVER_NAKS ? NEVER_REPORTS_GAPS : this).name();
    }
}
