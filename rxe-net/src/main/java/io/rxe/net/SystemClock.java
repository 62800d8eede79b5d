package io.rxe.net;

/** The clock of a NIC on a real network: monotonic, in nanoseconds, begins near zero when the process does. */
public final class SystemClock {
    private static final long ORIGIN_NS = System.nanoTime();
    private static final long ORIGIN_EPOCH_NS = System.currentTimeMillis() * 1_000_000;

    private SystemClock() {
    }

    /** Now. Never goes backwards, so it can drive an engine. */
    public static long nowNs() {
        return System.nanoTime() - ORIGIN_NS;
    }

    /** Now as nanoseconds since 1970, for captures: counts on from the time of day the process began at. */
    public static long epochNs() {
        return ORIGIN_EPOCH_NS + nowNs();
    }
}
