package io.rxe.qp.send;

/**
 * The sequence numbers to retransmit (rule Q3), and whether anything new may be sent meanwhile. The completer sets the range; the
 * requester walks it and skips what was acknowledged. A POSTED request has no sequence numbers yet, so it is never inside.
 *
 * <p>Owned by the engine thread.
 */
public final class RetryRange {
    private final SendState send;
    private long fromSeq;
    private long endSeq;
    private boolean newPaused;

    RetryRange(SendState send) {
        this.send = send;
    }

    void start(long seq) {
        fromSeq = seq;
        endSeq = seq;
        newPaused = false;
    }

    /** Adds the packets from one sequence number to another, exclusive, as far as they are sent, not acknowledged and not failed. */
    public void add(long from, long end) {
        long first = Math.max(from, send.ackedSeq());
        long last = Math.min(end, Math.min(send.nextSeq(), send.failedSeq()));
        if (!isEmpty()) {
            first = Math.min(first, fromSeq);
            last = Math.max(last, endSeq);
        }
        fromSeq = first;
        endSeq = Math.max(first, last);
    }

    /** Empties the range. */
    public void clear() {
        endSeq = fromSeq;
    }

    /** Everything before a sequence number is acknowledged. */
    void onAcknowledged(long ackedSeq) {
        fromSeq = Math.max(fromSeq, ackedSeq);
        endSeq = Math.max(endSeq, fromSeq);
    }

    /** Nothing from a sequence number on is retransmitted any more. */
    void endAt(long seq) {
        endSeq = Math.max(fromSeq, Math.min(endSeq, seq));
    }

    /** Requester: everything before this sequence number was retransmitted, or need not be. */
    public void onRetransmittedTo(long seq) {
        fromSeq = seq;
    }

    /** The next sequence number to retransmit. */
    public long fromSeq() {
        return fromSeq;
    }

    /** One past the last sequence number to retransmit. */
    public long endSeq() {
        return endSeq;
    }

    public boolean isEmpty() {
        return fromSeq >= endSeq;
    }

    /** While paused, nothing new is sent: a probe is in flight to a peer that may drop everything behind the gap. */
    public void pauseNew(boolean isPaused) {
        newPaused = isPaused;
    }

    public boolean isNewPaused() {
        return newPaused;
    }
}
