package io.rxe.qp;

import io.rxe.ring.Ring;
import io.rxe.verbs.Operation;

/**
 * The send queue as requester and completer both see it: which requests have begun, which sequence numbers are sent, acknowledged,
 * and to be sent again.
 *
 * <pre>
 *   CI        ackIndex        beginIndex         PI          requests (ring indexes)
 *    | complete | acknowledged? |  posted         |
 *
 *   ackedSeq          executedSeq        nextSeq             packets (sequence numbers)
 *      |  unknown, but for   | unknown     |
 *      |  executed requests  |             |
 *             [againSeq, againEnd)                           to be sent again: the retry flag
 * </pre>
 *
 * <p>{@code ackedSeq}: everything before it is done with. {@code executedSeq}: the responder has executed everything before it; it is
 * ahead of {@code ackedSeq} only where the answer to a READ or an atomic is missing (rules Q4, Q5).
 *
 * <p>The retry flag (rule Q3) is the range to send again: raised by the completer, consumed by the requester, which walks it skipping
 * what is answered meanwhile. Requests that are POSTED are past its end by construction.
 *
 * <p>Sequence numbers are 64 bits wide; the PSN is their low 24 bits. Owned by the engine thread.
 */
public final class SendState {
    /** Acked and unacked region together never exceed this (rule P4). */
    public static final long MAX_UNACKED_PACKETS = 1L << 23;

    private final Ring<SendWqe> ring;
    private final ReadChunk readChunk = new ReadChunk();
    private long beginIndex;
    private long ackIndex;
    private long nextSeq;
    private long ackedSeq;
    private long executedSeq;
    private long answerDueSeq;
    private long againSeq;
    private long againEnd;
    private long messages;
    private long creditLimit = Long.MAX_VALUE;
    private int readAtomicInUse;
    private boolean newHeld;

    public SendState(Ring<SendWqe> ring) {
        this.ring = ring;
    }

    /** Starts at a PSN (rule P1). */
    public void start(int psn) {
        // One turn of the circle ahead, so that no subtraction near the start goes below zero.
        nextSeq = (1L << 24) + psn;
        ackedSeq = nextSeq;
        executedSeq = nextSeq;
        answerDueSeq = nextSeq;
        againSeq = nextSeq;
        againEnd = nextSeq;
        beginIndex = ring.consumerIndex();
        ackIndex = beginIndex;
        messages = 0;
        creditLimit = Long.MAX_VALUE;
        readAtomicInUse = 0;
        newHeld = false;
        readChunk.start();
    }

    public Ring<SendWqe> ring() {
        return ring;
    }

    /** The next request to begin or to go on with, or null: the one in progress, else the oldest posted one. */
    public SendWqe next() {
        if (beginIndex > ackIndex) {
            SendWqe last = ring.get(beginIndex - 1);
            if (last.state() == SendWqe.State.PROCESSING || last.state() == SendWqe.State.ERROR) {
                return last;
            }
        }
        return beginIndex < ring.producerIndex() ? ring.get(beginIndex) : null;
    }

    /** Whether a message is in progress. */
    public boolean isMidMessage() {
        return beginIndex > ackIndex && ring.get(beginIndex - 1).state() == SendWqe.State.PROCESSING;
    }

    /**
     * Gives the next posted request its sequence numbers.
     *
     * @param windowPackets packets that may ever be under way.
     */
    public void begin(SendWqe wqe, int mtu, int windowPackets) {
        beginIndex++;
        int readChunkPackets = readChunk.packets(mtu, windowPackets);
        wqe.begin(nextSeq, ++messages, mtu, readChunkPackets);
        if (wqe.operation() == Operation.RDMA_READ) {
            // The peer counts every READ request as a message of its own.
            messages += (wqe.packets() - 1) / readChunkPackets;
        }
    }

    /** A posted request failed before it could begin: it takes its place in the order of completions, but no sequence number. */
    public void beginFailed() {
        beginIndex++;
    }

    /** New packets of the request in progress were sent, or asked for. */
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

    /** Everything before a sequence number was executed by the responder. */
    public void executedTo(long endSeq) {
        executedSeq = Math.max(executedSeq, endSeq);
    }

    /**
     * Moves the acknowledged edge over everything that is executed and answered.
     *
     * @return by how many packets it moved.
     */
    public long advance() {
        long before = ackedSeq;
        while (ackIndex < beginIndex) {
            SendWqe wqe = ring.get(ackIndex);
            if (wqe.state() == SendWqe.State.ERROR) {
                break;
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
                readChunk.onDone(wqe.read());
            }
            wqe.done();
            ackIndex++;
        }
        againSeq = Math.max(againSeq, ackedSeq);
        againEnd = Math.max(againEnd, againSeq);
        return ackedSeq - before;
    }

    /** Whether the answer to a READ or atomic is missing although something behind it was executed or answered. */
    public boolean hasHole() {
        if (ackIndex == beginIndex) {
            return false;
        }
        SendWqe wqe = ring.get(ackIndex);
        return wqe.operation().isReadOrAtomic() && wqe.state() != SendWqe.State.ERROR && !wqe.read().isIdle()
            && (wqe.read().hasGap() || executedSeq >= wqe.firstSeq() + wqe.read().asked());
    }

    /** With {@link #hasHole}: one past the last packet known to be missing. */
    public long holeEnd() {
        SendWqe wqe = ring.get(ackIndex);
        long askedSeq = wqe.firstSeq() + wqe.read().asked();
        return executedSeq >= askedSeq ? askedSeq : wqe.firstSeq() + wqe.read().aheadEnd();
    }

    /** With {@link #hasHole}: the first answer at or after a sequence number that may be asked for; {@link #holeEnd} or more when none. */
    public long firstAskable(long fromSeq) {
        SendWqe wqe = ring.get(ackIndex);
        return wqe.firstSeq() + wqe.read().firstAskable(fromSeq - wqe.firstSeq());
    }

    /** With {@link #hasHole}: one past the missing answers at the acknowledged edge. */
    public long edgeGapEnd() {
        SendWqe wqe = ring.get(ackIndex);
        return wqe.firstSeq() + wqe.read().missingEnd(ackedSeq - wqe.firstSeq());
    }

    /** With {@link #hasHole}: one past the chunk that the acknowledged edge lies in. */
    public long edgeChunkEnd() {
        SendWqe wqe = ring.get(ackIndex);
        return wqe.firstSeq() + wqe.read().chunkEnd(ackedSeq - wqe.firstSeq());
    }

    /** Raises the retry flag: packets from one sequence number to another are to be sent again, beside those that already are. */
    public void sendAgain(long fromSeq, long endSeq) {
        long from = Math.max(fromSeq, ackedSeq);
        long end = Math.min(endSeq, nextSeq);
        if (isRetrying()) {
            from = Math.min(from, againSeq);
            end = Math.max(end, againEnd);
        }
        againSeq = from;
        againEnd = end;
    }

    /** Lowers the retry flag. */
    public void sendNothingAgain() {
        againEnd = againSeq;
    }

    /** While set, nothing new is sent: the answer to a trial is awaited, and new packets would only be lost. */
    public void holdNew(boolean hold) {
        newHeld = hold;
    }

    public boolean isNewHeld() {
        return newHeld;
    }

    /** Whether the retry flag is up. */
    public boolean isRetrying() {
        return againSeq < againEnd;
    }

    /** Requester: the packets before this one need not be sent again, or were. */
    public void sentAgainTo(long seq) {
        againSeq = seq;
    }

    public long againSeq() {
        return againSeq;
    }

    public long againEnd() {
        return againEnd;
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

    /** Whether anything sent is not acknowledged. */
    public boolean isOutstanding() {
        return ackedSeq < nextSeq;
    }

    /** Packets that are neither acknowledged nor to be sent again. */
    public long underWay() {
        return nextSeq - ackedSeq - (againEnd - againSeq);
    }

    /** A packet that demands an answer was sent; everything before this sequence number will be answered. */
    public void answerDue(long endSeq) {
        answerDueSeq = Math.max(answerDueSeq, endSeq);
    }

    /** Whether an answer is awaited (rule T2): not for packets of a message whose end, or AckReq, has not left yet. */
    public boolean isAnswerDue() {
        return ackedSeq < answerDueSeq;
    }

    /** Ring index of the oldest request that is not wholly acknowledged: those before it can complete. */
    public long ackIndex() {
        return ackIndex;
    }

    /** Ring index of the oldest request that has not begun. */
    public long beginIndex() {
        return beginIndex;
    }

    /** After a failure: nothing is outstanding any more, requests before an index were completed or flushed. */
    public void abandon(long index) {
        ackIndex = index;
        beginIndex = index;
        ackedSeq = nextSeq;
        executedSeq = nextSeq;
        answerDueSeq = nextSeq;
        againSeq = nextSeq;
        againEnd = nextSeq;
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

    /** The peer's credits: messages up to this number may be sent freely (rule Q15). */
    public void creditLimit(long messageNumber) {
        creditLimit = messageNumber;
    }

    public long creditLimit() {
        return creditLimit;
    }

    /** Messages begun so far. */
    public long messages() {
        return messages;
    }
}
