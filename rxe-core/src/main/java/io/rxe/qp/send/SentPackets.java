package io.rxe.qp.send;

import java.util.Arrays;

/**
 * What is known of each packet in flight: when it was sent last, whether it is lost and waits for its retransmission (the retry range of
 * rule Q3), and whether the peer reported its arrival behind a gap (rule G2).
 *
 * <pre>
 *   ackedSeq                                       nextSeq
 *      | lost | arrived | lost | arrived | in flight |        one time and two bits for each
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
    private static final int BITS = 6;

    private final SendState send;
    /** Twice the time, plus 1 when the packet was retransmitted. No two transmissions have the same time. */
    private long[] times = new long[0];
    private long[] lost = new long[0];
    private long[] arrived = new long[0];
    private long[] kept = new long[0];
    private long lostCount;
    private long arrivedCount;
    private long keptCount;
    private long lastNs;
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
        forgetArrived();
        lastNs = Long.MIN_VALUE / 4;
        retransmittedEnd = 0;
        retransmissions = 0;
        newPaused = false;
        probeSeq = -1;
    }

    /** Packets, or requests for responses, were sent for the first time. */
    public void onSent(long fromSeq, long endSeq, long nowNs) {
        reserve(endSeq);
        stamp(fromSeq, endSeq, nowNs, 0);
    }

    /** Packets, or requests for responses, were retransmitted. */
    public void onRetransmitted(long fromSeq, long endSeq, long nowNs) {
        stamp(fromSeq, endSeq, nowNs, 1);
        lostCount -= clear(lost, fromSeq, endSeq);
        retransmittedEnd = Math.max(retransmittedEnd, endSeq);
        retransmissions += endSeq - fromSeq;
    }

    /** Takes retransmissions that may have been needless, each once. Returns whether there was any. */
    public boolean takeRetransmissions(int count) {
        boolean isAny = retransmissions > 0;
        retransmissions = Math.max(0, retransmissions - count);
        return isAny;
    }

    private void stamp(long fromSeq, long endSeq, long nowNs, int retransmitted) {
        lastNs = Math.max(nowNs, lastNs + 1);
        long time = 2 * lastNs + retransmitted;
        for (long seq = fromSeq; seq < endSeq; seq++) {
            times[place(seq)] = time;
        }
    }

    /** When a packet was sent last. */
    public long sentNs(long seq) {
        return times[place(seq)] >> 1;
    }

    /** Whether a packet was sent more than once. */
    public boolean wasRetransmitted(long seq) {
        return (times[place(seq)] & 1) != 0;
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
            if (!has(arrived, seq) && !has(lost, seq) && !isKept(seq)) {
                lost[word(seq)] |= 1L << seq;
                lostCount++;
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
        return lostCount != 0 && seq >= send.ackedSeq() && seq < send.nextSeq() && has(lost, seq);
    }

    /** Packets that count as lost. */
    public long lostPackets() {
        return lostCount;
    }

    /** The first lost packet at or after a sequence number; {@link SendState#nextSeq} when there is none. */
    public long firstLost(long fromSeq) {
        return lostCount == 0 ? send.nextSeq() : next(lost, fromSeq, send.nextSeq(), 0);
    }

    /** One past the run of lost packets that begins at a sequence number. */
    public long lostEnd(long seq, long limitSeq) {
        return next(lost, seq, limitSeq, -1L);
    }

    /** Nothing is lost: what counted as lost need not be retransmitted. */
    public void forgetLost() {
        if (lostCount != 0) {
            Arrays.fill(lost, 0);
            lostCount = 0;
        }
    }

    /** Nothing in a range is retransmitted any more. */
    public void forgetLost(long fromSeq, long endSeq) {
        if (lostCount != 0) {
            lostCount -= clear(lost, fromSeq, endSeq);
        }
    }

    /** The peer reported that a packet arrived behind a gap. */
    public void arrive(long seq) {
        if (!has(arrived, seq)) {
            arrived[word(seq)] |= 1L << seq;
            arrivedCount++;
            forgetLost(seq, seq + 1);
        }
    }

    /** The peer reported that it keeps the READ or atomic that asks for a response. */
    public void keep(long seq) {
        if (!has(kept, seq)) {
            kept[word(seq)] |= 1L << seq;
            keptCount++;
            forgetLost(seq, seq + 1);
        }
    }

    /** Whether the peer keeps the READ or atomic that asks for a response. */
    public boolean isKept(long seq) {
        return keptCount != 0 && has(kept, seq);
    }

    /** The peer has executed the READ or atomic that asks for a response. */
    public void release(long seq) {
        keptCount -= clear(kept, seq, seq + 1);
    }

    /** Whether the peer reported that a packet arrived behind a gap. */
    public boolean isArrived(long seq) {
        return arrivedCount != 0 && has(arrived, seq);
    }

    /** Packets reported as arrived. */
    public long arrivedPackets() {
        return arrivedCount;
    }

    /** Whether the peer has reported any as arrived or kept. */
    public boolean isAnyReported() {
        return arrivedCount + keptCount > 0;
    }

    /** Packets of a range that were reported as arrived. */
    public long arrivedPackets(long fromSeq, long endSeq) {
        long count = 0;
        for (long seq = fromSeq; arrivedCount != 0 && seq < endSeq; ) {
            long wordEnd = Math.min(endSeq, (seq >>> BITS) + 1 << BITS);
            count += Long.bitCount(arrived[word(seq)] & mask(seq, wordEnd));
            seq = wordEnd;
        }
        return count;
    }

    /** The first packet at or after a sequence number that was not reported as arrived; the limit when there is none. */
    public long firstNotArrived(long fromSeq, long limitSeq) {
        return arrivedCount == 0 ? Math.min(fromSeq, limitSeq) : next(arrived, fromSeq, limitSeq, -1L);
    }

    /** What was reported as arrived no longer counts (rule G6). */
    public void forgetArrived() {
        if (arrivedCount != 0) {
            Arrays.fill(arrived, 0);
            arrivedCount = 0;
        }
        if (keptCount != 0) {
            Arrays.fill(kept, 0);
            keptCount = 0;
        }
    }

    /** What was reported as arrived in a range no longer counts. */
    public void forgetArrived(long fromSeq, long endSeq) {
        if (arrivedCount != 0) {
            arrivedCount -= clear(arrived, fromSeq, endSeq);
        }
        if (keptCount != 0) {
            keptCount -= clear(kept, fromSeq, endSeq);
        }
    }

    /** The acknowledged edge moved. */
    void onAcknowledged(long fromSeq, long endSeq) {
        forgetLost(fromSeq, endSeq);
        forgetArrived(fromSeq, endSeq);
    }

    /** While paused, nothing new is sent: a probe is in flight to a peer that may drop everything behind the gap. */
    public void pauseNew(boolean isPaused) {
        newPaused = isPaused;
    }

    public boolean isNewPaused() {
        return newPaused;
    }

    /** The first sequence number from one to another, exclusive, whose bit differs from those of a mask; the end when there is none. */
    private long next(long[] bits, long fromSeq, long endSeq, long mask) {
        long seq = fromSeq;
        while (seq < endSeq) {
            long rest = (bits[word(seq)] ^ mask) >>> seq;
            if (rest != 0) {
                return Math.min(endSeq, seq + Long.numberOfTrailingZeros(rest));
            }
            seq = (seq >>> BITS) + 1 << BITS;
        }
        return endSeq;
    }

    /** Clears bits; returns how many were set. */
    private long clear(long[] bits, long fromSeq, long endSeq) {
        long cleared = 0;
        long seq = fromSeq;
        while (seq < endSeq) {
            long wordEnd = Math.min(endSeq, (seq >>> BITS) + 1 << BITS);
            long mask = mask(seq, wordEnd);
            cleared += Long.bitCount(bits[word(seq)] & mask);
            bits[word(seq)] &= ~mask;
            seq = wordEnd;
        }
        return cleared;
    }

    /** The bits of a word from one sequence number to another, exclusive. */
    private static long mask(long fromSeq, long endSeq) {
        return -1L << fromSeq & -1L >>> -endSeq;
    }

    private boolean has(long[] bits, long seq) {
        return (bits[word(seq)] >>> seq & 1) != 0;
    }

    private int place(long seq) {
        return (int) seq & times.length - 1;
    }

    private int word(long seq) {
        return (int) (seq >>> BITS) & lost.length - 1;
    }

    /** Makes room for the packets up to a sequence number. */
    private void reserve(long endSeq) {
        long needed = endSeq - (send.ackedSeq() & -1L << BITS);
        if (needed > times.length) {
            grow(Math.max(FIRST_PLACES, Long.highestOneBit(needed - 1) << 1));
        }
    }

    private void grow(long places) {
        long[] oldTimes = times;
        long[] oldLost = lost;
        long[] oldArrived = arrived;
        long[] oldKept = kept;
        times = new long[(int) places];
        lost = new long[(int) (places >>> BITS)];
        arrived = new long[(int) (places >>> BITS)];
        kept = new long[(int) (places >>> BITS)];
        if (oldTimes.length == 0) {
            return;
        }
        for (long seq = send.ackedSeq(); seq < send.nextSeq(); seq++) {
            times[place(seq)] = oldTimes[(int) seq & oldTimes.length - 1];
        }
        for (long seq = send.ackedSeq() & -1L << BITS; seq < send.nextSeq(); seq += Long.SIZE) {
            lost[word(seq)] = oldLost[(int) (seq >>> BITS) & oldLost.length - 1];
            arrived[word(seq)] = oldArrived[(int) (seq >>> BITS) & oldArrived.length - 1];
            kept[word(seq)] = oldKept[(int) (seq >>> BITS) & oldKept.length - 1];
        }
    }
}
