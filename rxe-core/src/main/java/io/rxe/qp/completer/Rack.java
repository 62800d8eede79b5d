package io.rxe.qp.completer;

import io.rxe.qp.send.RttEstimator;
import io.rxe.qp.send.SendState;
import io.rxe.qp.send.SendWqe;
import io.rxe.qp.send.SentPackets;

/**
 * Finds lost packets by time: RACK (RFC 8985, recent acknowledgement), for requests and for responses (rules Q4, Q5, G4).
 *
 * <pre>
 *   sent        1   2   3   4   5   2'        2' is a retransmission
 *   arrived     1           4   5             4 and 5 overtook 2 and 3: lost when the reorder window has passed
 *                                   2'        overtakes whatever was sent before it and is still missing
 * </pre>
 *
 * <p>The first lost request of a connection is a test: others wait a round trip for its outcome, since a path that reorders would
 * otherwise have a whole window retransmitted before it is known.
 *
 * <p>Of all packets known to have arrived, the one sent last counts, with its round trip. What was sent before it and has not arrived is
 * lost when that round trip and the reorder window have passed since it was sent. For a response the time is that of the request that asks
 * for it: the peer responds to requests in the order in which they arrive.
 *
 * <p>Owned by the engine thread; times in nanoseconds.
 */
final class Rack {
    private static final long NONE = Long.MAX_VALUE;
    private static final long NEVER = Long.MIN_VALUE;
    /** In this time a peer that runs again has responded to what it found in its socket. */
    private static final long RESUME_NS = 100_000;

    private final SendState send;
    private final SentPackets packets;
    private final RttEstimator rtt;
    private final ReorderWindow reorder = new ReorderWindow();
    /** Of the requests that have arrived, and of those whose responses have left or were overtaken. */
    private final Latest requests = new Latest();
    private final Latest responses = new Latest();
    /** One past the highest sequence number that arrived. */
    private long highestEnd;
    private long deadlineNs;
    /** What the peer has of the requests from here on is not known. */
    private long limitSeq;
    /** Set when something arrived since the last {@link #detect}. */
    private boolean changed;
    private long found;
    /** When the first request of a connection, or the first responses, were found lost. */
    private long firstLossNs;
    /** Until then they are the only ones: the answer shows whether they were lost. */
    private long firstLossUntilNs;

    Rack(SendState send, RttEstimator rtt) {
        this.send = send;
        this.packets = send.packets();
        this.rtt = rtt;
    }

    /** A new connection, or a new path. */
    void start() {
        reorder.start();
        requests.start();
        responses.start();
        highestEnd = 0;
        deadlineNs = NONE;
        changed = false;
        limitSeq = NONE;
        firstLossNs = NEVER;
        firstLossUntilNs = NEVER;
    }

    /**
     * A request or a response arrived.
     *
     * @param isInOrder whether the responses to all requests before it left earlier: a gap report may overtake them.
     * @return its round trip; -1 when it is not known which of its transmissions arrived.
     */
    long onArrived(long seq, boolean isInOrder, long nowNs) {
        return onArrived(seq, isInOrder, requests, nowNs);
    }

    /**
     * A response to a READ or an atomic arrived. The peer may have kept its request behind a gap, or have responded to others first: so
     * only another response shows that it is late, unless the request itself was.
     *
     * @param isFirst of its request.
     * @return its round trip; -1 when it is not known which of the requests for it arrived.
     */
    long onResponse(long seq, boolean isFirst, long nowNs) {
        return onArrived(seq, true, isFirst && !packets.isKept(seq) ? requests : responses, nowNs);
    }

    private long onArrived(long seq, boolean isInOrder, Latest others, long nowNs) {
        changed = true;
        long rttNs = nowNs - packets.sentNs(seq);
        boolean isRetransmitted = packets.wasRetransmitted(seq);
        if (isRetransmitted && rttNs < rtt.minimumNs() && !rtt.onSooner(rttNs, nowNs)) {
            return -1;
        }
        if (!isRetransmitted && seq < highestEnd - 1 && others.isLater(packets.sentNs(seq), seq)) {
            reorder.onLate(Math.max(0, rttNs - others.rttNs), rtt.plausibleNs(), nowNs);
        }
        if (!isRetransmitted) {
            requests.withdraw(packets.sentNs(seq));
            responses.withdraw(packets.sentNs(seq));
        }
        onPassed(seq, isInOrder, nowNs);
        highestEnd = Math.max(highestEnd, seq + 1);
        return isRetransmitted ? -1 : Math.max(1, rttNs);
    }

    /** The peer has a request whose response left before what shows this, if in order, or which it keeps behind a gap. */
    void onPassed(long seq, boolean isInOrder, long nowNs) {
        changed = true;
        if (packets.wasRetransmitted(seq) && !send.reportsGaps()) {
            // Which copy it answers is not known, and such a peer may be slow.
            return;
        }
        long sentNs = packets.sentNs(seq);
        // After a pause of the peer it may have been the first copy, whose followers come at once.
        long notBeforeNs = packets.wasRetransmitted(seq) ? nowNs + Math.max(RESUME_NS, rtt.plausibleNs() / 2) : Long.MIN_VALUE;
        requests.update(sentNs, seq, nowNs - sentNs, notBeforeNs);
        if (isInOrder) {
            responses.update(sentNs, seq, nowNs - sentNs, notBeforeNs);
        }
    }

    /** Whether packets arrived so late of late that a later one may be a tenth of a round trip ahead. */
    boolean isLate() {
        return reorder.ns(rtt.plausibleNs()) > rtt.minimumNs() / 10;
    }

    /** A retransmission was needless: what it repeats had arrived. */
    void onNeedless(long nowNs) {
        reorder.onNeedless(rtt.plausibleNs(), nowNs);
    }

    /** What the peer has of the requests from a sequence number on is not known: they are not judged. */
    void limit(long seq) {
        limitSeq = seq;
    }

    /** Whether {@link #detect} may find something. */
    boolean isDue(long nowNs) {
        return changed || nowNs >= deadlineNs;
    }

    /** When the next packet that was overtaken counts as lost unless it arrives before, or {@link Long#MAX_VALUE}. */
    long deadlineNs() {
        return deadlineNs;
    }

    /** Nothing is judged until something arrives. */
    void pause() {
        deadlineNs = NONE;
    }

    /**
     * Counts as lost what was overtaken long enough ago.
     *
     * @param reportsGaps whether the peer keeps what follows a gap; else only responses to the oldest request are judged.
     * @return how many packets and responses.
     */
    long detect(boolean reportsGaps, long nowNs) {
        changed = false;
        deadlineNs = NONE;
        found = 0;
        // The first samples may be of a queue that is gone by now.
        firstLossUntilNs = Math.min(firstLossUntilNs, firstLossNs + rtt.smoothedNs());
        boolean goesOn = isAnyOvertaken();
        for (long index = send.ackIndex(); goesOn && index < send.beginIndex(); index++) {
            SendWqe wqe = send.request(index);
            if (wqe.state() == SendWqe.State.ERROR) {
                break;
            }
            if (wqe.operation().isReadOrAtomic()) {
                goesOn = detectResponses(wqe, nowNs);
            } else if (reportsGaps) {
                goesOn = detectRequests(wqe, nowNs);
            }
            goesOn &= reportsGaps;
        }
        if (found > 0) {
            reorder.onLoss(rtt.plausibleNs(), nowNs);
            beginFirstLoss(nowNs);
        }
        return found;
    }

    /** Packets that were sent once were sent in order: where the oldest was not overtaken, none was. */
    private boolean isAnyOvertaken() {
        long oldest = send.ackedSeq();
        long sentNs = packets.sentNs(oldest);
        return packets.isAnyRetransmitted(oldest) || requests.isLater(sentNs, oldest) || responses.isLater(sentNs, oldest);
    }

    private void beginFirstLoss(long nowNs) {
        if (firstLossNs == NEVER) {
            firstLossNs = nowNs;
            firstLossUntilNs = nowNs + rtt.smoothedNs();
        }
    }

    private boolean detectRequests(SendWqe wqe, long nowNs) {
        long end = Math.min(Math.min(wqe.endSeq(), send.nextSeq()), limitSeq);
        long seq = packets.firstNotArrived(Math.max(Math.max(wqe.firstSeq(), send.ackedSeq()), send.executedSeq()), end);
        while (seq < end) {
            if (!judge(seq, requests, true, nowNs)) {
                return false;
            }
            seq = packets.firstNotArrived(seq + 1, end);
        }
        return end < limitSeq;
    }

    /** A READ or an atomic whose request the peer has kept behind a gap gets its responses when that is closed. */
    private boolean detectResponses(SendWqe wqe, long nowNs) {
        long end = wqe.read().requested();
        long index = wqe.read().firstMissing(0);
        while (index < end) {
            long seq = wqe.firstSeq() + index;
            boolean isKept = packets.isKept(seq);
            if (isKept && seq < send.executedSeq()) {
                packets.release(seq);
                isKept = false;
            }
            long before = found;
            boolean isExecuted = seq < send.executedSeq() || wqe.read().hasAny(index);
            if (!isKept && !judge(seq, isExecuted ? responses : requests, false, nowNs)) {
                return false;
            }
            if (found > before && !wqe.read().isRequestStart(index) && !wqe.read().hasAny(index)) {
                // One lost packet, the request, is missing all of its responses.
                found--;
            }
            index = wqe.read().firstMissing(index + 1);
        }
        return true;
    }

    /** Returns whether any packet behind this one may have been overtaken. */
    private boolean judge(long seq, Latest latest, boolean isRequest, long nowNs) {
        long sentNs = packets.sentNs(seq);
        if (!latest.isLater(sentNs, seq)) {
            // Packets that were sent once were sent in order.
            return packets.isAnyRetransmitted(seq);
        }
        if (packets.isLost(seq)) {
            return true;
        }
        long dueNs = Math.max(Math.max(sentNs + latest.rttNs + reorder.ns(rtt.plausibleNs()), latest.notBeforeNs), firstLossUntilNs);
        if (nowNs >= dueNs) {
            packets.lose(seq, seq + 1);
            found++;
            if (isRequest) {
                beginFirstLoss(nowNs);
            }
        } else {
            deadlineNs = Math.min(deadlineNs, dueNs);
        }
        return true;
    }

    /** Of all that has arrived, what was sent last: when, one past its sequence number, and its round trip. */
    private static final class Latest {
        private long sentNs;
        private long endSeq;
        private long rttNs;
        /** Nothing counts as lost because of it before this time; {@link Long#MIN_VALUE} if it was sent once. */
        private long notBeforeNs;
        /** The same of what was sent once. */
        private long sureSentNs;
        private long sureEndSeq;
        private long sureRttNs;

        void start() {
            sureSentNs = Long.MIN_VALUE / 4;
            sureEndSeq = 0;
            sureRttNs = 0;
            takeSure();
        }

        private void takeSure() {
            sentNs = sureSentNs;
            endSeq = sureEndSeq;
            rttNs = sureRttNs;
            notBeforeNs = Long.MIN_VALUE;
        }

        void update(long ns, long seq, long newRttNs, long newNotBeforeNs) {
            if (newNotBeforeNs == Long.MIN_VALUE && (ns > sureSentNs || ns == sureSentNs && seq >= sureEndSeq)) {
                sureSentNs = ns;
                sureEndSeq = seq + 1;
                sureRttNs = newRttNs;
            }
            // Where repairs arrive all the time, the time of the first one runs out nevertheless.
            boolean isRunning = newNotBeforeNs != Long.MIN_VALUE && ns != sentNs && notBeforeNs > ns + newRttNs;
            if (!isRunning && (ns > sentNs || ns == sentNs && seq >= endSeq)) {
                notBeforeNs = newNotBeforeNs;
                sentNs = ns;
                endSeq = seq + 1;
                rttNs = newRttNs;
            }
        }

        /** What was sent once, at a time, arrives only now: so what was sent again after that has arrived as its first copy. */
        void withdraw(long ns) {
            if (notBeforeNs != Long.MIN_VALUE && ns < sentNs) {
                takeSure();
            }
        }

        /** Whether it was sent later than a packet. */
        boolean isLater(long ns, long seq) {
            return ns < sentNs || ns == sentNs && seq < endSeq;
        }
    }
}
