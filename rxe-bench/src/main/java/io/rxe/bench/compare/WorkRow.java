package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All that was measured of one work: a row of the table.
 *
 * @param work     what is done.
 * @param outcomes our figure beside each contender's, at least one; the work and its unit are the same in all.
 */
public record WorkRow(String work, List<Outcome> outcomes) {
    /** Copies the list. */
    public WorkRow {
        outcomes = List.copyOf(outcomes);
    }

    /** One row for each work, in the order of the works; those that were not measured are left out. */
    static List<WorkRow> of(List<Outcome> outcomes) {
        Map<String, List<Outcome>> works = new LinkedHashMap<>();
        outcomes.stream().filter(Outcome::isKnown).forEach(
            outcome -> works.computeIfAbsent(outcome.work(), work -> new ArrayList<>()).add(outcome));
        return works.entrySet().stream().map(entry -> new WorkRow(entry.getKey(), entry.getValue())).toList();
    }

    /** Our figure. */
    public double ours() {
        return outcomes.get(0).ours();
    }

    public String unit() {
        return outcomes.get(0).unit();
    }

    /** Whether less is better. */
    public boolean isTime() {
        return outcomes.get(0).atMost();
    }

    /** A contender's figure; NaN when it has none. */
    public double figure(String contender) {
        return outcomes.stream().filter(outcome -> outcome.against().equals(contender)).mapToDouble(Outcome::theirs).findFirst()
            .orElse(Double.NaN);
    }

    /** Our figure divided by the limit's; empty without one. */
    String ratioToLimit() {
        return outcomes.stream().filter(outcome -> outcome.against().equals(PeerJobs.LIMIT))
            .map(outcome -> String.format(Locale.ROOT, "%.2f", outcome.ratio())).findFirst().orElse("");
    }

    /** The ratios that are goals, with the contender each refers to; empty without any. */
    String goals() {
        List<String> bounds = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome.isMet() != null) {
                bounds.add(bound(outcome));
            }
        }
        return bounds.isEmpty() ? "" : (isTime() ? "<= " : ">= ") + String.join(", ", bounds);
    }

    /** "met", or the goals that are missed; empty without a goal. */
    String verdict() {
        List<String> missed = outcomes.stream().filter(outcome -> Boolean.FALSE.equals(outcome.isMet())).map(WorkRow::bound).toList();
        if (!missed.isEmpty()) {
            return "missed: " + String.join(", ", missed);
        }
        return outcomes.stream().allMatch(outcome -> outcome.isMet() == null) ? "" : "met";
    }

    private static String bound(Outcome outcome) {
        return outcome.against().equals(Goals.ABSOLUTE) ? format(outcome.bound())
            : String.format(Locale.ROOT, "%.2f %s", outcome.bound(), outcome.against());
    }

    /** A figure with as many digits as mean something; empty for NaN. */
    public static String format(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : "%.2f", value);
    }
}
