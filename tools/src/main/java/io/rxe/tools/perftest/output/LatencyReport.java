package io.rxe.tools.perftest.output;

import io.rxe.tools.perftest.measure.LatencySamples;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The columns of a latency test, in microseconds. As in the original, the two slowest messages are excluded, except that the faster of
 * them is the maximum; {@link #toMap} covers all messages.
 *
 * @param sizeBytes  size of a message.
 * @param iterations messages each way.
 */
public record LatencyReport(int sizeBytes, int iterations, double leastUs, double mostUs, double typicalUs, double averageUs,
                     double deviationUs, double percentile99Us, double percentile999Us) {
    private static final int TAIL = 2;
    private static final double NS_PER_US = 1e3;

    /** @param samples at least four. */
    public static LatencyReport of(int sizeBytes, int iterations, LatencySamples samples) {
        double[] sorted = samples.sortedUs();
        int kept = sorted.length - TAIL;
        double sum = 0;
        for (int i = 0; i < kept; i++) {
            sum += sorted[i];
        }
        double average = sum / kept;
        double squares = 0;
        for (int i = 0; i < kept; i++) {
            squares += (sorted[i] - average) * (sorted[i] - average);
        }
        double typical = kept % 2 == 0 ? (sorted[kept / 2] + sorted[kept / 2 - 1]) / 2 : sorted[kept / 2];
        return new LatencyReport(sizeBytes, iterations, sorted[0], sorted[kept], typical, average, Math.sqrt(squares / kept),
            sorted[(int) Math.ceil(kept * 0.99)], sorted[(int) Math.ceil(kept * 0.999)]);
    }

    /** The histogram of all messages, for JSON. */
    public static Map<String, Object> toMap(int sizeBytes, Histogram histogram) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("size_bytes", sizeBytes);
        map.put("samples", histogram.getTotalCount());
        map.put("min_us", histogram.getMinValue() / NS_PER_US);
        map.put("mean_us", histogram.getMean() / NS_PER_US);
        map.put("deviation_us", histogram.getStdDeviation() / NS_PER_US);
        for (double percentile : new double[] {50, 90, 99, 99.9, 99.99}) {
            map.put("p" + (percentile == Math.rint(percentile) ? Integer.toString((int) percentile) : Double.toString(percentile)) + "_us",
                histogram.getValueAtPercentile(percentile) / NS_PER_US);
        }
        map.put("max_us", histogram.getMaxValue() / NS_PER_US);
        return map;
    }

    /** The columns by their names, for JSON. */
    public Map<String, Object> columns() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("iterations", iterations);
        map.put("t_min_us", leastUs);
        map.put("t_max_us", mostUs);
        map.put("t_typical_us", typicalUs);
        map.put("t_avg_us", averageUs);
        map.put("t_stdev_us", deviationUs);
        map.put("percentile_99_us", percentile99Us);
        map.put("percentile_99.9_us", percentile999Us);
        return map;
    }
}
