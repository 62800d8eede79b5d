package io.rxe.qp.send;

import io.rxe.wire.Psn;

/**
 * The last SEND or WRITE that has begun: a peer responds to a duplicate with its PSN (rule T11).
 *
 * <p>Owned by the engine thread.
 */
final class LastPlainRequest {
    /** The PSN of the ACKs of rdma_rxe before it has executed a SEND, a WRITE or an atomic. */
    private static final int RXE_FIRST_ACK_PSN = Psn.MASK;
    /** More packets than are sent while an ACK is in the network: many windows. */
    private static final long RXE_ACK_DISTANCE = 1 << 16;

    /** Of its last packet; before there is one, what lies before the first request. */
    private long seq;
    private boolean begun;

    void start(long nextSeq) {
        seq = nextSeq - 1;
        begun = false;
    }

    void onBegun(SendWqe wqe) {
        seq = wqe.endSeq() - 1;
        begun = true;
    }

    /**
     * Whether a response with its PSN cannot be taken for one to the next packets: it is not so long ago that its PSN looks like a later
     * one. Before the first, rdma_rxe responds with {@link #RXE_FIRST_ACK_PSN}, which must not be one of the next packets.
     */
    boolean isDistinct(long nextSeq) {
        long untilRxeAck = RXE_FIRST_ACK_PSN - nextSeq & Psn.MASK;
        return nextSeq - seq < SendState.MAX_UNACKED_PACKETS / 2 && (begun || untilRxeAck >= RXE_ACK_DISTANCE);
    }
}
