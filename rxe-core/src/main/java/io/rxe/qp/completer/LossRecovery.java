package io.rxe.qp.completer;

import io.rxe.qp.send.RetryRange;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWindow;
import io.rxe.qp.send.SendWqe;

/**
 * Decides what to retransmit after a loss, and learns whether the peer is a selective-repeat or a go-back-N receiver.
 *
 * <pre>
 *   selective repeat:  1 2 3x4 5 6      NAK 3   ->  3          ACK 6        the ACK passes the probe: only 3 was missing
 *   go-back-N:         1 2 3x4 5 6      NAK 3   ->  3          ACK 3        it does not: 4 5 6 were dropped too, retransmit them
 * </pre>
 *
 * <p>This needs no negotiation. A NAK proves that something behind the gap arrived. So the missing packet is retransmitted alone, as a
 * probe, and the response shows whether the peer kept what followed. While the mode of the peer is unknown, nothing new is sent during a
 * probe. {@link LossDetector} decides that something is lost.
 *
 * <p>Owned by the engine thread.
 */
final class LossRecovery {
    /** What a peer does with packets behind a gap. */
    enum ReceiverMode {
        /** Nothing was lost so far. */
        UNKNOWN,
        /** Keeps them, like our responder. */
        SELECTIVE_REPEAT,
        /** Drops them, like rdma_rxe. */
        GO_BACK_N
    }

    private static final long NONE = -1;
    /** After this many probes in a row whose ACK covered nothing more, a selective-repeat peer is taken for a go-back-N one. */
    private static final int MAX_FAILED_PROBES = 3;

    private final SendState send;
    private final RetryRange range;
    private final SendWindow window;
    private ReceiverMode receiverMode = ReceiverMode.UNKNOWN;
    private long probeSeq = NONE;
    /** One past the probe: one packet, or a run of missing READ responses. */
    private long probeEnd;
    /** One past the last packet sent when the probe was. */
    private long probeLimitSeq;
    /** Whether a NAK caused the probe: only then did the peer have something behind the gap that it may have dropped. */
    private boolean probeFollowsNak;
    /** Missing responses before this one were requested again. */
    private long requestedToSeq;
    /** Missing responses of the oldest gap before this one were requested again. */
    private long gapRequestedToSeq;
    private int failedProbes;
    /** A READ was the probe; its outcome shows a round trip later. */
    private boolean outcomePending;

    LossRecovery(SendState send, SendWindow window) {
        this.send = send;
        this.range = send.retryRange();
        this.window = window;
    }

    /** A new connection. */
    void start() {
        receiverMode = ReceiverMode.UNKNOWN;
        probeSeq = NONE;
        requestedToSeq = 0;
        gapRequestedToSeq = 0;
        failedProbes = 0;
    }

    /** Forgets the losses known so far, since everything from a sequence number on will be retransmitted. */
    void restart(long fromSeq) {
        probeSeq = NONE;
        requestedToSeq = fromSeq;
        gapRequestedToSeq = fromSeq;
        range.pauseNew(false);
    }

    /** The peer received a packet behind a missing one. Everything before the missing one is acknowledged already. */
    void onSequenceNak(long seq) {
        if (receiverMode == ReceiverMode.GO_BACK_N) {
            window.onGoBackNLoss();
            range.add(seq, send.nextSeq());
            return;
        }
        window.onSelectiveRepeatLoss();
        beginProbe(seq, true);
        range.pauseNew(receiverMode == ReceiverMode.UNKNOWN);
    }

    /** No response for a while, but not yet for the ACK timeout: retransmits the oldest packet to find out what is missing. */
    void onProbe() {
        requestedToSeq = send.ackedSeq();
        gapRequestedToSeq = requestedToSeq;
        if (outcomePending && send.ackedSeq() < probeLimitSeq) {
            outcomePending = false;
            receiverMode = ReceiverMode.GO_BACK_N;
            window.onGoBackNLoss();
            range.add(send.ackedSeq(), probeLimitSeq);
        } else {
            beginProbe(send.ackedSeq(), false);
        }
    }

    /** The ACK timeout expired: retransmits everything that is not acknowledged. */
    void onTimeout() {
        requestedToSeq = send.ackedSeq();
        gapRequestedToSeq = requestedToSeq;
        probeSeq = NONE;
        range.pauseNew(false);
        window.onTimeout();
        range.add(send.ackedSeq(), send.nextSeq());
    }

    /** Whether every response known to be missing was requested again already, so that only a timer may request it once more. */
    boolean isAllRequested() {
        return isOldestRequested() && send.missing().firstRequestable(Math.max(send.ackedSeq(), requestedToSeq)) >= send.missing().endSeq();
    }

    /** Whether the response with a sequence number may have been requested more than once. */
    boolean wasRetransmitted(long seq) {
        return seq < requestedToSeq;
    }

    /** Whether the oldest missing response was requested again already, so that only further ones are newly missing. */
    boolean isOldestRequested() {
        return gapRequestedToSeq > send.ackedSeq();
    }

    /**
     * Responses to READs or atomics are missing although later ones arrived: requests only those, and of each READ request only its first
     * gap. When that gap is closed and another is left, the acknowledged edge is at the other one, and the next call requests it.
     */
    void onMissingResponses() {
        long edge = send.ackedSeq();
        long end = send.missing().endSeq();
        long from = edge;
        if (isOldestRequested()) {
            from = Math.max(edge, requestedToSeq);
        } else if (requestedToSeq > edge) {
            // Later requests were retransmitted already, with the gap that was here before.
            end = Math.min(end, send.missing().requestEnd());
        }
        gapRequestedToSeq = send.missing().gapEnd();
        requestedToSeq = Math.max(requestedToSeq, end);
        range.add(from, end);
    }

    /** The acknowledged edge moved; {@code byNak} when a sequence NAK moved it, which names the next gap itself. */
    void onAdvance(boolean byNak) {
        long acked = send.ackedSeq();
        if (probeSeq == NONE) {
            if (outcomePending) {
                outcomePending = false;
                receiverMode = ReceiverMode.SELECTIVE_REPEAT;
            }
            if (receiverMode == ReceiverMode.GO_BACK_N && !range.isEmpty() && acked > range.fromSeq()) {
                receiverMode = ReceiverMode.SELECTIVE_REPEAT;
            }
            return;
        }
        if (acked < probeEnd) {
            return;
        }
        boolean isPassed = acked > probeEnd || send.executedSeq() > probeEnd;
        boolean isRead = probeEnd > probeSeq + 1;
        probeSeq = NONE;
        range.pauseNew(false);
        if (isPassed) {
            receiverMode = ReceiverMode.SELECTIVE_REPEAT;
            failedProbes = 0;
        } else if (isRead) {
            // The peer responds to what follows packet by packet: whether it does shows a round trip later.
            outcomePending = probeFollowsNak;
        } else if (!byNak && acked < probeLimitSeq) {
            onFailedProbe(acked);
        }
    }

    /** The ACK covers the probe and nothing more. A known selective-repeat peer has to do so several times in a row to change mode. */
    private void onFailedProbe(long acked) {
        if (receiverMode == ReceiverMode.SELECTIVE_REPEAT && ++failedProbes < MAX_FAILED_PROBES) {
            beginProbe(acked, probeFollowsNak);
            return;
        }
        if (probeFollowsNak) {
            receiverMode = ReceiverMode.GO_BACK_N;
            window.onGoBackNLoss();
        }
        range.add(acked, probeLimitSeq);
    }

    private void beginProbe(long seq, boolean followsNak) {
        SendWqe wqe = send.find(seq);
        probeSeq = seq;
        probeEnd = wqe != null && wqe.operation().isReadOrAtomic()
            ? wqe.firstSeq() + wqe.read().missingEnd(seq - wqe.firstSeq()) : seq + 1;
        probeLimitSeq = send.nextSeq();
        outcomePending = false;
        probeFollowsNak = followsNak;
        range.add(seq, probeEnd);
    }
}
