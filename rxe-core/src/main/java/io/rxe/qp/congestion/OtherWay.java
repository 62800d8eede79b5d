package io.rxe.qp.congestion;

/**
 * The way of a round trip that carries no data of it: ACKs come back on it, and READ requests leave. Where it carries data of others, they
 * wait in a queue that a smaller window does not shorten: so that is no wait of the data. And what has arrived, and whose ACK waits there,
 * or has yet to leave, and whose request does, is in flight beyond the window: what arrived in the last round trips, in as long as they
 * wait now. Else each change of one queue would move the other.
 *
 * <p>Bytes as the peer send window counts them; times in nanoseconds. Owned by the engine thread.
 */
final class OtherWay {
    /** A round trip counts for an eighth less in each that follows. */
    private static final double KEPT = 7 / 8.0;
    /** What READ requests wait is known a round trip later. To follow each change would make the queues of both ways swing. */
    private static final int MEAN_ROUNDS = 32;
    /** A shorter wait is none: no peer tells it. */
    private static final long LEAST_NS = 1 << 13;

    private final RoundTrip round;
    private final ArrivalWait arrival = new ArrivalWait();
    private double arrivedBytes;
    private double arrivedInNs;
    /** How fast they arrived; 0 before the first round trip. */
    private double bytesPerNs;
    private long latestNs;
    /** What ACKs wait now, and READ requests wait in the mean. */
    private long waitNs;

    /** @param round the round trip at hand. */
    OtherWay(RoundTrip round) {
        this.round = round;
    }

    /** See {@link CongestionControl#onPeerSent}. */
    void onPeerSent(long sentNs, long hostNs, long nowNs) {
        arrival.onArrived(sentNs, hostNs, nowNs);
    }

    /** See {@link CongestionControl#arrivalWaitNs}. */
    long arrivalWaitNs(long nowNs) {
        return arrival.ns(nowNs);
    }

    /** An acknowledgement arrived. Returns how long it waited. */
    long onAcknowledged(long nowNs) {
        latestNs = arrival.ns(nowNs);
        waitNs = latestNs;
        return latestNs;
    }

    /** A response arrived, whose request waited so long. */
    void onResponse(long requestWaitNs) {
        latestNs = requestWaitNs;
    }

    /** The round trip ended. What arrived at the peer took so long. */
    void onRound(long ns) {
        waitNs += (latestNs - waitNs) / MEAN_ROUNDS;
        arrivedBytes = arrivedBytes * KEPT + round.arrivedBytes;
        arrivedInNs = arrivedInNs * KEPT + ns;
        bytesPerNs = arrivedInNs > 0 ? arrivedBytes / arrivedInNs : 0;
    }

    /** What is in flight beyond the window. */
    long bytes() {
        return (long) (bytesPerNs * waitNs);
    }

    /** The last round trip that was measured, with what waits the other way. */
    long wholeRoundNs() {
        return round.lastNs() + waitNs;
    }

    /** Where anything waits the other way, what leaves in a ns at most: what arrived of late, or the window in a whole round trip. */
    double atMost(double perNs, long windowBytes) {
        return waitNs >= LEAST_NS ? Math.min(perNs, Math.max((double) windowBytes / wholeRoundNs(), bytesPerNs)) : perNs;
    }
}
