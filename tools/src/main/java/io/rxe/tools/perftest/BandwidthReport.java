package io.rxe.tools.perftest;

/**
 * Result of one side of a bandwidth test.
 *
 * @param sizeBytes    size of a message.
 * @param iterations   messages of all queue pairs.
 * @param peak         of the best interval, in the unit of the test; 0, as the original reports with {@code -N}: ours does not measure it.
 * @param average      over the whole test, in MiB/s or Gbit/s.
 * @param megaMessages millions of messages a second.
 */
record BandwidthReport(long sizeBytes, long iterations, double peak, double average, double megaMessages) {
    /** Of a side that only waits. */
    static final BandwidthReport NOTHING = new BandwidthReport(0, 0, 0, 0, 0);

    private static final double NS_PER_SECOND = 1e9;
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIGABIT = 1e9 / Byte.SIZE;
    private static final double MILLION = 1e6;

    /**
     * The report of an interval.
     *
     * @param elapsedNs  time of all messages, in nanoseconds.
     * @param isGigabits whether the unit is Gbit/s instead of MiB/s.
     */
    static BandwidthReport of(long sizeBytes, long iterations, long elapsedNs, boolean isGigabits) {
        double rate = iterations / (Math.max(1, elapsedNs) / NS_PER_SECOND);
        return new BandwidthReport(sizeBytes, iterations, 0, rate * sizeBytes / (isGigabits ? GIGABIT : MEBIBYTE), rate / MILLION);
    }

    /** The sum of both directions. */
    BandwidthReport plus(BandwidthReport other) {
        return new BandwidthReport(sizeBytes, iterations, peak + other.peak, average + other.average, megaMessages + other.megaMessages);
    }
}
