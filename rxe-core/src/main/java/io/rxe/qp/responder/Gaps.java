package io.rxe.qp.responder;

import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.NakDelay;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Syndrome;

/**
 * Gaps in the peer's requests: what arrived behind one is kept, and the peer learns what is missing.
 *
 * <pre>
 *   a peer that knows reports   a report at once, and none of the rest (rule G3)
 *   any other                   one PSN sequence NAK, at once or after a delay when earlier gaps closed by themselves (rule R1)
 * </pre>
 *
 * <p>Owned by the engine thread.
 */
final class Gaps {
    private final ResponseQueue responses;
    private final KeptRequests kept;
    private final GapReports reports;
    private final NakDelay nakDelay = new NakDelay();
    private long lastNs;
    /** The peer retransmits what is before an open gap: it is missing an acknowledgement. */
    private boolean peerRetransmits;

    Gaps(KeptRequests kept, GapReports reports, ResponseQueue responses) {
        this.kept = kept;
        this.reports = reports;
        this.responses = responses;
    }

    /** A new connection with a peer. */
    void start(Gid peer) {
        kept.buffer().start(peer);
        nakDelay.start();
        reports.start();
        peerRetransmits = false;
    }

    /**
     * A request with the expected PSN is processed.
     *
     * @param isKept whether it was kept behind a gap.
     * @return whether a NAK requested it.
     */
    boolean onInOrder(InboundPacket request, boolean isKept) {
        if (!isKept) {
            reports.onInOrder(Bth.isMarked(request.buffer(), request.offset()));
        }
        boolean isRequested = nakDelay.isReported() && !responses.isNakPending();
        if (nakDelay.isReported() || reports.isRevoking()) {
            responses.withdrawNak();
        }
        return isRequested;
    }

    /** A request that was executed arrived again. */
    void onDuplicate(long seq) {
        nakDelay.onCopy(seq);
        peerRetransmits = nakDelay.isDelaying();
    }

    /** A request arrived behind a gap: keeps it. */
    void onBehindGap(InboundPacket request, long seq, long expectedSeq, long nowNs) {
        reports.onBehindGap(Bth.isMarked(request.buffer(), request.offset()));
        kept.add(request, seq, expectedSeq, nowNs);
        lastNs = nowNs;
    }

    /** The expected request arrived. */
    void onProgress(long nowNs) {
        nakDelay.onClosed(nowNs);
        peerRetransmits = false;
    }

    /** After progress another gap is open. */
    void onMoved(long expectedSeq, long nowNs) {
        kept.onMoved(nowNs);
        open(expectedSeq, lastNs);
    }

    void open(long expectedSeq, long gapNs) {
        if (reports.isKnown() && responses.canGrant(expectedSeq)) {
            reports.request();
            responses.acknowledge();
        } else {
            nakDelay.onGap(gapNs);
        }
    }

    /** Nothing is kept any more, and the peer retransmits everything. */
    void close(long nowNs) {
        nakDelay.onClosed(nowNs);
        reports.forget();
    }

    /** Queues a NAK that is due. */
    void poll(long expectedSeq, boolean isAtFlush, long nowNs) {
        if (!isAtFlush && nowNs >= kept.deadlineNs()) {
            kept.expire();
        }
        reports.update(expectedSeq, isAtFlush);
        if (reports.isRevocationDue()) {
            responses.nak(Syndrome.PSN_SEQUENCE_ERROR, expectedSeq);
        }
        if (nakDelay.isDue(nowNs)) {
            nakDelay.onReported(expectedSeq);
            responses.nak(Syndrome.PSN_SEQUENCE_ERROR, expectedSeq);
        }
    }

    /** When a gap is reported with a NAK unless it closes before, or {@link Long#MAX_VALUE}. */
    long nakDelayDeadlineNs() {
        return nakDelay.deadlineNs();
    }

    /**
     * Whether an acknowledgement waits because a gap may still close: the next one covers it, and to the peer it would look like the
     * response of a go-back-N receiver.
     */
    boolean isAckDeferred() {
        return nakDelay.isDelaying() && !peerRetransmits;
    }
}
