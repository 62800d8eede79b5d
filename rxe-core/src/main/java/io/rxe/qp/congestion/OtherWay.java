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
    /** After this many round trips with about the same wait, it does not swing, and the mean may follow faster. */
    private static final int STEADY_ROUNDS = 8;
    private static final int STEADY_MEAN_ROUNDS = 4;
    /** Queues are drained more often than this: a wait that is steady for so long is that of the path. */
    private static final long PATH_NS = 500_000_000;
    /** A round trip in which a wait ends has answers from before. */
    private static final int ROUNDS_OF_END = 4;
    /** A shorter wait is none: no peer tells it. */
    private static final long LEAST_NS = 1 << 13;

    private final RoundTrip round;
    private double arrivedBytes;
    private double arrivedInNs;
    /** How fast they arrived; 0 before the first round trip. */
    private double bytesPerNs;
    private long latestNs;
    private long meanNs;
    /** The wait that later ones differ from by a quarter at most, for how many round trips, and for how long. */
    private long steadyNs;
    private int steadyRounds;
    private long steadyForNs;
    /** A wait that was steady for {@link #PATH_NS} and has ended, and for how many more round trips it may turn out to be of the path. */
    private long endedNs;
    private int endedRounds;
    /** Whether the latest was of an ACK. */
    private boolean acknowledged;

    /** @param round the round trip at hand. */
    OtherWay(RoundTrip round) {
        this.round = round;
    }

    /** An acknowledgement arrived, which waited so long. */
    void onAcknowledged(long ns) {
        latestNs = ns;
        acknowledged = true;
    }

    /** A response arrived, whose request waited so long. */
    void onResponse(long ns) {
        latestNs = ns;
        acknowledged = false;
    }

    /** What ACKs wait now, and READ requests wait in the mean. */
    private long waitNs() {
        return acknowledged ? latestNs : meanNs;
    }

    /** The round trip ended. What arrived at the peer took so long. */
    void onRound(long ns) {
        followSteady(ns);
        meanNs += (latestNs - meanNs) / (steadyRounds >= STEADY_ROUNDS ? STEADY_MEAN_ROUNDS : MEAN_ROUNDS);
        arrivedBytes = arrivedBytes * KEPT + round.arrivedBytes;
        arrivedInNs = arrivedInNs * KEPT + ns;
        bytesPerNs = arrivedInNs > 0 ? arrivedBytes / arrivedInNs : 0;
    }

    private void followSteady(long ns) {
        endedRounds = Math.max(0, endedRounds - 1);
        if (Math.abs(latestNs - steadyNs) <= steadyNs / 4) {
            steadyRounds = Math.min(STEADY_ROUNDS, steadyRounds + 1);
            steadyForNs += ns;
            return;
        }
        if (steadyForNs >= PATH_NS && latestNs < steadyNs / 4) {
            endedNs = steadyNs;
            endedRounds = ROUNDS_OF_END;
        }
        steadyNs = latestNs;
        steadyRounds = 0;
        steadyForNs = 0;
    }

    /**
     * Whether what waited the other way for long, and no less, is over, and as much seems to wait this way now; true once. Then it was no
     * queue: the path became longer, and the peer knows of no shorter one any more.
     */
    boolean takePath(long thisWayNs) {
        boolean isPath = endedRounds > 0 && endedNs >= LEAST_NS && thisWayNs > endedNs * 3 / 4;
        if (isPath) {
            endedRounds = 0;
            meanNs = latestNs;
        }
        return isPath;
    }

    /** What is in flight beyond the window. */
    long bytes() {
        return (long) (bytesPerNs * waitNs());
    }

    /** The last round trip that was measured, with what waits the other way. */
    long wholeRoundNs() {
        return round.lastNs() + waitNs();
    }

    /** Where anything waits the other way, what leaves in a ns at most: what arrived of late, or the window in a whole round trip. */
    double atMost(double perNs, long windowBytes) {
        return waitNs() >= LEAST_NS ? Math.min(perNs, Math.max((double) windowBytes / wholeRoundNs(), bytesPerNs)) : perNs;
    }
}
