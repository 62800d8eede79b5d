package io.rxe.qp.send;

/**
 * The send window of a queue pair: how many packets may be in flight.
 *
 * <p>It grows by the number of packets acknowledged until the first loss, and slowly after that. With a go-back-N peer, one loss makes us
 * retransmit the whole window, so each loss halves it. With a selective-repeat peer, a loss costs one packet, so the window shrinks only
 * when a round trip loses so many packets that the peer's socket buffer must be overflowing.
 *
 * <p>It also follows the queueing delay. When even the fastest response of a round trip spent more than half a millisecond in queues, a
 * larger window adds no throughput and makes repairs slower.
 *
 * <p>Owned by the engine thread.
 */
public final class SendWindow {
    /** Where a connection starts, in packets. */
    public static final int INITIAL_PACKETS = 32;
    /** Below this it does not shrink. */
    public static final int MINIMUM_PACKETS = 4;
    /** Above this it does not grow: our responder keeps no more packets than this behind a gap. */
    public static final int MAXIMUM_PACKETS = 1024;

    /** Up to this queueing delay the window grows; above {@link #MAX_QUEUEING_NS} it shrinks. */
    private static final long GOOD_QUEUEING_NS = 250_000;
    private static final long MAX_QUEUEING_NS = 500_000;

    private int limit = INITIAL_PACKETS;
    private int packets = INITIAL_PACKETS;
    private int threshold;
    private int credit;
    private long roundTripEndSeq;
    private int ackedInRoundTrip;
    private int lostInRoundTrip;
    private boolean shrunkInRoundTrip;
    private boolean mayGrow = true;
    private long minQueueingNs = Long.MAX_VALUE;

    /**
     * A new connection or path.
     *
     * @param limitBytes most bytes in flight, from the size of the socket buffers.
     * @param mtu        payload bytes of a full packet.
     */
    public void start(int limitBytes, int mtu) {
        limit = Math.max(MINIMUM_PACKETS, Math.min(MAXIMUM_PACKETS, limitBytes / mtu));
        packets = Math.min(INITIAL_PACKETS, limit);
        threshold = limit;
        credit = 0;
        roundTripEndSeq = 0;
        shrunkInRoundTrip = false;
        mayGrow = true;
        minQueueingNs = Long.MAX_VALUE;
    }

    /** Packets that may ever be in flight. */
    public int limitPackets() {
        return limit;
    }

    /** Packets that may be in flight now. */
    public int packets() {
        return packets;
    }

    /** Whether the packet with this sequence number may be sent while everything before {@code ackedSeq} is acknowledged. */
    public boolean allows(long seq, long ackedSeq) {
        return seq - ackedSeq < packets;
    }

    /**
     * Packets were acknowledged.
     *
     * @param endSeq  one past the last of them.
     * @param nextSeq one past the last packet sent: its acknowledgement ends the next round trip.
     */
    public void onAcknowledged(int count, long endSeq, long nextSeq) {
        ackedInRoundTrip += count;
        if (endSeq > roundTripEndSeq) {
            roundTripEndSeq = nextSeq;
            ackedInRoundTrip = 0;
            lostInRoundTrip = 0;
            shrunkInRoundTrip = false;
            onRoundTripEnd();
        }
        if (!mayGrow) {
            return;
        }
        if (packets < threshold) {
            packets = Math.min(limit, packets + count);
        } else {
            credit += count;
            if (credit >= packets) {
                credit = 0;
                packets = Math.min(limit, packets + 1);
            }
        }
    }

    /** A round trip was measured, of which this much was spent in queues. */
    public void onQueueing(long ns) {
        minQueueingNs = Math.min(minQueueingNs, ns);
    }

    private void onRoundTripEnd() {
        if (minQueueingNs != Long.MAX_VALUE) {
            mayGrow = minQueueingNs <= GOOD_QUEUEING_NS;
            if (minQueueingNs > MAX_QUEUEING_NS) {
                shrink(Math.max(INITIAL_PACKETS, packets - packets / 8));
            }
            minQueueingNs = Long.MAX_VALUE;
        }
    }

    /** A packet to a selective-repeat peer was lost. */
    public void onSelectiveRepeatLoss() {
        lostInRoundTrip++;
        if (lostInRoundTrip > 4 && lostInRoundTrip > (ackedInRoundTrip + packets) / 8) {
            shrink(packets * 3 / 4);
        }
    }

    /** A packet to a go-back-N peer was lost. */
    public void onGoBackNLoss() {
        shrink(packets / 2);
    }

    /** The ACK timeout expired. */
    public void onTimeout() {
        shrunkInRoundTrip = false;
        shrink(packets / 2);
    }

    private void shrink(int to) {
        if (!shrunkInRoundTrip) {
            shrunkInRoundTrip = true;
            packets = Math.max(Math.min(MINIMUM_PACKETS, limit), Math.min(packets, to));
            threshold = packets;
            credit = 0;
        }
    }
}
