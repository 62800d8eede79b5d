package io.rxe.qp.send;

/**
 * Decides how many packets one request of a long READ covers (see {@link ReadProgress}).
 *
 * <p>Long requests are cheaper: each request costs the peer two extra batches, because its first and last response are four bytes longer
 * than the rest. Short requests repair faster where only the first gap of a request can be repaired at a time: there a connection starts
 * with short requests, and uses long ones after a READ of several requests without loss. Elsewhere the size follows the send window: a
 * third of it while that is short, else an eighth, so that several requests are in flight and a lost one holds up few responses.
 *
 * <p>Owned by the engine thread.
 */
final class ReadRequestSize {
    /** While losses are likely. */
    private static final int SHORT_PACKETS = 64;
    private static final int LONG_PACKETS = 256;
    private static final int LONG_BYTES = 1 << 19;
    /** On a path that holds little. */
    private static final int LEAST_PACKETS = 8;
    /** To a peer that has not answered yet, and others wait. */
    private static final int FIRST_PACKETS = 2;
    /** On a path that holds much. */
    private static final int MOST_PACKETS = 1024;

    private boolean lossless;

    /** A new connection. */
    void start() {
        lossless = false;
    }

    /**
     * Packets that the next request covers.
     *
     * @param mtu          payload bytes of a full packet.
     * @param windowPackets the present send window.
     * @param mostPackets   the largest one.
     * @param repairsAll    whether all gaps of a request can be repaired at once: then only the window bounds it.
     */
    int packets(int mtu, long windowPackets, long mostPackets, boolean repairsAll) {
        if (repairsAll) {
            long wanted = Math.max(Math.min(SHORT_PACKETS, windowPackets / 3), Math.min(MOST_PACKETS, windowPackets / 8));
            return (int) Math.max(Math.min(LEAST_PACKETS, mostPackets), wanted);
        }
        int wanted = lossless ? Math.min(LONG_PACKETS, LONG_BYTES / mtu) : SHORT_PACKETS;
        return (int) Math.min(wanted, windowPackets);
    }

    /**
     * Packets of each request before the peer has answered any, where other queue pairs wait. A queue may be full, and no rate is known;
     * while nothing of a request arrives, all of it has to be requested again. So a short READ is split among the requests that may be
     * outstanding.
     *
     * @param usual  what {@link #packets} says.
     * @param read   packets of the READ.
     * @param places requests that may be outstanding, max_rd_atomic.
     */
    static int toUnknownPeer(int usual, long read, int places) {
        return (int) Math.min(usual, Math.max(FIRST_PACKETS, (read + places - 1) / Math.max(1, places)));
    }

    void onDone(ReadProgress read) {
        if (read.wasRetransmitted()) {
            lossless = false;
        } else if (read.requested() > SHORT_PACKETS) {
            lossless = true;
        }
    }
}
