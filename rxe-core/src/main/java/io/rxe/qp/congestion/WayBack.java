package io.rxe.qp.congestion;

/**
 * The way on which acknowledgements come back. Where the peer sends too, they wait in its queue, which a smaller window does not shorten:
 * so that is no wait of this direction. And what has arrived, and whose acknowledgement waits there, is in flight beyond the window: what
 * arrived in the last round trips, in as long as acknowledgements wait now. Else each change of one queue would move the other.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
final class WayBack {
    /** A round trip counts for an eighth less in each that follows. */
    private static final double KEPT = 7 / 8.0;

    private final RoundTrip round;
    private final ArrivalWait arrival = new ArrivalWait();
    private double arrivedBytes;
    private double arrivedInNs;
    /** How fast they arrived; 0 before the first round trip. */
    private double bytesPerNs;
    private long waitNs;

    /** @param round the round trip at hand. */
    WayBack(RoundTrip round) {
        this.round = round;
    }

    /** See {@link CongestionControl#onPeerSent}. */
    void onPeerSent(long sentNs, long hostNs, long nowNs) {
        arrival.onArrived(sentNs, hostNs, nowNs);
    }

    /** An acknowledgement arrived. Returns how long it waited on its way back. */
    long onAcknowledged(long nowNs) {
        waitNs = arrival.ns(nowNs);
        return waitNs;
    }

    /** The round trip ended. What arrived at the peer took so long. */
    void onRound(long ns) {
        arrivedBytes = arrivedBytes * KEPT + round.arrivedBytes;
        arrivedInNs = arrivedInNs * KEPT + ns;
        bytesPerNs = arrivedInNs > 0 ? arrivedBytes / arrivedInNs : 0;
    }

    /** What has arrived, and whose acknowledgements wait. */
    long bytes() {
        return (long) (bytesPerNs * waitNs);
    }

    /** The last round trip that was measured, with what acknowledgements wait. */
    long wholeRoundNs() {
        return round.lastNs() + waitNs;
    }

    /** Where acknowledgements wait, what leaves in a ns at most: what arrived of late, or the window in a whole round trip. */
    double atMost(double perNs, long windowBytes) {
        return waitNs > 0 ? Math.min(perNs, Math.max((double) windowBytes / wholeRoundNs(), bytesPerNs)) : perNs;
    }
}
