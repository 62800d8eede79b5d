package io.rxe.qp;

/**
 * How many packets may be under way.
 *
 * <p>Grows by what is acknowledged until something is lost, then slowly. A loss costs a peer that discards what follows it the whole
 * window again, so for such a peer each loss halves it; a peer that keeps what follows gets a smaller window only when so much was
 * lost in one round trip that its socket must be overflowing. And it follows the round trip: when even the quickest answer of a
 * round has spent longer than half a millisecond in queues, more packets under way only make repairs slower.
 *
 * <p>Owned by the engine thread.
 */
public final class SendWindow {
    /** Where a connection starts, in packets. */
    public static final int INITIAL_PACKETS = 32;
    /** Below this it does not shrink. */
    public static final int MINIMUM_PACKETS = 4;
    /** Above this it does not grow: peers keep no more than this out of order. */
    public static final int MAXIMUM_PACKETS = 1024;

    /** Below this queueing time the window grows, above {@link #MAX_QUEUEING_NS} it shrinks. */
    private static final long GOOD_QUEUEING_NS = 250_000;
    private static final long MAX_QUEUEING_NS = 500_000;

    private int limit = INITIAL_PACKETS;
    private int packets = INITIAL_PACKETS;
    private int threshold;
    private int credit;
    private long roundEndSeq;
    private int roundAcked;
    private int roundLost;
    private boolean shrunkThisRound;
    private boolean mayGrow = true;
    private long roundQueueingNs = Long.MAX_VALUE;

    /**
     * Starts anew.
     *
     * @param limitBytes bytes that may be under way at most, from the socket buffers.
     * @param mtu        payload bytes of a packet.
     */
    public void start(int limitBytes, int mtu) {
        limit = Math.max(MINIMUM_PACKETS, Math.min(MAXIMUM_PACKETS, limitBytes / mtu));
        packets = Math.min(INITIAL_PACKETS, limit);
        threshold = limit;
        credit = 0;
        roundEndSeq = 0;
        shrunkThisRound = false;
        mayGrow = true;
        roundQueueingNs = Long.MAX_VALUE;
    }

    /** Packets that may ever be under way. */
    public int limitPackets() {
        return limit;
    }

    /** Packets that may be under way now. */
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
     * @param nextSeq one past the last packet sent: where the next round ends.
     */
    public void onAcknowledged(int count, long endSeq, long nextSeq) {
        roundAcked += count;
        if (endSeq > roundEndSeq) {
            roundEndSeq = nextSeq;
            roundAcked = 0;
            roundLost = 0;
            shrunkThisRound = false;
            onRoundEnd();
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

    /** A round trip was measured; so long of it was spent in queues. */
    public void onQueueing(long ns) {
        roundQueueingNs = Math.min(roundQueueingNs, ns);
    }

    private void onRoundEnd() {
        if (roundQueueingNs != Long.MAX_VALUE) {
            mayGrow = roundQueueingNs <= GOOD_QUEUEING_NS;
            if (roundQueueingNs > MAX_QUEUEING_NS) {
                shrink(Math.max(INITIAL_PACKETS, packets - packets / 8));
            }
            roundQueueingNs = Long.MAX_VALUE;
        }
    }

    /** A packet was lost on the way to a peer that keeps what follows. */
    public void onLossKept() {
        roundLost++;
        if (roundLost > 4 && roundLost > (roundAcked + packets) / 8) {
            shrink(packets * 3 / 4);
        }
    }

    /** A packet was lost on the way to a peer that discards what follows. */
    public void onLossDiscarded() {
        shrink(packets / 2);
    }

    /** Nothing came back for the whole transport timeout. */
    public void onTimeout() {
        shrunkThisRound = false;
        shrink(packets / 2);
    }

    private void shrink(int to) {
        if (!shrunkThisRound) {
            shrunkThisRound = true;
            packets = Math.max(Math.min(MINIMUM_PACKETS, limit), Math.min(packets, to));
            threshold = packets;
            credit = 0;
        }
    }
}
