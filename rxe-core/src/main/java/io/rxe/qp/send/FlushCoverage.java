package io.rxe.qp.send;

/**
 * What the ICRC of a FLUSH covers at this peer (rule Q16). rdma_rxe lets it cover the headers twice, and drops a FLUSH as specified. So
 * the first FLUSH of a connection leaves as specified, and each retransmission of it in the other way, until one is answered. rdma_rxe
 * has no XRC, so a FLUSH over XRC always leaves as specified.
 *
 * <p>Owned by the engine thread.
 */
public final class FlushCoverage {
    private boolean twice;
    private boolean known;

    /** A new connection. */
    void start() {
        twice = false;
        known = false;
    }

    /** Chooses for the next transmission of a FLUSH: whether its ICRC covers the headers twice. */
    public boolean choose(SendWqe flush) {
        boolean chosen = flush.flushTransmissions() == 0 || known ? twice : !flush.wasCoveredTwice();
        flush.flushTransmitted(chosen);
        return chosen;
    }

    /** The peer has executed a FLUSH. What was sent once leaves no doubt; otherwise the last transmission is the likely one. */
    public void onExecuted(SendWqe flush) {
        if (!known && flush.flushTransmissions() > 0) {
            twice = flush.wasCoveredTwice();
            known = flush.flushTransmissions() == 1;
        }
    }
}
