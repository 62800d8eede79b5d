package io.rxe.bench.perftest;

/**
 * The time a receiver's messages took to arrive. It begins with the last look that found nothing, for only then is it certain that
 * nothing had come. The original begins with the first message it sees: when its thread was held up meanwhile, many have come already
 * and seem to have taken no time at all, and it reports more than the wire can carry.
 *
 * <pre>
 *   look: nothing     m1 m2 m3 (nobody looks)    look: m1 m2 m3
 *   begins here                                  ends here
 * </pre>
 */
final class ArrivalClock {
    private long emptyNs;
    private long lastNs;
    private boolean hasArrivals;

    /** @param nowNs before the peer may send. */
    ArrivalClock(long nowNs) {
        emptyNs = nowNs;
        lastNs = nowNs;
    }

    /** Nothing is there. */
    void onEmpty(long nowNs) {
        if (!hasArrivals) {
            emptyNs = nowNs;
        }
    }

    /** Something is there. */
    void onArrival(long nowNs) {
        hasArrivals = true;
        lastNs = nowNs;
    }

    boolean hasArrivals() {
        return hasArrivals;
    }

    /** All messages together, in nanoseconds; never less than they took. */
    long elapsedNs() {
        return hasArrivals ? lastNs - emptyNs : 0;
    }
}
