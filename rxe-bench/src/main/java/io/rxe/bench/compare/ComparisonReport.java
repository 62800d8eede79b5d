package io.rxe.bench.compare;

import io.rxe.bench.JsonReader;
import io.rxe.bench.JsonText;
import io.rxe.bench.MachineInfo;
import io.rxe.bench.ResultTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a comparison.
 *
 * @param machine    where it ran.
 * @param rounds     samples of each figure; medians count.
 * @param durationNs time of each measurement.
 * @param outcomes   our figures beside those of the contenders.
 * @param samples    all samples by name of the figure.
 * @param missing    contenders that were not installed, and why.
 * @param failures   measurements that failed, and how.
 */
public record ComparisonReport(MachineInfo machine, int rounds, long durationNs, List<Outcome> outcomes,
                               Map<String, List<Double>> samples, Map<String, String> missing, Map<String, String> failures) {
    /** Contenders that have a column, in the order of the table. */
    public static final List<String> CONTENDERS =
        List.of(PeerJobs.LIMIT, OwnJobs.RAW, PeerJobs.AERON, PeerJobs.FABRIC, PeerJobs.UCX, PeerJobs.IPERF);

    /** Copies the list. */
    public ComparisonReport {
        outcomes = List.copyOf(outcomes);
    }

    /** Goals that were missed. */
    public List<Outcome> missed() {
        return outcomes.stream().filter(outcome -> Boolean.FALSE.equals(outcome.isMet())).toList();
    }

    /** A row for each work. */
    public List<WorkRow> rows() {
        return WorkRow.of(outcomes);
    }

    /** The rows of {@link Goals#headline}. */
    public List<WorkRow> headlineRows() {
        return rows().stream().filter(row -> Goals.headline().contains(row.work())).toList();
    }

    /** For people: a row for each work, a column for each contender; without the bounds of the goals, which would make it too wide. */
    public String toText() {
        ResultTable table = new ResultTable();
        for (Column column : columns(false)) {
            if (column.isNumber()) {
                table.number(column.title());
            } else {
                table.text(column.title());
            }
        }
        rows().forEach(row -> table.row(cells(row, false).toArray(String[]::new)));
        return table.render() + '\n' + notes("");
    }

    /** The same as a table of Markdown, with the bounds. */
    public String toMarkdown() {
        return markdown(rows(), true) + '\n' + notes("\n");
    }

    /** The rows of {@link Goals#headline} as a table of Markdown, without the bounds of the goals. */
    public String toHeadlineMarkdown() {
        return markdown(headlineRows(), false);
    }

    private static String markdown(List<WorkRow> rows, boolean hasBounds) {
        StringBuilder text = new StringBuilder();
        List<Column> columns = columns(hasBounds);
        columns.forEach(column -> text.append("| ").append(column.title()).append(' '));
        text.append("|\n");
        columns.forEach(column -> text.append(column.isNumber() ? "|--:" : "|---"));
        text.append("|\n");
        for (WorkRow row : rows) {
            cells(row, hasBounds).forEach(cell -> text.append(cell.isEmpty() ? "| " : "| " + cell + ' '));
            text.append("|\n");
        }
        return text.toString();
    }

    /** A column of the table. */
    private record Column(String title, boolean isNumber) {
    }

    private static List<Column> columns(boolean hasBounds) {
        List<Column> columns = new ArrayList<>(List.of(new Column("work", false), new Column("unit", false), new Column("rxe", true)));
        CONTENDERS.forEach(contender -> columns.add(new Column(contender, true)));
        columns.add(new Column("rxe / limit", true));
        if (hasBounds) {
            columns.add(new Column("goals", false));
        }
        columns.add(new Column(hasBounds ? "result" : "goals", false));
        return columns;
    }

    private static List<String> cells(WorkRow row, boolean hasBounds) {
        List<String> cells = new ArrayList<>(List.of(row.work(), row.unit(), WorkRow.format(row.ours())));
        CONTENDERS.forEach(contender -> cells.add(WorkRow.format(row.figure(contender))));
        cells.add(row.ratioToLimit());
        if (hasBounds) {
            cells.add(row.goals());
        }
        cells.add(row.verdict());
        return cells;
    }

    private String notes(String paragraph) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
            "medians of %d interleaved rounds of %.1f s; Gbit/s of payload; one flow between two sockets on loopback%n", rounds,
            durationNs / 1e9));
        missing.forEach((contender, reason) -> text.append(paragraph).append("skipped: " + contender + ", " + reason + '\n'));
        failures.forEach((job, reason) -> text.append(paragraph).append("failed: " + job + ": " + reason + '\n'));
        return text.append(paragraph).append("machine: ").append(machine).append('\n').toString();
    }

    /** For programs: the ratios and all samples. */
    public String toJson() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("machine", machine.toJson());
        root.put("rounds", rounds);
        root.put("duration_ns", durationNs);
        root.put("ratios", outcomes.stream().map(Outcome::toJson).toList());
        root.put("samples", samples);
        root.put("missing", missing);
        root.put("failures", failures);
        return JsonText.of(root);
    }

    /**
     * Reads what {@link #toJson} wrote, except for the samples, which only programs need.
     *
     * @throws IllegalArgumentException when it is something else.
     */
    public static ComparisonReport ofJson(String text) {
        if (JsonReader.read(text) instanceof Map<?, ?> root && root.get("machine") instanceof Map<?, ?> machine
            && root.get("ratios") instanceof List<?> ratios) {
            return new ComparisonReport(MachineInfo.ofJson(machine), (int) OwnJobs.number(root, "rounds"),
                (long) OwnJobs.number(root, "duration_ns"), ratios.stream().map(fields -> Outcome.ofJson((Map<?, ?>) fields)).toList(),
                Map.of(), texts(root.get("missing")), texts(root.get("failures")));
        }
        throw new IllegalArgumentException("no result of a comparison: machine or ratios are missing");
    }

    private static Map<String, String> texts(Object fields) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (fields instanceof Map<?, ?> map) {
            map.forEach((name, value) -> texts.put(name.toString(), value.toString()));
        }
        return texts;
    }
}
