package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;

/**
 * What happens to a request behind a gap: it is kept in the {@link ReorderBuffer}, or dropped and counted. Kept requests are dropped when
 * another one claims the PSN of one of them (rule R3), and when the gap has not moved for a second.
 *
 * <p>Owned by the engine thread.
 */
final class KeptRequests {
    /** Kept requests are dropped when the gap before them has not moved for this long: the peer has to retransmit them anyway. */
    private static final long MAX_KEPT_NS = 1_000_000_000;

    private final QueuePairContext context;
    private final ReorderBuffer buffer;
    private final GapReports reports;
    /** When the gap opened or moved last; valid while requests are kept behind it. */
    private long sinceNs;

    KeptRequests(QueuePairContext context, FramePool pool) {
        this.context = context;
        this.buffer = new ReorderBuffer(pool);
        this.reports = new GapReports(context, buffer);
    }

    ReorderBuffer buffer() {
        return buffer;
    }

    /** What the peer learns of them. */
    GapReports reports() {
        return reports;
    }

    /** A request arrived behind a gap. */
    void add(InboundPacket packet, long seq, long expectedSeq, long nowNs) {
        if (seq - expectedSeq >= (reports.isKnown() ? ReorderBuffer.LONG_WINDOW : ReorderBuffer.WINDOW)) {
            context.counters().drop(DropReason.PSN_GAP);
        } else if (buffer.has(seq)) {
            addAgain(packet, seq);
        } else if (buffer.keep(seq, packet)) {
            sinceNs = buffer.count() == 1 ? nowNs : sinceNs;
            context.counters().count(NicCounter.REORDER_BUFFERED);
            context.counters().mark(NicCounter.REORDER_HIGH_WATER, buffer.count());
        } else {
            context.counters().drop(DropReason.REORDER_BUFFER_FULL);
        }
    }

    /** A request arrived again while it is kept. If it is another one, neither is believed: the peer has to retransmit all of them. */
    private void addAgain(InboundPacket packet, long seq) {
        if (buffer.isSame(seq, packet)) {
            if (Bth.isRepeated(packet.buffer(), packet.offset())) {
                context.counters().drop(DropReason.REPEATED_READ);
                return;
            }
            context.counters().count(NicCounter.DUPLICATE_REQUEST);
            context.counters().drop(DropReason.PSN_GAP);
            reports.onDuplicate();
        } else {
            context.counters().drop(DropReason.CONFLICTING_REQUEST);
            dropAll(DropReason.CONFLICTING_REQUEST);
        }
    }

    /** The gap moved, and a later one is open. */
    void onMoved(long nowNs) {
        sinceNs = nowNs;
    }

    /** When they are dropped unless the gap moves before, or {@link Long#MAX_VALUE}. */
    long deadlineNs() {
        return buffer.isEmpty() ? Long.MAX_VALUE : sinceNs + MAX_KEPT_NS;
    }

    /** The gap did not move in time. */
    void expire() {
        dropAll(DropReason.REORDER_EXPIRED);
    }

    private void dropAll(DropReason reason) {
        for (int i = buffer.count(); i > 0; i--) {
            context.counters().drop(reason);
        }
        buffer.clear();
        reports.onDiscarded();
    }
}
