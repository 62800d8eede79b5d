package io.rxe.tools.perftest;

/**
 * The time a receiver's messages took to arrive. It begins with the last poll that found nothing, the latest time at which certainly
 * none had arrived. The original begins with the first message it polls: if its thread was descheduled before, a backlog seems to
 * arrive in no time, and it reports more than the wire can carry.
 *
 * <pre>
 *   poll: nothing     m1 m2 m3 (thread does not run)    poll: m1 m2 m3
 *   begins here                                         ends here
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

    /** A poll found nothing. */
    void onEmpty(long nowNs) {
        if (!hasArrivals) {
            emptyNs = nowNs;
        }
    }

    /** A poll found messages. */
    void onArrival(long nowNs) {
        hasArrivals = true;
        lastNs = nowNs;
    }

    boolean hasArrivals() {
        return hasArrivals;
    }

    /** Time of all messages together, in nanoseconds; an upper bound. */
    long elapsedNs() {
        return hasArrivals ? lastNs - emptyNs : 0;
    }
}
