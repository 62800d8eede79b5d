package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A work with all that was measured of it: a row of the table. */
public final class WorkRow {
    private static final String SEPARATOR = ", ";

    private final Work work;
    private final double[] ours;
    private final Map<String, double[]> theirs = new LinkedHashMap<>();

    WorkRow(Work work, Figures figures) {
        this.work = work;
        this.ours = figures.best(List.of(work.ours()), work.isTime());
        work.others().forEach((contender, names) -> theirs.put(contender, figures.best(names, work.isTime())));
    }

    /** One row for each work that was measured, in the order of the works. */
    static List<WorkRow> of(List<Work> works, Figures figures) {
        return works.stream().map(work -> new WorkRow(work, figures)).filter(row -> row.ours().isKnown()).toList();
    }

    /** What is done. */
    public String work() {
        return work.name();
    }

    public String unit() {
        return work.unit();
    }

    /** Whether less is better. */
    public boolean isTime() {
        return work.isTime();
    }

    /** Our figure. */
    public Spread ours() {
        return Spread.of(ours);
    }

    /** A contender's figure; unknown when it has none. */
    public Spread figure(String contender) {
        return Spread.of(theirs.getOrDefault(contender, new double[0]));
    }

    /** Our figure divided by a contender's in the same round; our figure itself for {@link Works#ABSOLUTE}. Unknown without figures. */
    Spread ratio(String against) {
        if (against.equals(Works.ABSOLUTE)) {
            return ours();
        }
        return theirs.containsKey(against) ? Spread.of(Figures.ratios(ours, theirs.get(against))) : Spread.of();
    }

    /** The goals whose figures were measured. */
    private List<Goal> known() {
        return work.goals().stream().filter(goal -> ratio(goal.against()).isKnown()).toList();
    }

    private boolean isMet(Goal goal) {
        double ratio = ratio(goal.against()).median();
        return work.isTime() ? ratio <= goal.bound() : ratio >= goal.bound();
    }

    /** Whether the goal lies within the spread of the ratio, so that noise decides on which side it comes out. */
    private boolean isNoise(Goal goal) {
        return ratio(goal.against()).straddles(goal.bound());
    }

    /** Goals that are missed. */
    public List<Goal> missed() {
        return known().stream().filter(goal -> !isMet(goal)).toList();
    }

    /** The ratios that are goals, with the contender each refers to; empty without any. */
    String goals() {
        List<Goal> goals = known();
        return goals.isEmpty() ? "" : (isTime() ? "<= " : ">= ") + joined(goals);
    }

    /** "met", or the goals that are missed, and which of them are within noise; empty without a goal. */
    String verdict() {
        List<String> parts = new ArrayList<>();
        add(parts, "missed: ", missed().stream().filter(goal -> !isNoise(goal)).toList());
        add(parts, "missed within noise: ", missed().stream().filter(this::isNoise).toList());
        List<Goal> met = known().stream().filter(this::isMet).toList();
        if (parts.isEmpty() && !met.isEmpty()) {
            parts.add("met");
        }
        add(parts, "met within noise: ", met.stream().filter(this::isNoise).toList());
        return String.join("; ", parts);
    }

    private static void add(List<String> parts, String title, List<Goal> goals) {
        if (!goals.isEmpty()) {
            parts.add(title + joined(goals));
        }
    }

    private static String joined(List<Goal> goals) {
        return String.join(SEPARATOR, goals.stream().map(WorkRow::bound).toList());
    }

    private static String bound(Goal goal) {
        return goal.against().equals(Works.ABSOLUTE) ? Spread.format(goal.bound())
            : String.format(Locale.ROOT, "%.2f %s", goal.bound(), goal.against());
    }

    /** For JSON. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("work", work.name());
        fields.put("unit", work.unit());
        fields.put("less_is_better", work.isTime());
        fields.put("rxe", ours().toJson());
        List<Object> others = new ArrayList<>();
        for (String contender : theirs.keySet()) {
            if (figure(contender).isKnown()) {
                Map<String, Object> other = new LinkedHashMap<>();
                other.put("name", contender);
                other.put("figure", figure(contender).toJson());
                other.put("ratio", ratio(contender).toJson());
                others.add(other);
            }
        }
        fields.put("others", others);
        fields.put("goals", known().stream().map(this::toJson).toList());
        return fields;
    }

    private Map<String, Object> toJson(Goal goal) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("against", goal.against());
        fields.put("bound", goal.bound());
        fields.put("met", isMet(goal));
        fields.put("within_noise", isNoise(goal));
        return fields;
    }
}
