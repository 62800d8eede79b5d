package io.rxe.qp.send;

/**
 * The responses to the oldest READ or atomic that are missing although the peer has executed, or responded to, something behind them:
 * an implied NAK (rules Q4, Q5).
 *
 * <pre>
 *   ackedSeq          gapEnd         requestEnd                endSeq
 *      |   missing      |   received    |   missing, received    |  not known to be missing
 *      |        one READ request        |     further ones       |
 * </pre>
 *
 * <p>A view of {@link SendState}: apart from {@link #isAny}, its methods are valid only while {@link #isAny} is true. Owned by the engine
 * thread.
 */
public final class MissingResponses {
    private final SendState send;

    MissingResponses(SendState send) {
        this.send = send;
    }

    /** Whether any response is known to be missing. */
    public boolean isAny() {
        SendWqe wqe = send.oldest();
        return wqe != null && wqe.operation().isReadOrAtomic() && wqe.state() != SendWqe.State.ERROR && !wqe.read().isIdle()
            && (wqe.read().hasGap() || send.executedSeq() >= requestedEnd(wqe));
    }

    /** One past the last response known to be missing. */
    public long endSeq() {
        SendWqe wqe = send.oldest();
        long requestedEnd = requestedEnd(wqe);
        return send.executedSeq() >= requestedEnd ? requestedEnd : wqe.firstSeq() + wqe.read().aheadEnd();
    }

    /** The first missing response at or after a sequence number that may be requested now; {@link #endSeq} or more when none. */
    public long firstRequestable(long fromSeq) {
        SendWqe wqe = send.oldest();
        return wqe.firstSeq() + wqe.read().firstRequestable(fromSeq - wqe.firstSeq());
    }

    /** One past the run of missing responses at the acknowledged edge. */
    public long gapEnd() {
        SendWqe wqe = send.oldest();
        return wqe.firstSeq() + wqe.read().missingEnd(send.ackedSeq() - wqe.firstSeq());
    }

    /** One past the responses to the READ request that the acknowledged edge lies in. */
    public long requestEnd() {
        SendWqe wqe = send.oldest();
        return wqe.firstSeq() + wqe.read().requestEnd(send.ackedSeq() - wqe.firstSeq());
    }

    private static long requestedEnd(SendWqe wqe) {
        return wqe.firstSeq() + wqe.read().requested();
    }
}
