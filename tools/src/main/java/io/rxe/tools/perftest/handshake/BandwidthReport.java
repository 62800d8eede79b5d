package io.rxe.tools.perftest.handshake;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Result of one side of a bandwidth test.
 *
 * @param sizeBytes    size of a message.
 * @param iterations   messages of all queue pairs.
 * @param peak         of the best interval, in the unit of the test: MiB/s or Gbit/s; 0 if not measured.
 * @param average      over the whole test, in the same unit.
 * @param megaMessages millions of messages a second.
 */
public record BandwidthReport(long sizeBytes, long iterations, double peak, double average, double megaMessages) {
    private static final double NS_PER_SECOND = 1e9;
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIGABIT = 1e9 / Byte.SIZE;
    private static final double MILLION = 1e6;

    /**
     * The report of an interval.
     *
     * @param elapsedNs   time of all messages, in nanoseconds.
     * @param leastNs     time of a message in the best interval, or 0 if not measured.
     * @param isGigabits  whether the unit is Gbit/s instead of MiB/s.
     */
    public static BandwidthReport of(long sizeBytes, long iterations, long elapsedNs, double leastNs, boolean isGigabits) {
        double unit = isGigabits ? GIGABIT : MEBIBYTE;
        double seconds = Math.max(1, elapsedNs) / NS_PER_SECOND;
        double rate = iterations / seconds;
        double peak = leastNs == 0 ? 0 : sizeBytes * NS_PER_SECOND / leastNs / unit;
        return new BandwidthReport(sizeBytes, iterations, peak, rate * sizeBytes / unit, rate / MILLION);
    }

    /** The sum of both directions. */
    public BandwidthReport plus(BandwidthReport other) {
        return new BandwidthReport(sizeBytes, iterations, peak + other.peak, average + other.average, megaMessages + other.megaMessages);
    }

    /** For JSON. */
    public Map<String, Object> toMap(boolean isGigabits) {
        String unit = isGigabits ? "gbit_per_s" : "mib_per_s";
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("size_bytes", sizeBytes);
        map.put("iterations", iterations);
        map.put("peak_" + unit, peak);
        map.put("average_" + unit, average);
        map.put("mega_messages_per_s", megaMessages);
        return map;
    }
}
