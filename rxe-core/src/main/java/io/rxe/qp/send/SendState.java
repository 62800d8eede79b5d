package io.rxe.qp.send;

import io.rxe.ring.Ring;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Operation;

/**
 * The send queue as requester and completer both see it: which requests have begun, and which sequence numbers are sent and
 * acknowledged.
 *
 * <pre>
 *   CI        ackIndex        beginIndex         PI          requests (ring indexes)
 *    | complete | acknowledged? |  posted         |
 *
 *   ackedSeq          executedSeq        nextSeq             packets (sequence numbers)
 *      |  unknown, but for   | unknown     |
 *      |  executed requests  |             |
 *      [ what the SentPackets know )
 * </pre>
 *
 * <p>Everything before {@code ackedSeq} is acknowledged. The responder has executed everything before {@code executedSeq}, which is ahead
 * of {@code ackedSeq} only where the response to a READ or an atomic is missing (rules Q4, Q5).
 *
 * <p>Sequence numbers are 64 bits wide; the PSN is their low 24 bits. Owned by the engine thread.
 */
public final class SendState {
    /** What is known of the peer (rule G1). */
    public enum Peer {
        /** It has acknowledged nothing so far: requests carry the mark. */
        UNKNOWN,
        /** One of ours: it keeps what follows a gap and reports all gaps. */
        REPORTS_GAPS,
        /** It does not know the mark. */
        FOREIGN
    }

    /** Acked and unacked region together never exceed this (rule P4). */
    public static final long MAX_UNACKED_PACKETS = 1L << 23;
    private static final long NONE = Long.MAX_VALUE;

    private final Ring<SendWqe> ring;
    private final ReadRequestSize readRequestSize = new ReadRequestSize();
    private final SentPackets packets = new SentPackets(this);
    private final LastPlainRequest lastPlain = new LastPlainRequest();
    private final FlushCoverage flushCoverage = new FlushCoverage();
    private long beginIndex;
    private long ackIndex;
    private long nextSeq;
    private long ackedSeq;
    private long executedSeq;
    private long answeredSeq;
    private long responseDueSeq;
    private long failedSeq = NONE;
    private long messages;
    private int readAtomicInUse;
    private Peer peer = Peer.UNKNOWN;

    public SendState(Ring<SendWqe> ring) {
        this.ring = ring;
    }

    /** Starts at a PSN (rule P1). */
    public void start(int psn) {
        // One PSN cycle ahead, so that no subtraction near the start goes below zero.
        nextSeq = (1L << 24) + psn;
        ackedSeq = nextSeq;
        executedSeq = nextSeq;
        answeredSeq = nextSeq;
        responseDueSeq = nextSeq;
        packets.start();
        peer = Peer.UNKNOWN;
        failedSeq = NONE;
        beginIndex = ring.consumerIndex();
        ackIndex = beginIndex;
        messages = 0;
        readAtomicInUse = 0;
        lastPlain.start(nextSeq);
        readRequestSize.start();
        flushCoverage.start();
    }

    /** The next request to begin or to continue, or null: the one in progress, else the oldest posted one. */
    public SendWqe next() {
        if (beginIndex > ackIndex) {
            SendWqe last = ring.get(beginIndex - 1);
            if (last.state() == SendWqe.State.PROCESSING || last.state() == SendWqe.State.ERROR) {
                return last;
            }
        }
        return beginIndex < ring.producerIndex() ? ring.get(beginIndex) : null;
    }

    public boolean isMidMessage() {
        return beginIndex > ackIndex && ring.get(beginIndex - 1).state() == SendWqe.State.PROCESSING;
    }

    /** Whether a READ or an atomic is posted and has not begun. */
    public boolean isReadOrAtomicPosted() {
        long end = ring.producerIndex();
        for (long index = beginIndex; index < end; index++) {
            if (ring.get(index).operation().isReadOrAtomic()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Gives the next posted request its sequence numbers.
     *
     * @param readChunkPackets responses that one request of a READ asks for.
     */
    public void begin(SendWqe wqe, int mtu, int readChunkPackets) {
        beginIndex++;
        wqe.begin(nextSeq, ++messages, mtu, readChunkPackets);
        if (wqe.operation() == Operation.RDMA_READ) {
            // The peer counts every READ request as a message of its own.
            messages += (wqe.packets() - 1) / readChunkPackets;
        } else if (!wqe.operation().isReadOrAtomic()) {
            lastPlain.onBegun(wqe);
        }
    }

    /**
     * How many responses one request of a READ that begins now asks for.
     *
     * @param places max_rd_atomic.
     */
    public int readChunkPackets(SendWqe wqe, int mtu, int places, SendWindow window) {
        int usual = readRequestSize.packets(mtu, window.packets(true), window.mostPackets(), reportsGaps());
        if (peer != Peer.UNKNOWN || !window.doOthersWait()) {
            return usual;
        }
        return ReadRequestSize.toUnknownPeer(usual, (wqe.scatterGather().totalBytes() + mtu - 1) / mtu, places);
    }

    /** The next posted request sends no packet, and has run. It completes when all before it have. */
    public void ranLocally(SendWqe wqe) {
        beginIndex++;
        wqe.ranLocally(nextSeq, messages);
        // Nothing will be acknowledged for it. The completer has advanced over everything else.
        advance();
    }

    /** A posted request failed before it could begin: it takes its place in the order of completions, but no sequence number. */
    public void beginFailed() {
        beginIndex++;
    }

    /**
     * A request that was sent failed. It completes with its error once all before it have completed (rule Q14); until then only those are
     * retransmitted, and nothing new is sent.
     */
    public void fail(SendWqe wqe, CompletionStatus status, String why) {
        wqe.fail(status, why);
        failedSeq = Math.min(failedSeq, wqe.firstSeq());
        packets.forgetLost(failedSeq, nextSeq);
    }

    /** Whether a request that was sent failed and waits for those before it. */
    public boolean hasFailed() {
        return failedSeq != NONE;
    }

    /** Sequence number of the first packet of the oldest failed request; larger than any other when none failed. */
    public long failedSeq() {
        return failedSeq;
    }

    /** New packets of the request in progress were sent, or new READ responses requested. */
    public void sentNew(long count) {
        nextSeq += count;
    }

    /** The request that holds a sequence number from {@link #ackedSeq} to {@link #nextSeq}, or null. */
    public SendWqe find(long seq) {
        long low = ackIndex;
        long high = beginIndex - 1;
        while (low <= high) {
            long middle = (low + high) >>> 1;
            SendWqe wqe = ring.get(middle);
            if (wqe.state() == SendWqe.State.ERROR && wqe.packets() == 0 || seq < wqe.firstSeq()) {
                high = middle - 1;
            } else if (seq >= wqe.endSeq()) {
                low = middle + 1;
            } else {
                return wqe;
            }
        }
        return null;
    }

    /** The oldest request that is not wholly acknowledged, or null when none has begun. */
    public SendWqe oldest() {
        return ackIndex < beginIndex ? ring.get(ackIndex) : null;
    }

    /** Whether the response to a duplicate is known as one: nothing is outstanding, and no later packet has its PSN (rule T11). */
    public boolean mayAsk() {
        return oldest() == null && lastPlain.isDistinct(nextSeq);
    }

    /** What is known of each packet in flight, and what to retransmit. */
    public SentPackets packets() {
        return packets;
    }

    /**
     * A positive response to an outstanding request arrived, with or without the mark (rule G1).
     *
     * @return whether it is the first, and the peer reports its gaps.
     */
    public boolean onMark(boolean isMarked) {
        if (peer != Peer.UNKNOWN) {
            return false;
        }
        peer = isMarked ? Peer.REPORTS_GAPS : Peer.FOREIGN;
        return isMarked;
    }

    /** What is known of the peer. */
    public Peer peer() {
        return peer;
    }

    /** Whether the peer keeps what follows a gap, and reports all gaps. */
    public boolean reportsGaps() {
        return peer == Peer.REPORTS_GAPS;
    }

    /** Packets of a range that were not reported as arrived. Of a READ or an atomic, the responses are yet to come. */
    public long notKnownToArrive(long fromSeq, long endSeq) {
        long count = endSeq - fromSeq - packets.arrivedPackets(fromSeq, endSeq);
        if (readAtomicInUse > 0) {
            for (SendWqe wqe = find(fromSeq); wqe != null && wqe.firstSeq() < endSeq; wqe = find(wqe.endSeq())) {
                if (wqe.operation().isReadOrAtomic()) {
                    long from = Math.max(fromSeq, wqe.firstSeq());
                    long end = Math.min(endSeq, wqe.endSeq());
                    count -= end - from - packets.arrivedPackets(from, end);
                }
            }
        }
        return count;
    }

    /** The responder has executed everything before a sequence number. */
    public void executedTo(long endSeq) {
        executedSeq = Math.max(executedSeq, endSeq);
    }

    /** Everything before a sequence number has been answered, which a gap report does not show. */
    public void answeredTo(long endSeq) {
        answeredSeq = Math.max(answeredSeq, endSeq);
    }

    /**
     * Moves the acknowledged edge over everything that is executed and, for READs and atomics, has its response.
     *
     * @return the number of packets it moved by.
     */
    public long advance() {
        long before = ackedSeq;
        while (ackIndex < beginIndex) {
            SendWqe wqe = ring.get(ackIndex);
            if (wqe.state() == SendWqe.State.ERROR) {
                break;
            }
            if (wqe.operation() == Operation.FLUSH) {
                advanceFlush(wqe);
            }
            if (wqe.operation().isReadOrAtomic()) {
                ackedSeq = wqe.firstSeq() + wqe.read().received();
                readAtomicInUse -= wqe.read().releasePlaces();
                executedSeq = Math.max(executedSeq, ackedSeq);
            } else {
                ackedSeq = Math.max(ackedSeq, Math.min(executedSeq, wqe.endSeq()));
            }
            if (ackedSeq < wqe.endSeq()) {
                break;
            }
            if (wqe.operation() == Operation.RDMA_READ) {
                readRequestSize.onDone(wqe.read());
            }
            wqe.done();
            ackIndex++;
        }
        if (ackedSeq != before) {
            packets.onAcknowledged(before, ackedSeq);
        }
        return ackedSeq - before;
    }

    /** Rule Q16: a FLUSH brings no data, so a response to a later request shows that it was executed. */
    private void advanceFlush(SendWqe wqe) {
        if (answeredSeq >= wqe.endSeq() && wqe.read().requested() > 0 && !wqe.read().has(0)) {
            wqe.read().arrived(0);
        }
        if (wqe.read().has(0)) {
            flushCoverage.onExecuted(wqe);
        }
    }

    /** What the ICRC of a FLUSH covers. */
    public FlushCoverage flushCoverage() {
        return flushCoverage;
    }

    /** Sequence number of the next new packet. */
    public long nextSeq() {
        return nextSeq;
    }

    public long ackedSeq() {
        return ackedSeq;
    }

    public long executedSeq() {
        return executedSeq;
    }

    /** Whether anything that was sent is not acknowledged. */
    public boolean isOutstanding() {
        return ackedSeq < nextSeq;
    }

    /** Packets that are neither acknowledged, nor lost, nor known to have arrived. */
    public long inFlight() {
        return nextSeq - ackedSeq - packets.lostPackets() - packets.arrivedPackets();
    }

    /** Those of them that are responses to READs. */
    public long readsInFlight() {
        return packets.readsInFlight();
    }

    /** A packet that demands a response was sent; the response covers everything before this sequence number. */
    public void onResponseDemanded(long endSeq) {
        responseDueSeq = Math.max(responseDueSeq, endSeq);
    }

    /** Whether a response is due (rule T2): not for packets of a message whose last packet, or AckReq, has not been sent yet. */
    public boolean isResponseDue() {
        return ackedSeq < responseDueSeq;
    }

    /** Ring index of the oldest request that is not wholly acknowledged. Those before it can complete. */
    public long ackIndex() {
        return ackIndex;
    }

    /** Ring index of the oldest request that has not begun. */
    public long beginIndex() {
        return beginIndex;
    }

    /** The request at a ring index from {@link #ackIndex} to {@link #beginIndex}. */
    public SendWqe request(long index) {
        return ring.get(index);
    }

    /** After a failure: nothing is outstanding any more. Requests before an index were completed or flushed. */
    public void abandon(long index) {
        ackIndex = index;
        beginIndex = index;
        ackedSeq = nextSeq;
        executedSeq = nextSeq;
        answeredSeq = nextSeq;
        responseDueSeq = nextSeq;
        packets.start();
        failedSeq = NONE;
        readAtomicInUse = 0;
    }

    /** Places of max_rd_atomic in use. */
    public int readAtomicInUse() {
        return readAtomicInUse;
    }

    /** Adds to the places in use; negative gives back. */
    public void useReadAtomic(int places) {
        readAtomicInUse += places;
    }

    /** Messages begun so far. */
    public long messages() {
        return messages;
    }
}
