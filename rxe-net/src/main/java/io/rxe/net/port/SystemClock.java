package io.rxe.net.port;

/** The clock of a NIC on a real network: monotonic, in nanoseconds, near zero at the start of the process. */
public final class SystemClock {
    private static final long ORIGIN_NS = System.nanoTime();
    private static final long ORIGIN_EPOCH_NS = System.currentTimeMillis() * 1_000_000;

    private SystemClock() {
    }

    /** The time now. Never goes back, so it can drive an engine. */
    public static long nowNs() {
        return System.nanoTime() - ORIGIN_NS;
    }

    /** The time now in nanoseconds since 1970, for captures: the time of day when the process started plus {@link #nowNs}. */
    public static long epochNs() {
        return ORIGIN_EPOCH_NS + nowNs();
    }
}
