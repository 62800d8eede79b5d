package io.rxe.qp.send;

/**
 * What is known of each packet in flight: when it was sent last, whether it is lost and waits for its retransmission (the retry range of
 * rule Q3), and whether the peer reported its arrival behind a gap (rule G2).
 *
 * <pre>
 *   ackedSeq                                       nextSeq
 *      | lost | arrived | lost | arrived | in flight |        one time and five bits for each
 * </pre>
 *
 * <p>A sequence number of a READ stands for a response; its time is that of the request that asks for it. It has arrived when the response
 * did. While the peer keeps the request behind a gap, the response follows when the gap is closed.
 *
 * <p>A ring with a place for each packet in flight. It grows by doubling, and allocates nothing while the window does not grow. Owned by
 * the engine thread; times in nanoseconds.
 */
public final class SentPackets {
    private static final int FIRST_PLACES = 64;
    private static final long NEVER = Long.MIN_VALUE / 8;
    private static final int RETRANSMITTED = 1;
    private static final int ACK_REQUESTED = 2;
    private static final int TIME_SHIFT = 2;

    private final SendState send;
    /** The time, then two bits: {@link #ACK_REQUESTED}, {@link #RETRANSMITTED}. No two transmissions have the same time. */
    private long[] times = new long[0];
    private final SequenceBits lost = new SequenceBits();
    private final SequenceBits arrived = new SequenceBits();
    private final SequenceBits kept = new SequenceBits();
    /** Which are responses to READs. */
    private final SequenceBits reads = new SequenceBits();
    private long lastNs;
    private long firstSentNs;
    private long retransmittedEnd;
    /** Retransmissions that may still turn out to have been needless. */
    private long retransmissions;
    private boolean newPaused;
    private long probeSeq;

    SentPackets(SendState send) {
        this.send = send;
    }

    /** A new connection. */
    void start() {
        forgetLost();
        reads.clear();
        arrived.clear();
        kept.clear();
        lastNs = NEVER;
        firstSentNs = NEVER;
        retransmittedEnd = 0;
        retransmissions = 0;
        newPaused = false;
        probeSeq = -1;
    }

    /** Packets, or requests for responses, were sent for the first time. */
    public void onSent(long fromSeq, long endSeq, boolean isRead, boolean ackRequested, long nowNs) {
        firstSentNs = firstSentNs == NEVER ? nowNs : firstSentNs;
        reserve(endSeq);
        stamp(fromSeq, endSeq, nowNs, ackRequested ? ACK_REQUESTED : 0);
        for (long seq = fromSeq; isRead && seq < endSeq; seq++) {
            reads.set(seq);
        }
    }

    /** Packets, or requests for responses, were retransmitted. */
    public void onRetransmitted(long fromSeq, long endSeq, long nowNs) {
        stamp(fromSeq, endSeq, nowNs, RETRANSMITTED);
        lost.clear(fromSeq, endSeq);
        retransmittedEnd = Math.max(retransmittedEnd, endSeq);
        retransmissions += endSeq - fromSeq;
    }

    /** Takes retransmissions that may have been needless, each once. Returns whether there was any. */
    public boolean takeRetransmissions(int count) {
        boolean isAny = retransmissions > 0;
        retransmissions = Math.max(0, retransmissions - count);
        return isAny;
    }

    private void stamp(long fromSeq, long endSeq, long nowNs, int bits) {
        lastNs = Math.max(nowNs, lastNs + 1);
        long time = (lastNs << TIME_SHIFT) + bits;
        for (long seq = fromSeq; seq < endSeq; seq++) {
            times[place(seq)] = time;
        }
    }

    /** When the first packet of the connection was sent for the first time; valid after that. */
    public long firstSentNs() {
        return firstSentNs;
    }

    /** When a packet was sent last. */
    public long sentNs(long seq) {
        return times[place(seq)] >> TIME_SHIFT;
    }

    /** Whether a packet was sent more than once. */
    public boolean wasRetransmitted(long seq) {
        return (times[place(seq)] & RETRANSMITTED) != 0;
    }

    /** Whether one of some packets, the last of which is likely to, requested an acknowledgement and was sent only once. */
    public boolean isAckRequested(long fromSeq, long endSeq) {
        for (long seq = endSeq - 1; seq >= fromSeq; seq--) {
            if ((times[place(seq)] & ACK_REQUESTED) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether a packet from a sequence number on may have been retransmitted: else all of them were sent in order. */
    public boolean isAnyRetransmitted(long fromSeq) {
        return fromSeq < retransmittedEnd;
    }

    /** Counts packets as lost, as far as they are sent, not acknowledged, not failed, and not known to have arrived. */
    public void lose(long fromSeq, long endSeq) {
        long end = Math.min(endSeq, Math.min(send.nextSeq(), send.failedSeq()));
        if (fromSeq <= send.ackedSeq() && send.ackedSeq() >= send.executedSeq()) {
            // The peer waits for the oldest: only a report that came late says otherwise.
            forgetArrived(send.ackedSeq(), Math.min(end, send.ackedSeq() + 1));
        }
        for (long seq = Math.max(fromSeq, send.ackedSeq()); seq < end; seq++) {
            if (!arrived.has(seq) && !lost.has(seq) && !kept.has(seq)) {
                lost.set(seq);
            }
        }
    }

    /** Has a packet retransmitted, whatever the windows say, to find out what has arrived. */
    public void probe(long seq) {
        probeSeq = seq;
        lose(seq, seq + 1);
    }

    /** Whether a packet is {@link #probe retransmitted} to find out what has arrived. */
    public boolean isProbe(long seq) {
        return seq == probeSeq;
    }

    /** Whether a packet counts as lost and was not retransmitted since. */
    public boolean isLost(long seq) {
        return seq >= send.ackedSeq() && seq < send.nextSeq() && lost.has(seq);
    }

    /** Packets that count as lost. */
    public long lostPackets() {
        return lost.count();
    }

    /** Responses to READs that count as lost. */
    public long lostReads() {
        return lost.countBoth(reads, send.ackedSeq(), send.nextSeq());
    }

    /** Responses to READs that are in flight. */
    long readsInFlight() {
        return reads.count() - lostReads() - arrived.countBoth(reads, send.ackedSeq(), send.nextSeq());
    }

    /** Whether it is a response to a READ. */
    public boolean isRead(long seq) {
        return reads.has(seq);
    }

    /** The first lost packet at or after a sequence number; {@link SendState#nextSeq} when there is none. */
    public long firstLost(long fromSeq) {
        return lost.nextSet(fromSeq, send.nextSeq());
    }

    /** One past the run of lost packets that begins at a sequence number. */
    public long lostEnd(long seq, long limitSeq) {
        return lost.nextClear(seq, limitSeq);
    }

    /** Nothing is lost: what counted as lost need not be retransmitted. */
    public void forgetLost() {
        lost.clear();
    }

    /** Nothing in a range is retransmitted any more. */
    public void forgetLost(long fromSeq, long endSeq) {
        lost.clear(fromSeq, endSeq);
    }

    /** The peer reported that a packet arrived behind a gap. */
    public void arrive(long seq) {
        if (!arrived.has(seq)) {
            arrived.set(seq);
            forgetLost(seq, seq + 1);
        }
    }

    /** The peer reported that it keeps the READ or atomic that asks for a response. */
    public void keep(long seq) {
        if (!kept.has(seq)) {
            kept.set(seq);
            forgetLost(seq, seq + 1);
        }
    }

    /** Whether the peer keeps the READ or atomic that asks for a response. */
    public boolean isKept(long seq) {
        return kept.has(seq);
    }

    /** The peer has executed the READ or atomic that asks for a response. */
    public void release(long seq) {
        kept.clear(seq, seq + 1);
    }

    /** Whether the peer reported that a packet arrived behind a gap. */
    public boolean isArrived(long seq) {
        return arrived.has(seq);
    }

    /** Packets reported as arrived. */
    public long arrivedPackets() {
        return arrived.count();
    }

    /** Whether the peer has reported any as arrived or kept. */
    public boolean isAnyReported() {
        return !arrived.isEmpty() || !kept.isEmpty();
    }

    /** Packets of a range that were reported as arrived. */
    public long arrivedPackets(long fromSeq, long endSeq) {
        return arrived.count(fromSeq, endSeq);
    }

    /** The first packet at or after a sequence number that was not reported as arrived; the limit when there is none. */
    public long firstNotArrived(long fromSeq, long limitSeq) {
        return arrived.nextClear(fromSeq, limitSeq);
    }

    /** What was reported as arrived no longer counts (rule G6). Responses to READs did arrive. */
    public void forgetArrived() {
        arrived.clearUnless(reads);
        kept.clear();
    }

    /** What was reported as arrived in a range no longer counts. */
    public void forgetArrived(long fromSeq, long endSeq) {
        arrived.clear(fromSeq, endSeq);
        kept.clear(fromSeq, endSeq);
    }

    /** The acknowledged edge moved. */
    void onAcknowledged(long fromSeq, long endSeq) {
        forgetLost(fromSeq, endSeq);
        forgetArrived(fromSeq, endSeq);
        reads.clear(fromSeq, endSeq);
    }

    /** While paused, nothing new is sent: a probe is in flight to a peer that may drop everything behind the gap. */
    public void pauseNew(boolean isPaused) {
        newPaused = isPaused;
    }

    public boolean isNewPaused() {
        return newPaused;
    }

    private int place(long seq) {
        return (int) seq & times.length - 1;
    }

    /** Makes room for the packets up to a sequence number. */
    private void reserve(long endSeq) {
        long fromSeq = send.ackedSeq() & -Long.SIZE;
        if (endSeq - fromSeq > times.length) {
            long[] before = times;
            times = new long[(int) SequenceBits.places(endSeq - fromSeq, FIRST_PLACES)];
            for (long seq = send.ackedSeq(); before.length != 0 && seq < send.nextSeq(); seq++) {
                times[place(seq)] = before[(int) seq & before.length - 1];
            }
            lost.reserve(fromSeq, endSeq, FIRST_PLACES);
            arrived.reserve(fromSeq, endSeq, FIRST_PLACES);
            kept.reserve(fromSeq, endSeq, FIRST_PLACES);
            reads.reserve(fromSeq, endSeq, FIRST_PLACES);
        }
    }
}
