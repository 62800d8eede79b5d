package io.rxe.sim;

/** The clock of a simulation, in nanoseconds. It jumps from event to event. */
final class VirtualTime {
    private long nowNs = 1_000_000;

    long nowNs() {
        return nowNs;
    }

    void advanceTo(long ns) {
        if (ns > nowNs) {
            nowNs = ns;
        }
    }
}
