package io.rxe.qp.congestion;

/**
 * When a sender closes its window for a round trip to see the path without its queue. Who begins beside others takes their queue for a
 * part of the path, and would allow itself a longer one. It sees the path itself only if all who share the queue drain it together:
 *
 * <pre>
 *   a queue became long, or overflowed    all see that within a round trip, and each drains
 *   each 100 ms of the host's clock       so do all processes of a host: at first, and while the queue is long now and then
 *   each 12.5 ms of it                    the first two, where packets wait on a path of less than a millisecond, or seem not to
 * </pre>
 *
 * <p>Below 10 ms those of the clock begin in the middle of a round trip, so that all who share the queue close their windows together. The
 * 100 ms are as many round trips at least as keep the cost of it near a hundredth.
 *
 * <p>The window is closed for a round trip, in which all arrives that was in flight, and for another in which a few packets show the path.
 * Where all who close theirs together know the path as a distance, it opens for the second: what leaves first finds no queue.
 *
 * <p>A queue that two of them in a row did not shorten is not ours: the path became longer, if nothing was lost for long. A queue that was
 * still long at four of the clock in a row is that of TCP, or of others that fill any queue, until four in a row of any kind end it.
 *
 * <p>Times in nanoseconds. Owned by the engine thread.
 */
final class QueueDrain {
    private static final long PERIOD_NS = 100_000_000;
    private static final int ROUND_TRIPS = 64;
    /** How many times as often as later drains the first ones come. */
    private static final int EARLY = 8;
    private static final int EARLY_DRAINS = 2;
    private static final int FIRST_DRAINS = EARLY_DRAINS + 4;
    private static final int USELESS_DRAINS = 2;
    private static final int HOPELESS_DRAINS = 4;
    private static final int OWN_DRAINS = 4;
    /** What arrives in such a part of the round trip, the last, opens the window: behind it nothing comes for long. */
    static final int LAST_PART = 8;

    private boolean active;
    /** What the window will be afterwards. */
    private long windowBytes;
    /** When an arrival opens it. */
    private long opensFromNs;
    private boolean isOpen;
    /** What was sent before saw the queue that this ends. */
    private long measuresFromNs = Long.MIN_VALUE;
    /** The round trip before. */
    private long beforeNs;
    private long periodNs = Long.MAX_VALUE;
    private boolean isEarly;
    /** The one that is due begins in the middle of a round trip. */
    private boolean isTogether;
    /** When one was taken last. */
    private long dueSinceNs;
    /** Regular drains so far, counted up to {@link #FIRST_DRAINS}. */
    private int drains;
    private boolean isRegular;
    /** Regular ones in a row that found the queue long. */
    private int longDrains;
    /** Those of any kind in a row that found it short. */
    private int shortDrains;
    /** Those in a row that did not shorten the round trip. */
    private int uselessDrains;

    /** Whether the window is closed. */
    boolean isActive() {
        return active;
    }

    /** What the window is once this has ended. */
    long windowBytes() {
        return windowBytes;
    }

    /** What was sent earlier saw the queue. */
    long measuresFromNs() {
        return measuresFromNs;
    }

    /** None is due in the middle of the next round trip. */
    void rest() {
        periodNs = Long.MAX_VALUE;
    }

    /**
     * Whether a period has ended since the last call that said so. After a round trip.
     *
     * @param roundTripNs with what the hosts make of it; 0 where a drain costs nothing.
     * @param isRare      whether four periods are one.
     * @param isQueued    whether packets wait for long, or could without a sign of it.
     */
    boolean takeDue(long roundTripNs, boolean isRare, boolean isQueued, long nowNs) {
        isEarly = isQueued && drains < EARLY_DRAINS;
        int early = isEarly ? EARLY : 1;
        periodNs = (isRare ? 4 * PERIOD_NS : PERIOD_NS) / early;
        while (periodNs < ROUND_TRIPS / early * roundTripNs) {
            periodNs *= 2;
        }
        return take(nowNs);
    }

    /** The same in the middle of a round trip: the one before tells the period. */
    boolean takeDue(long nowNs) {
        isTogether = take(nowNs);
        return isTogether;
    }

    private boolean take(long nowNs) {
        if (nowNs / periodNs == dueSinceNs / periodNs) {
            return false;
        }
        dueSinceNs = nowNs;
        isRegular = !isEarly;
        drains = Math.min(FIRST_DRAINS, drains + 1);
        return true;
    }

    /** Whether regular drains are due although no queue was seen: a part of the shortest round trip may be the queue of others. */
    boolean isFirst() {
        return drains < FIRST_DRAINS;
    }

    /**
     * The window closes.
     *
     * @param thenBytes   what it is afterwards.
     * @param roundTripNs with the queue, without what waits the other way.
     * @param wholeNs     with that.
     * @param isDistance  whether all who share the path know it as a distance.
     */
    void begin(long thenBytes, long roundTripNs, long wholeNs, boolean isDistance, long nowNs) {
        active = true;
        windowBytes = thenBytes;
        beforeNs = roundTripNs;
        measuresFromNs = nowNs + wholeNs;
        opensFromNs = isTogether && isDistance ? measuresFromNs - wholeNs / LAST_PART : Long.MAX_VALUE;
        isOpen = false;
        isTogether = false;
    }

    /** Whether the window opens with this arrival, since what was in flight has arrived. */
    boolean opens(long nowNs) {
        if (!active || isOpen || nowNs < opensFromNs) {
            return false;
        }
        isOpen = true;
        measuresFromNs = nowNs;
        return true;
    }

    /** Whether the window opened before this ended. */
    boolean isOpen() {
        return isOpen;
    }

    /** It ends, and nothing was measured. */
    void end() {
        active = false;
    }

    /**
     * It ends.
     *
     * @param networkNs the fastest round trip of what was sent while the window was closed.
     * @param isLong    whether that is still too long.
     */
    void end(long networkNs, boolean isLong) {
        active = false;
        longDrains = isLong ? longDrains + (isRegular ? 1 : 0) : 0;
        shortDrains = isLong ? 0 : shortDrains + 1;
        uselessDrains = isLong && networkNs > beforeNs - beforeNs / 8 ? uselessDrains + 1 : 0;
        isRegular = false;
    }

    /** Whether the last one, if any, shortened the round trip. */
    boolean wasUseful() {
        return uselessDrains == 0;
    }

    /** Whether the queue seems to be that of this window alone: each of the last ones ended it. */
    boolean isOfNobodyElse() {
        return shortDrains >= OWN_DRAINS;
    }

    /** Whether closing the window does not shorten round trips. */
    boolean isUseless() {
        return uselessDrains >= USELESS_DRAINS;
    }

    /** Whether the queue stays long even when all of ours who share it close their windows. */
    boolean isHopeless() {
        return longDrains >= HOPELESS_DRAINS;
    }

    /** The path became longer: begins anew. */
    void onLongerPath() {
        uselessDrains = 0;
        longDrains = 0;
    }
}
