package io.rxe.qp.completer;

import io.rxe.qp.SendState;
import io.rxe.qp.SendWindow;

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

    private final SendState send;
    private final SendWindow window;
    private PeerHabit habit = PeerHabit.UNKNOWN;
    private long trialSeq = NONE;
    private long trialLimit;
    private boolean trialProves;
    private long repairedTo;
    private long edgeAskedTo;

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
        beginTrial(send.ackedSeq(), false);
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
            if (habit == PeerHabit.DISCARDS && send.isRetrying() && acked > send.againSeq()) {
                habit = PeerHabit.KEEPS;
            }
            return;
        }
        if (acked <= trialSeq) {
            return;
        }
        boolean jumped = acked > trialSeq + 1;
        trialSeq = NONE;
        send.holdNew(false);
        if (jumped) {
            habit = PeerHabit.KEEPS;
        } else if (!byNak && acked < trialLimit) {
            if (trialProves) {
                habit = PeerHabit.DISCARDS;
                window.onLossDiscarded();
            }
            send.sendAgain(acked, trialLimit);
        }
    }

    private void beginTrial(long seq, boolean proves) {
        trialSeq = seq;
        trialLimit = send.nextSeq();
        trialProves = proves;
        send.sendAgain(seq, seq + 1);
    }
}
