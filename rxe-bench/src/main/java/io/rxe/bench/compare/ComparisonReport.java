package io.rxe.bench.compare;

import io.rxe.bench.JsonText;
import io.rxe.bench.MachineInfo;
import io.rxe.bench.ResultTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a comparison found.
 *
 * @param machine    where it ran.
 * @param rounds     samples of each figure; medians count.
 * @param durationNs time of each measurement.
 * @param figures    all samples.
 * @param goals      the ratios to tell.
 * @param missing    contenders that were not there, and why.
 * @param failures   measurements that failed, and how.
 */
public record ComparisonReport(MachineInfo machine, int rounds, long durationNs, Figures figures, List<Goal> goals,
                               Map<String, String> missing, Map<String, String> failures) {
    private static final String[] TITLES = {"work", "rxe", "unit", "against", "its figure", "ratio", "goal", ""};

    /** Goals that were missed. */
    public List<Goal> missed() {
        return goals.stream().filter(goal -> Boolean.FALSE.equals(goal.isMet(figures))).toList();
    }

    /** For people. */
    public String toText() {
        ResultTable table = new ResultTable().text(TITLES[0]).number(TITLES[1]).text(TITLES[2]).text(TITLES[3]).number(TITLES[4])
            .number(TITLES[5]).number(TITLES[6]).text(TITLES[7]);
        rows().forEach(table::row);
        return table.render() + '\n' + notes("");
    }

    /** The same as a table of Markdown. */
    public String toMarkdown() {
        StringBuilder text = new StringBuilder("| ").append(String.join(" | ", TITLES))
            .append(" |\n|---|--:|---|---|--:|--:|--:|---|\n");
        for (String[] row : rows()) {
            text.append("| ").append(String.join(" | ", row)).append(" |\n");
        }
        return text.append('\n').append(notes("\n")).toString();
    }

    private List<String[]> rows() {
        List<String[]> rows = new ArrayList<>();
        for (Goal goal : goals) {
            double ours = figures.median(goal.ours());
            double theirs = figures.best(goal.theirs());
            if (Double.isNaN(ours) || !goal.theirs().isEmpty() && Double.isNaN(theirs)) {
                continue;
            }
            Boolean met = goal.isMet(figures);
            rows.add(new String[] {goal.work(), figure(ours), goal.unit(), goal.against(), goal.theirs().isEmpty() ? "" : figure(theirs),
                goal.theirs().isEmpty() ? "" : String.format(Locale.ROOT, "%.2f", goal.ratio(figures)),
                Double.isNaN(goal.bound()) ? "" : (goal.atMost() ? "<= " : ">= ") + bound(goal),
                met == null ? "" : met ? "met" : "missed"});
        }
        return rows;
    }

    private static String bound(Goal goal) {
        return goal.theirs().isEmpty() ? figure(goal.bound()) : String.format(Locale.ROOT, "%.2f", goal.bound());
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : "%.2f", value);
    }

    private String notes(String paragraph) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
            "medians of %d interleaved rounds of %.1f s; Gbit/s of payload; one flow between two sockets on loopback%n", rounds,
            durationNs / 1e9));
        missing.forEach((contender, reason) -> text.append(paragraph).append("skipped: " + contender + ", " + reason + '\n'));
        failures.forEach((job, reason) -> text.append(paragraph).append("failed: " + job + ": " + reason + '\n'));
        return text.append(paragraph).append("machine: ").append(machine).append('\n').toString();
    }

    /** For programs: all samples, and the ratios. */
    public String toJson() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("machine", machine.toJson());
        root.put("rounds", rounds);
        root.put("duration_ns", durationNs);
        root.put("ratios", goals.stream().map(this::toJson).toList());
        root.put("samples", figures.samples());
        root.put("missing", missing);
        root.put("failures", failures);
        return JsonText.of(root);
    }

    private Map<String, Object> toJson(Goal goal) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("work", goal.work());
        fields.put("unit", goal.unit());
        fields.put("against", goal.against());
        fields.put("rxe", figures.median(goal.ours()));
        fields.put("theirs", figures.best(goal.theirs()));
        fields.put("ratio", goal.ratio(figures));
        fields.put("goal", goal.bound());
        fields.put("at_most", goal.atMost());
        fields.put("met", goal.isMet(figures));
        return fields;
    }
}
