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

    private final ArrivalWait arrival = new ArrivalWait();
    private double arrivedBytes;
    private double arrivedInNs;
    private long waitNs;

    /** See {@link CongestionControl#onPeerSent}. */
    void onPeerSent(long sentNs, long hostNs, long nowNs) {
        arrival.onArrived(sentNs, hostNs, nowNs);
    }

    /** An acknowledgement arrived, after so long. Returns how long it waited on its way back. */
    long onAcknowledged(long nowNs) {
        waitNs = arrival.ns(nowNs);
        return waitNs;
    }

    /** A round trip ended, in which so much arrived at the peer. */
    void onRound(long bytes, long roundNs) {
        arrivedBytes = arrivedBytes * KEPT + bytes;
        arrivedInNs = arrivedInNs * KEPT + roundNs;
    }

    /** What has arrived, and whose acknowledgements wait. */
    long bytes() {
        return (long) (bytesPerNs() * waitNs);
    }

    /** A round trip with what acknowledgements wait. */
    long wholeNs(long roundNs) {
        return roundNs + waitNs;
    }

    /** Where acknowledgements wait, what leaves in a ns at most: what arrived of late, or the window in a whole round trip. */
    double atMost(double bytesPerNs, long windowBytes, long roundNs) {
        return waitNs > 0 ? Math.min(bytesPerNs, Math.max((double) windowBytes / wholeNs(roundNs), bytesPerNs())) : bytesPerNs;
    }

    private double bytesPerNs() {
        return arrivedInNs > 0 ? arrivedBytes / arrivedInNs : 0;
    }
}
