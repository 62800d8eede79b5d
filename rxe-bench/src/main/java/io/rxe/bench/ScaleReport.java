package io.rxe.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Result of a scale test.
 *
 * @param plan     parameters of the test.
 * @param machine  where it ran.
 * @param rows     one for each number of queue pairs.
 * @param counters what the NICs counted during the test, by name.
 */
public record ScaleReport(ScalePlan plan, MachineInfo machine, List<ScaleRow> rows, Map<String, Long> counters) {
    /** For people. */
    public String toText() {
        ResultTable table = new ResultTable().number("QPs").number("set-up ms").number("us each").number("bytes each")
            .number("Gbit/s").number("Jain").number("msg/s").number("Jain").number("msg/s alone");
        for (ScaleRow row : rows) {
            table.row(Integer.toString(row.queuePairs()), decimal("%.1f", row.setUpNs() / 1e6),
                decimal("%.1f", row.setUpMicrosecondsEach()), Long.toString(row.bytesEach()),
                decimal("%.2f", row.large().gigabitsPerSecond()), decimal("%.4f", row.large().fairness()),
                decimal("%.0f", row.small().messagesPerSecond()), decimal("%.4f", row.small().fairness()),
                decimal("%.0f", row.alone().messagesPerSecond()));
        }
        return String.format(Locale.ROOT, """
            RC queue pairs between two NICs; SEND of %d bytes (Gbit/s) and of %d bytes (msg/s), over all and over one of them alone

            """, plan.largeBytes(), plan.smallBytes()) + table.render() + "\nMTU " + plan.pathMtu().bytes() + ", depth "
            + plan.depth() + ", " + decimal("%.2f", plan.durationNs() / 1e9) + " s each; Jain's index is 1 when all did the same\n"
            + LoopbackReport.wrapped("counters: ", counters) + "machine: " + machine + '\n';
    }

    private static String decimal(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** For programs. */
    public String toJson() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("machine", machine.toJson());
        root.put("large_bytes", plan.largeBytes());
        root.put("small_bytes", plan.smallBytes());
        root.put("path_mtu_bytes", plan.pathMtu().bytes());
        root.put("depth", plan.depth());
        root.put("scale", rows.stream().map(ScaleRow::toJson).toList());
        root.put("counters", new LinkedHashMap<>(counters));
        return JsonText.of(root);
    }
}
