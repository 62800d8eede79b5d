package io.rxe.bench.raw;

import io.rxe.bench.JsonText;
import io.rxe.bench.MachineInfo;
import io.rxe.bench.ResultTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Result of a raw UDP run.
 *
 * @param run     parameters of the run.
 * @param machine where it ran.
 * @param rows    one for each payload size.
 */
public record RawReport(RawRun run, MachineInfo machine, List<Row> rows) {
    private static final double NS_PER_US = 1e3;

    /**
     * Figures of one payload size.
     *
     * @param goodput  with many frames in flight.
     * @param spinning round trips of threads that never sleep, in nanoseconds.
     * @param blocking round trips of threads that sleep in epoll, in nanoseconds.
     */
    public record Row(RawGoodput goodput, Histogram spinning, Histogram blocking) {
    }

    /** Whether every frame arrived as it was sent. */
    public boolean isClean() {
        return rows.stream().allMatch(row -> row.goodput().lost() == 0 && row.goodput().spoiled() == 0);
    }

    /** For people. */
    public String toText() {
        ResultTable table = new ResultTable().number("payload").number("Gbit/s").number("frames/s").number("lost")
            .number("spoiled").number("spin p50").number("p99").number("block p50").number("p99");
        for (Row row : rows) {
            RawGoodput goodput = row.goodput();
            table.row(Integer.toString(goodput.payloadBytes()), String.format(Locale.ROOT, "%.2f", goodput.gigabitsPerSecond()),
                String.format(Locale.ROOT, "%.0f", goodput.framesPerSecond()), Long.toString(goodput.lost()),
                Long.toString(goodput.spoiled()), microseconds(row.spinning(), 50), microseconds(row.spinning(), 99),
                microseconds(row.blocking(), 50), microseconds(row.blocking(), 99));
        }
        return "raw UDP, GSO send, " + (run.coalescing() ? "GRO receive" : "plain receive")
            + ", copy and CRC on both sides; round trips in us\n\n" + table.render() + "\nmachine: " + machine + '\n';
    }

    private static String microseconds(Histogram trips, double percentile) {
        return String.format(Locale.ROOT, "%.1f", trips.getValueAtPercentile(percentile) / NS_PER_US);
    }

    /** For programs. */
    public String toJson() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("machine", machine.toJson());
        root.put("coalescing", run.coalescing());
        root.put("raw", rows.stream().map(RawReport::rowToJson).toList());
        return JsonText.of(root);
    }

    private static Map<String, Object> rowToJson(Row row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("payload_bytes", row.goodput().payloadBytes());
        fields.put("gigabits_per_second", row.goodput().gigabitsPerSecond());
        fields.put("frames_per_second", row.goodput().framesPerSecond());
        fields.put("lost", row.goodput().lost());
        fields.put("spoiled", row.goodput().spoiled());
        fields.put("spin_p50_ns", row.spinning().getValueAtPercentile(50));
        fields.put("spin_p99_ns", row.spinning().getValueAtPercentile(99));
        fields.put("block_p50_ns", row.blocking().getValueAtPercentile(50));
        fields.put("block_p99_ns", row.blocking().getValueAtPercentile(99));
        return fields;
    }
}
