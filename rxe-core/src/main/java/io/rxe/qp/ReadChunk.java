package io.rxe.qp;

/**
 * How much one request of a long READ asks for (see {@link ReadProgress}).
 *
 * <p>Each request costs the peer two batches of odd length, since its first and last response are four bytes longer than the rest: that
 * speaks for long ones. Of each only the first gap can be repaired at a time: that speaks for short ones, where packets are lost. So a
 * connection begins with short ones, and asks for more once a READ of several lost nothing.
 *
 * <p>Owned by the engine thread.
 */
final class ReadChunk {
    /** Where something may be lost. */
    private static final int SHORT_PACKETS = 64;
    private static final int LONG_PACKETS = 256;
    private static final int LONG_BYTES = 1 << 19;

    private boolean lossless;

    /** Starts anew. */
    void start() {
        lossless = false;
    }

    /**
     * Packets to ask for at once.
     *
     * @param mtu          payload bytes of a packet.
     * @param limitPackets of the window: what the sockets hold.
     */
    int packets(int mtu, int limitPackets) {
        int wanted = lossless ? Math.min(LONG_PACKETS, LONG_BYTES / mtu) : SHORT_PACKETS;
        return Math.min(wanted, limitPackets);
    }

    /** A READ is complete. */
    void onDone(ReadProgress read) {
        if (read.wasAskedAgain()) {
            lossless = false;
        } else if (read.asked() > SHORT_PACKETS) {
            lossless = true;
        }
    }
}
