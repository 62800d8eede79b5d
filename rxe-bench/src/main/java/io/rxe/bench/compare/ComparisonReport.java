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
 * @param place      where the sockets were.
 * @param rounds     samples of each figure; medians count.
 * @param durationNs time of each measurement.
 * @param figures    all samples.
 * @param missing    contenders that were not installed, and why.
 * @param failures   measurements that failed, and how.
 */
public record ComparisonReport(MachineInfo machine, Place place, int rounds, long durationNs, Figures figures,
                               Map<String, String> missing, Map<String, String> failures) {
    /** Contenders that have a column if they have a figure, in the order of the table. */
    public static final List<String> CONTENDERS = List.of(PeerJobs.RAW_C, OwnJobs.RAW, PeerJobs.AERON, PeerJobs.FABRIC, PeerJobs.UCX,
        PeerJobs.IPERF, PeerJobs.IPERF_UDP);

    /** A row for each work. */
    public List<WorkRow> rows() {
        return WorkRow.of(place.works(), figures);
    }

    /** The rows of {@link Works#headline}. */
    public List<WorkRow> headlineRows() {
        return rows().stream().filter(row -> Works.headline().contains(row.work())).toList();
    }

    /** For people: a row for each work, a column for each contender; without the bounds of the goals, which would make it too wide. */
    public String toText() {
        List<WorkRow> rows = rows();
        ResultTable table = new ResultTable();
        List<Column> columns = columns(rows, false);
        for (Column column : columns) {
            if (column.isNumber()) {
                table.number(column.title());
            } else {
                table.text(column.title());
            }
        }
        rows.forEach(row -> table.row(columns.stream().map(column -> column.cell().of(row)).toArray(String[]::new)));
        return machineLine() + '\n' + table.render() + '\n' + notes("");
    }

    /** The same as a table of Markdown, with the bounds. */
    public String toMarkdown() {
        return machineLine() + '\n' + markdown(rows(), true) + '\n' + notes("\n");
    }

    /** The rows of {@link Works#headline} as a table of Markdown, without the bounds of the goals. */
    public String toHeadlineMarkdown() {
        return markdown(headlineRows(), false);
    }

    private static String markdown(List<WorkRow> rows, boolean hasBounds) {
        StringBuilder text = new StringBuilder();
        List<Column> columns = columns(rows, hasBounds);
        columns.forEach(column -> text.append("| ").append(column.title()).append(' '));
        text.append("|\n");
        columns.forEach(column -> text.append(column.isNumber() ? "|--:" : "|---"));
        text.append("|\n");
        for (WorkRow row : rows) {
            for (Column column : columns) {
                String cell = column.cell().of(row);
                text.append(cell.isEmpty() ? "| " : "| " + cell + ' ');
            }
            text.append("|\n");
        }
        return text.toString();
    }

    /** A column of the table. */
    private record Column(String title, boolean isNumber, Cell cell) {
    }

    /** The text of a row in a column. */
    private interface Cell {
        String of(WorkRow row);
    }

    private static List<Column> columns(List<WorkRow> rows, boolean hasBounds) {
        List<Column> columns = new ArrayList<>(List.of(new Column("work", false, WorkRow::work), new Column("unit", false, WorkRow::unit),
            new Column(OwnJobs.RXE, true, row -> row.ours().toText()),
            new Column(Works.LIMIT, true, row -> row.figure(Works.LIMIT).toText()),
            new Column("rxe / limit", true, row -> row.ratio(Works.LIMIT).toText())));
        for (String contender : CONTENDERS) {
            if (rows.stream().anyMatch(row -> row.figure(contender).isKnown())) {
                columns.add(new Column(contender, true, row -> row.figure(contender).toText()));
            }
        }
        if (hasBounds) {
            columns.add(new Column("goals", false, WorkRow::goals));
        }
        columns.add(new Column(hasBounds ? "result" : "goals", false, WorkRow::verdict));
        return columns;
    }

    private String machineLine() {
        return "machine: " + machine + '\n';
    }

    private String notes(String paragraph) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
            "medians of %d interleaved rounds of %.1f s (smallest..largest); Gbit/s of payload; %s%n", rounds, durationNs / 1e9,
            place.text()));
        text.append(paragraph).append("limit: the better of raw C and raw Java in the same round; within noise: the goal lies between "
            + "the smallest and the largest ratio of the rounds\n");
        missing.forEach((contender, reason) -> text.append(paragraph).append("skipped: " + contender + ", " + reason + '\n'));
        failures.forEach((job, reason) -> text.append(paragraph).append("failed: " + job + ": " + reason + '\n'));
        return text.toString();
    }

    /** For programs: the rows and all samples. */
    public String toJson() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("machine", machine.toJson());
        root.put("place", place.label());
        root.put("rounds", rounds);
        root.put("duration_ns", durationNs);
        root.put("rows", rows().stream().map(WorkRow::toJson).toList());
        root.put("samples", figures.samples());
        root.put("missing", missing);
        root.put("failures", failures);
        return JsonText.of(root);
    }

    /**
     * Reads what {@link #toJson} wrote. The rows are computed anew from the samples.
     *
     * @throws IllegalArgumentException when it is something else.
     */
    public static ComparisonReport ofJson(String text) {
        if (JsonReader.read(text) instanceof Map<?, ?> root && root.get("machine") instanceof Map<?, ?> machine
            && root.get("samples") instanceof Map<?, ?> samples) {
            int rounds = (int) OwnJobs.number(root, "rounds");
            return new ComparisonReport(MachineInfo.ofJson(machine), Place.ofLabel(root.get("place")), rounds,
                (long) OwnJobs.number(root, "duration_ns"), Figures.ofJson(rounds, samples), texts(root.get("missing")),
                texts(root.get("failures")));
        }
        throw new IllegalArgumentException("no result of a comparison: machine or samples are missing");
    }

    private static Map<String, String> texts(Object fields) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (fields instanceof Map<?, ?> map) {
            map.forEach((name, value) -> texts.put(name.toString(), value.toString()));
        }
        return texts;
    }
}
