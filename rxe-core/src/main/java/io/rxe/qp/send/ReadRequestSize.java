package io.rxe.qp.send;

/**
 * Decides how many packets one request of a long READ covers (see {@link ReadProgress}).
 *
 * <p>Long requests are cheaper: each request costs the peer two extra batches, because its first and last response are four bytes longer
 * than the rest. Short requests repair faster: only the first gap of a request can be repaired at a time. So a connection starts with
 * short requests, and uses long ones after a READ of several requests without loss.
 *
 * <p>Owned by the engine thread.
 */
final class ReadRequestSize {
    /** While losses are likely. */
    private static final int SHORT_PACKETS = 64;
    private static final int LONG_PACKETS = 256;
    private static final int LONG_BYTES = 1 << 19;

    private boolean lossless;

    /** A new connection. */
    void start() {
        lossless = false;
    }

    /**
     * Packets that the next request covers.
     *
     * @param mtu          payload bytes of a full packet.
     * @param limitPackets largest send window.
     */
    int packets(int mtu, int limitPackets) {
        int wanted = lossless ? Math.min(LONG_PACKETS, LONG_BYTES / mtu) : SHORT_PACKETS;
        return Math.min(wanted, limitPackets);
    }

    /** A READ is complete. */
    void onDone(ReadProgress read) {
        if (read.wasRetransmitted()) {
            lossless = false;
        } else if (read.requested() > SHORT_PACKETS) {
            lossless = true;
        }
    }
}
