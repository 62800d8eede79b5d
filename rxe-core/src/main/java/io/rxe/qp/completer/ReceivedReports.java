package io.rxe.qp.completer;

import io.rxe.counters.NicCounter;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWindow;
import io.rxe.wire.GapReport;
import io.rxe.wire.Psn;
import org.agrona.DirectBuffer;

/**
 * Takes the gap reports of a peer (rule G2): which packets have arrived, how many came twice, and how many it keeps. A report that is
 * overtaken by a later one adds nothing wrong, because what has arrived stays so.
 *
 * <p>Owned by the engine thread.
 */
final class ReceivedReports {
    private final QueuePairContext context;
    private final SendState send;
    private final SendWindow window;
    private final LossDetector losses;
    private int duplicates;
    private long newestExpected;

    ReceivedReports(QueuePairContext context, SendState send, SendWindow window, LossDetector losses) {
        this.context = context;
        this.send = send;
        this.window = window;
        this.losses = losses;
    }

    /** A new connection. */
    void start() {
        duplicates = 0;
        newestExpected = 0;
    }

    /**
     * Takes what an acknowledgement of a peer that reports its gaps says of them. One without a report says that no gap is open.
     *
     * @return the sequence number that the peer expects, or -1 when there is no report, or a bad one, which is counted.
     */
    long onAcknowledge(InboundPacket packet, long nowNs) {
        int length = packet.payloadLength();
        if (length == 0) {
            window.onNoGap();
            losses.onCoverage(Long.MAX_VALUE, false, nowNs);
            return -1;
        }
        DirectBuffer buffer = packet.buffer();
        int at = packet.payloadOffset();
        if (!send.reportsGaps() || !GapReport.isValid(buffer, at, length)) {
            context.counters().count(NicCounter.BAD_GAP_REPORTS);
            return -1;
        }
        long acked = send.ackedSeq();
        long expected = acked + Psn.subtract(GapReport.expectedPsn(buffer, at), (int) acked & Psn.MASK);
        long end = expected + (GapReport.endPsn(buffer, at) - GapReport.expectedPsn(buffer, at) & Psn.MASK);
        if (end > send.nextSeq()) {
            context.counters().count(NicCounter.BAD_GAP_REPORTS);
            return -1;
        }
        context.counters().count(NicCounter.RCVD_GAP_REPORTS);
        boolean tellsAll = GapReport.gaps(buffer, at) < GapReport.maxGaps(context.mtu());
        losses.onCoverage(tellsAll ? Long.MAX_VALUE : end, GapReport.gaps(buffer, at) > 0, nowNs);
        takeArrivals(buffer, at, expected, end, nowNs);
        takeDuplicates(GapReport.duplicates(buffer, at), nowNs);
        if (expected >= newestExpected) {
            newestExpected = expected;
            if (GapReport.gaps(buffer, at) == 0) {
                window.onNoGap();
            } else {
                window.onRoom(expected + Math.max(1, GapReport.room(buffer, at)), end);
            }
        }
        return expected;
    }

    private void takeArrivals(DirectBuffer buffer, int at, long expected, long end, long nowNs) {
        int gaps = GapReport.gaps(buffer, at);
        int expectedPsn = GapReport.expectedPsn(buffer, at);
        for (int gap = 0; gap < gaps; gap++) {
            long from = expected + (GapReport.firstPsn(buffer, at, gap) - expectedPsn & Psn.MASK) + GapReport.packets(buffer, at, gap);
            long to = gap + 1 < gaps ? expected + (GapReport.firstPsn(buffer, at, gap + 1) - expectedPsn & Psn.MASK) : end;
            losses.onReported(Math.max(from, send.ackedSeq()), to, nowNs);
        }
    }

    private void takeDuplicates(int reported, long nowNs) {
        int more = reported - duplicates;
        if (more > 0) {
            duplicates = reported;
            losses.onDuplicates(more, nowNs);
        }
    }
}
