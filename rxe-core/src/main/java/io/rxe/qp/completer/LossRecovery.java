package io.rxe.qp.completer;

import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWindow;
import io.rxe.qp.send.SendWqe;
import io.rxe.qp.send.SentPackets;

/**
 * Decides what to retransmit after a loss, and learns whether a peer that does not report its gaps is a selective-repeat or a go-back-N
 * receiver.
 *
 * <pre>
 *   selective repeat:  1 2 3x4 5 6      NAK 3   ->  3          ACK 6        the ACK passes the probe: only 3 was missing
 *   go-back-N:         1 2 3x4 5 6      NAK 3   ->  3          ACK 3        it does not: 4 5 6 were dropped too, retransmit them
 * </pre>
 *
 * <p>This needs no negotiation. A NAK proves that something behind the gap arrived. So the missing packet is retransmitted alone, as a
 * probe, and the response shows whether the peer kept what followed. While the mode of the peer is unknown, nothing new is sent during a
 * probe. {@link LossDetector} decides that something is lost; what {@link Rack} finds is retransmitted without further ado.
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
    private final SentPackets packets;
    private final SendWindow window;
    private ReceiverMode receiverMode = ReceiverMode.UNKNOWN;
    private long probeSeq = NONE;
    /** One past the probe: one packet, or a run of missing READ responses. */
    private long probeEnd;
    /** One past the last packet sent when the probe was. */
    private long probeLimitSeq;
    /** Whether a NAK caused the probe: only then did the peer have something behind the gap that it may have dropped. */
    private boolean probeFollowsNak;
    private int failedProbes;
    /** A READ was the probe; its outcome shows a round trip later. */
    private boolean outcomePending;

    LossRecovery(SendState send, SendWindow window) {
        this.send = send;
        this.packets = send.packets();
        this.window = window;
    }

    /** A new connection. */
    void start() {
        receiverMode = ReceiverMode.UNKNOWN;
        probeSeq = NONE;
        failedProbes = 0;
        outcomePending = false;
    }

    /** Whether the peer discards what follows a gap. */
    boolean isToGoBackN() {
        return receiverMode == ReceiverMode.GO_BACK_N;
    }

    /** Forgets the losses known so far, since everything that is not acknowledged will be retransmitted. */
    void restart() {
        probeSeq = NONE;
        // What follows is retransmitted, so that its arrival does not tell whether the peer had kept it.
        outcomePending = false;
        packets.forgetArrived();
        packets.forgetLost();
        packets.pauseNew(false);
        window.onNoGap();
    }

    /** The peer turned out to report its gaps: what its NAKs seemed to show of it no longer counts. */
    void onReportingPeer() {
        probeSeq = NONE;
        outcomePending = false;
        packets.pauseNew(false);
        window.onReportingPeer();
    }

    /** The peer received a packet behind a missing one. Everything before the missing one is acknowledged already. */
    void onSequenceNak(long seq) {
        if (send.reportsGaps()) {
            // It has discarded what it kept (rule G3).
            restart();
            packets.lose(seq, send.nextSeq());
        } else if (receiverMode == ReceiverMode.GO_BACK_N) {
            onGoBackNLoss(seq, send.nextSeq());
        } else if (outcomePending && seq == probeEnd && seq < probeLimitSeq) {
            // It answered the probe, and misses what was sent behind that.
            window.onLost(1, 0);
            outcomePending = false;
            onFailedProbe(seq);
        } else {
            window.onLost(1, 0);
            beginProbe(seq, true);
            packets.pauseNew(receiverMode == ReceiverMode.UNKNOWN);
        }
    }

    /**
     * No response for a while, but not yet for the ACK timeout: retransmits one packet to find out what is missing, or all that a
     * go-back-N peer would miss.
     */
    void onProbe(boolean isFirst) {
        if (send.reportsGaps()) {
            probeReportingPeer(isFirst);
        } else if (outcomePending && send.ackedSeq() < probeLimitSeq) {
            outcomePending = false;
            receiverMode = ReceiverMode.GO_BACK_N;
            onGoBackNLoss(send.ackedSeq(), probeLimitSeq);
        } else if (isFirst && receiverMode == ReceiverMode.GO_BACK_N && !send.oldest().operation().isReadOrAtomic()) {
            // The NAK is lost, or what it made leave again: the peer discards whatever lies behind the oldest packet.
            onGoBackNLoss(send.ackedSeq(), send.nextSeq());
        } else {
            // What a NAK said is still true when its probe is repeated.
            beginProbe(send.ackedSeq(), probeSeq == send.ackedSeq() && probeFollowsNak);
        }
    }

    /** The last packet first: its acknowledgement tells all gaps before it. */
    private void probeReportingPeer(boolean isFirst) {
        long last = send.nextSeq() - 1;
        SendWqe wqe = send.find(last);
        if (isFirst && wqe != null && !wqe.operation().isReadOrAtomic() && !packets.isArrived(last) && !packets.isLost(last)) {
            packets.probe(last);
        } else {
            packets.lose(send.ackedSeq(), oldestEnd(send.ackedSeq()));
        }
    }

    /** The ACK timeout expired. */
    void onTimeout() {
        if (!send.reportsGaps()) {
            window.onTimeout();
        }
        // What has not left since it was lost is not lost again.
        long lostBefore = packets.lostPackets();
        long readsBefore = packets.lostReads();
        retransmitAll();
        window.onLost(packets.lostPackets() - lostBefore, packets.lostReads() - readsBefore);
    }

    /** Retransmits everything that is not acknowledged. */
    void retransmitAll() {
        restart();
        packets.lose(send.ackedSeq(), send.nextSeq());
    }

    /** The acknowledged edge moved; {@code byNak} when a sequence NAK moved it, which names the next gap itself. */
    void onAdvance(boolean byNak) {
        long acked = send.ackedSeq();
        if (probeSeq == NONE) {
            if (outcomePending) {
                outcomePending = false;
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
        packets.pauseNew(false);
        if (receiverMode == ReceiverMode.GO_BACK_N && !probeFollowsNak) {
            // The probe was answered, and the NAK was lost that would have told what is missing.
            onGoBackNLoss(acked, Math.max(acked, probeLimitSeq));
        } else if (isPassed) {
            // Without a NAK, all may have arrived in order, and only the acknowledgement was lost.
            receiverMode = probeFollowsNak ? ReceiverMode.SELECTIVE_REPEAT : receiverMode;
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
            onGoBackNLoss(acked, probeLimitSeq);
        } else {
            packets.lose(acked, probeLimitSeq);
        }
    }

    /** The peer discarded what followed a loss. READ requests are few: what they demand is in flight the other way. */
    private void onGoBackNLoss(long seq, long endSeq) {
        SendWqe wqe = send.find(seq);
        if (wqe != null && wqe.operation().isReadOrAtomic()) {
            window.onLost(1, 0);
        } else {
            window.onGoBackNLoss();
        }
        packets.lose(seq, endSeq);
    }

    private void beginProbe(long seq, boolean followsNak) {
        probeSeq = seq;
        probeEnd = oldestEnd(seq);
        probeLimitSeq = send.nextSeq();
        outcomePending = false;
        probeFollowsNak = followsNak;
        packets.lose(seq, probeEnd);
    }

    private long oldestEnd(long seq) {
        SendWqe wqe = send.find(seq);
        return wqe != null && wqe.operation().isReadOrAtomic()
            ? wqe.firstSeq() + wqe.read().missingEnd(seq - wqe.firstSeq()) : seq + 1;
    }
}
