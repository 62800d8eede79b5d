package io.rxe.qp.completer;

import io.rxe.qp.SendState;
import io.rxe.qp.SendWindow;
import io.rxe.qp.SendWqe;

/**
 * Decides what to send again, and learns how the peer treats what arrives behind a gap.
 *
 * <pre>
 *   peer that keeps:     1 2 3x4 5 6      NAK 3   ->  3          ACK 6        the answer jumps: only 3 was missing
 *   peer that discards:  1 2 3x4 5 6      NAK 3   ->  3          ACK 3        it does not: 4 5 6 are gone as well, go back N
 * </pre>
 *
 * <p>No negotiation is needed. A NAK proves that something behind the gap arrived; so the one missing packet is sent alone, as a
 * trial, and the answer tells. Until a peer's habit is known nothing new is sent during the trial.
 *
 * <p>Owned by the engine thread.
 */
final class LossRecovery {
    /** What a peer does with packets behind a gap. */
    enum PeerHabit {
        UNKNOWN,
        KEEPS,
        DISCARDS
    }

    private static final long NONE = -1;
    /** So many trials in a row without a jump turn a peer that kept into one that discards. */
    private static final int STRIKES = 3;

    private final SendState send;
    private final SendWindow window;
    private PeerHabit habit = PeerHabit.UNKNOWN;
    private long trialSeq = NONE;
    /** One past the packets that were tried: a READ is tried whole. */
    private long trialEnd;
    private long trialLimit;
    private boolean trialProves;
    private long repairedTo;
    private long edgeAskedTo;
    private int strikes;
    private boolean verdictDue;

    LossRecovery(SendState send, SendWindow window) {
        this.send = send;
        this.window = window;
    }

    /** A new connection. */
    void start() {
        habit = PeerHabit.UNKNOWN;
        trialSeq = NONE;
        repairedTo = 0;
        edgeAskedTo = 0;
        strikes = 0;
    }

    /** What is known of losses is void, since everything from a sequence number on will be sent again anyway. */
    void restart(long fromSeq) {
        trialSeq = NONE;
        repairedTo = fromSeq;
        edgeAskedTo = fromSeq;
        send.holdNew(false);
    }

    PeerHabit habit() {
        return habit;
    }

    /** The peer misses a packet and has seen one behind it. Everything before it is acknowledged already. */
    void onSequenceNak(long seq) {
        if (habit == PeerHabit.DISCARDS) {
            window.onLossDiscarded();
            send.sendAgain(seq, send.nextSeq());
            return;
        }
        window.onLossKept();
        beginTrial(seq, true);
        send.holdNew(habit == PeerHabit.UNKNOWN);
    }

    /** Nothing came for a while, but not yet for the transport timeout: the oldest packet is sent again to find out what is missing. */
    void onProbe() {
        repairedTo = send.ackedSeq();
        edgeAskedTo = repairedTo;
        if (verdictDue && send.ackedSeq() < trialLimit) {
            verdictDue = false;
            habit = PeerHabit.DISCARDS;
            window.onLossDiscarded();
            send.sendAgain(send.ackedSeq(), trialLimit);
        } else {
            beginTrial(send.ackedSeq(), false);
        }
    }

    /** Nothing came for the transport timeout. */
    void onTimeout() {
        repairedTo = send.ackedSeq();
        edgeAskedTo = repairedTo;
        trialSeq = NONE;
        send.holdNew(false);
        window.onTimeout();
        send.sendAgain(send.ackedSeq(), send.nextSeq());
    }

    /** Whether every answer known to be missing was asked for already, and only a timer may ask again. */
    boolean isHoleAsked() {
        return isHoleFurther() && send.firstAskable(Math.max(send.ackedSeq(), repairedTo)) >= send.holeEnd();
    }

    /** Whether the answer with a sequence number may have been asked for more than once. */
    boolean wasAskedAgain(long seq) {
        return seq < repairedTo;
    }

    /** Whether the oldest missing answer was asked for already, and only further ones are noticed missing now. */
    boolean isHoleFurther() {
        return edgeAskedTo > send.ackedSeq();
    }

    /**
     * Answers to READs or atomics are missing although later ones came: only those are asked for, of each chunk of a READ its first gap.
     * When that gap is closed and another one is left in the chunk, the edge has arrived there, and the next call asks for it.
     */
    void onHole() {
        long edge = send.ackedSeq();
        long end = send.holeEnd();
        long from = edge;
        if (isHoleFurther()) {
            from = Math.max(edge, repairedTo);
        } else if (repairedTo > edge) {
            // Further chunks were asked for with the gap that was here before.
            end = Math.min(end, send.edgeChunkEnd());
        }
        edgeAskedTo = send.edgeGapEnd();
        repairedTo = Math.max(repairedTo, end);
        send.sendAgain(from, end);
    }

    /** The acknowledged edge moved; {@code byNak} when a sequence NAK moved it, which names the next gap itself. */
    void onAdvance(boolean byNak) {
        long acked = send.ackedSeq();
        if (trialSeq == NONE) {
            if (verdictDue) {
                verdictDue = false;
                habit = PeerHabit.KEEPS;
            }
            if (habit == PeerHabit.DISCARDS && send.isRetrying() && acked > send.againSeq()) {
                habit = PeerHabit.KEEPS;
            }
            return;
        }
        if (acked < trialEnd) {
            return;
        }
        boolean jumped = acked > trialEnd || send.executedSeq() > trialEnd;
        boolean isRead = trialEnd > trialSeq + 1;
        trialSeq = NONE;
        send.holdNew(false);
        if (jumped) {
            habit = PeerHabit.KEEPS;
            strikes = 0;
        } else if (isRead) {
            // The answers to what follows would come one by one: whether they do is known a round trip later.
            verdictDue = trialProves;
        } else if (!byNak && acked < trialLimit) {
            onNoJump(acked);
        }
    }

    /** The peer took the packet and nothing more. A peer that is known to keep what follows has to show it several times in a row. */
    private void onNoJump(long acked) {
        if (habit == PeerHabit.KEEPS && ++strikes < STRIKES) {
            beginTrial(acked, trialProves);
            return;
        }
        if (trialProves) {
            habit = PeerHabit.DISCARDS;
            window.onLossDiscarded();
        }
        send.sendAgain(acked, trialLimit);
    }

    private void beginTrial(long seq, boolean proves) {
        SendWqe wqe = send.find(seq);
        trialSeq = seq;
        trialEnd = wqe != null && wqe.operation().isReadOrAtomic()
            ? wqe.firstSeq() + wqe.read().missingEnd(seq - wqe.firstSeq()) : seq + 1;
        trialLimit = send.nextSeq();
        verdictDue = false;
        trialProves = proves;
        send.sendAgain(seq, trialEnd);
    }
}
