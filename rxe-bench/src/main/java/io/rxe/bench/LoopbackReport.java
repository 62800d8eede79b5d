package io.rxe.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Result of a loopback run. It exists only if every byte was right.
 *
 * @param plan     parameters of the run.
 * @param machine  where it ran.
 * @param verified the verify pass.
 * @param rows     the measurements; empty if the run only verified.
 * @param counters what the NICs counted during the run, by name.
 */
public record LoopbackReport(LoopbackPlan plan, MachineInfo machine, VerifyReport verified, List<MeasuredRow> rows,
                             Map<String, Long> counters) {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final int LINE_COLUMNS = 100;

    /** For people, at most a hundred columns wide. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT,
            "verified: %d operations, %d messages, %.1f MiB sent, %.1f MiB compared, all right (%.2f s)\n",
            verified.operations(), verified.transfers(), verified.bytesMoved() / BYTES_PER_MIB,
            verified.bytesCompared() / BYTES_PER_MIB, verified.elapsedNs() / NS_PER_SECOND));
        if (!rows.isEmpty()) {
            text.append('\n').append(table().render());
            text.append(String.format(Locale.ROOT,
                "\nMTU %d, %d queue pair%s, depth %d, %.2f s each; round trips in us; posted and polled by %s\n",
                plan.pathMtu().bytes(), plan.queuePairs(), plan.queuePairs() == 1 ? "" : "s", plan.depth(),
                plan.durationNs() / NS_PER_SECOND, plan.application()
                    + (plan.application() == plan.tripsApplication() ? "" : ", round trips by " + plan.tripsApplication())));
        }
        if (!counters.isEmpty()) {
            text.append(wrapped("counters: ", counters));
        }
        return text.append("machine: ").append(machine).append('\n').toString();
    }

    private ResultTable table() {
        ResultTable table = new ResultTable("operation", "bytes", "MB/s", "Gbit/s", "msg/s", "rtt p50", "p90", "p99", "p99.9", "max");
        for (MeasuredRow row : rows) {
            BandwidthResult bandwidth = row.bandwidth();
            Histogram trips = row.roundTrips();
            table.row(OperationNames.label(row.workload().operation()), Integer.toString(row.workload().sizeBytes()),
                String.format(Locale.ROOT, "%.1f", bandwidth.megabytesPerSecond()),
                String.format(Locale.ROOT, "%.2f", bandwidth.gigabitsPerSecond()),
                String.format(Locale.ROOT, "%.0f", bandwidth.messagesPerSecond()),
                microseconds(trips.getValueAtPercentile(50)), microseconds(trips.getValueAtPercentile(90)),
                microseconds(trips.getValueAtPercentile(99)), microseconds(trips.getValueAtPercentile(99.9)),
                microseconds(trips.getMaxValue()));
        }
        return table;
    }

    private static String microseconds(long ns) {
        return String.format(Locale.ROOT, "%.1f", ns / NS_PER_US);
    }

    /** Names and counts, broken into lines of at most {@value #LINE_COLUMNS} columns, with the comma at the end of a line. */
    static String wrapped(String title, Map<String, Long> counts) {
        String items = counts.entrySet().stream().map(entry -> entry.getKey() + " " + entry.getValue()).collect(Collectors.joining(", "));
        String end = ",\n" + " ".repeat(title.length());
        String lines = items.replaceAll("(.{1," + (LINE_COLUMNS - title.length() - 1) + "})(?:, |$)", "$1" + end);
        return title + lines.substring(0, lines.length() - end.length()) + '\n';
    }

    /** For programs. Units are in the names. */
    public String toJson() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("machine", machine.toJson());
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("path_mtu_bytes", plan.pathMtu().bytes());
        settings.put("queue_pairs", plan.queuePairs());
        settings.put("depth", plan.depth());
        settings.put("duration_ns", plan.durationNs());
        settings.put("application", plan.application().toString());
        settings.put("round_trips_application", plan.tripsApplication().toString());
        settings.put("seed", plan.seed());
        root.put("settings", settings);
        Map<String, Object> verify = new LinkedHashMap<>();
        verify.put("operations", verified.operations());
        verify.put("messages", verified.transfers());
        verify.put("sent_bytes", verified.bytesMoved());
        verify.put("compared_bytes", verified.bytesCompared());
        verify.put("elapsed_ns", verified.elapsedNs());
        root.put("verify", verify);
        root.put("measurements", rows.stream().map(MeasuredRow::toJson).toList());
        root.put("counters", new LinkedHashMap<>(counters));
        return JsonText.of(root);
    }
}
