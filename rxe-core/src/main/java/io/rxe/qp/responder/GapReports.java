package io.rxe.qp.responder;

import io.rxe.counters.NicCounter;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.wire.GapReport;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Psn;
import org.agrona.MutableDirectBuffer;

/**
 * What a peer that set the mark learns of the gaps in its requests (rules G1 to G3).
 *
 * <pre>
 *   a marked request arrives, in order or behind a gap   every response has the mark
 *   the last request in order had the mark               acknowledgements may carry a report
 *   the last request in order had none                   the peer gets NAKs, as any other
 * </pre>
 *
 * <p>A forged request behind a gap needs no exact PSN. So it brings the peer the mark, which means nothing to others, but no report.
 *
 * <p>Owned by the engine thread.
 */
final class GapReports {
    private static final int MAX_HEADERS_AND_ICRC = HeaderValidator.MAX_LENGTH - 4096;

    private final QueuePairContext context;
    private final ReorderBuffer reorder;
    /** First PSN and packets of each gap; allocated with the first report. */
    private int[] firsts = new int[0];
    private int[] packets = new int[0];
    private boolean marking;
    private boolean known;
    private boolean due;
    /** A report called kept requests arrived, and none of them was dropped since. */
    private boolean reported;
    /** Kept requests were dropped that a report called arrived. */
    private boolean discarded;
    private int duplicates;
    private long expectedSeq;
    private boolean atFlush;
    private int gaps;
    private int endPsn;
    private int room;

    GapReports(QueuePairContext context, ReorderBuffer reorder) {
        this.context = context;
        this.reorder = reorder;
    }

    /** A new connection. */
    void start() {
        marking = false;
        known = false;
        due = false;
        reported = false;
        discarded = false;
        duplicates = 0;
        atFlush = false;
    }

    /** A request with the expected PSN arrived from the network. */
    void onInOrder(boolean isMarked) {
        known = isMarked;
        marking |= isMarked;
        due &= isMarked;
        discarded &= isMarked;
    }

    /** A request arrived behind a gap. */
    void onBehindGap(boolean isMarked) {
        marking |= isMarked;
    }

    /** A request arrived that was executed or kept before. */
    void onDuplicate() {
        duplicates++;
        due |= known;
    }

    /** Kept requests were dropped. */
    void onDiscarded() {
        discarded |= known && reported;
        reported = false;
        due |= known && !discarded;
    }

    /** The peer retransmits everything, so there is nothing to tell. */
    void forget() {
        due = false;
        reported = false;
        discarded = false;
    }

    boolean isMarking() {
        return marking;
    }

    /** Whether the peer takes reports. */
    boolean isKnown() {
        return known;
    }

    /** The peer has to learn of a gap. */
    void request() {
        due = true;
    }

    /**
     * What a report that leaves now is about.
     *
     * @param newExpectedSeq of the next request.
     * @param isAtFlush      the next request has arrived, and the file system carries it out: until then there is no gap to speak of.
     */
    void update(long newExpectedSeq, boolean isAtFlush) {
        expectedSeq = newExpectedSeq;
        atFlush = isAtFlush;
    }

    /** Whether a report has to leave although no acknowledgement was asked for. */
    boolean isDue() {
        return due && !atFlush;
    }

    /** Whether a NAK that revokes what reports called arrived has yet to leave. It is queued anew, with the PSN expected then. */
    boolean isRevoking() {
        return discarded;
    }

    /** Whether that NAK is due. */
    boolean isRevocationDue() {
        return discarded && !atFlush;
    }

    /** That NAK left. */
    void onRevoked() {
        discarded = false;
    }

    /** Whether an acknowledgement that leaves now carries a report. */
    boolean isCarried() {
        return known && !atFlush && (due || !reorder.isEmpty());
    }

    /** Finds the gaps, for {@link #write}; returns the length of the report in bytes. */
    int collect() {
        int mostGaps = GapReport.maxGaps(context.mtu());
        if (firsts.length < mostGaps) {
            firsts = new int[mostGaps];
            packets = new int[mostGaps];
        }
        gaps = 0;
        long missing = 0;
        long at = expectedSeq;
        long kept = reorder.firstKept(at, expectedSeq);
        while (kept >= 0 && gaps < mostGaps) {
            firsts[gaps] = (int) at & Psn.MASK;
            packets[gaps] = (int) (kept - at);
            missing += packets[gaps++];
            at = reorder.endOfRun(kept, expectedSeq, context.mtu());
            kept = reorder.firstKept(at, expectedSeq);
        }
        long end = Math.min(at, expectedSeq + GapReport.MAX_SPAN);
        endPsn = (int) end & Psn.MASK;
        long available = reorder.available(context.mtu() + MAX_HEADERS_AND_ICRC);
        room = (int) Math.min(ReorderBuffer.LONG_WINDOW, Math.max(end - expectedSeq - missing, reorder.count()) + available);
        return GapReport.lengthBytes(gaps);
    }

    /** Writes what {@link #collect} found. */
    void write(MutableDirectBuffer buffer, int offset) {
        GapReport.write(buffer, offset, gaps, endPsn, duplicates, room);
        for (int gap = 0; gap < gaps; gap++) {
            GapReport.writeGap(buffer, offset, gap, firsts[gap], packets[gap]);
        }
        due = false;
        reported = gaps > 0;
        context.counters().count(NicCounter.SENT_GAP_REPORTS);
    }
}
