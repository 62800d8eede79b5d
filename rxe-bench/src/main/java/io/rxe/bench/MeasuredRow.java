package io.rxe.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one workload.
 *
 * @param workload   operation and size.
 * @param bandwidth  with many messages in flight.
 * @param roundTrips one message at a time, in nanoseconds.
 */
public record MeasuredRow(Workload workload, BandwidthResult bandwidth, Histogram roundTrips) {
    /** For {@link JsonText}. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("operation", workload.operation().name().toLowerCase(Locale.ROOT));
        fields.put("size_bytes", workload.sizeBytes());
        fields.put("messages", bandwidth.messages());
        fields.put("elapsed_ns", bandwidth.elapsedNs());
        fields.put("gigabits_per_second", bandwidth.gigabitsPerSecond());
        fields.put("messages_per_second", bandwidth.messagesPerSecond());
        Map<String, Object> latency = new LinkedHashMap<>();
        latency.put("samples", roundTrips.getTotalCount());
        latency.put("min", roundTrips.getMinValue());
        for (double percentile : new double[] {50, 90, 99, 99.9, 99.99}) {
            String name = "p" + (percentile == Math.rint(percentile) ? Long.toString((long) percentile) : percentile);
            latency.put(name, roundTrips.getValueAtPercentile(percentile));
        }
        latency.put("max", roundTrips.getMaxValue());
        fields.put("round_trip_ns", latency);
        return fields;
    }
}
