package io.rxe.bench.compare;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One figure of ours beside one contender's: a {@link Goal} with its medians.
 *
 * @param work    what is done.
 * @param unit    of the figures.
 * @param against whose figure ours is compared with; {@link Goals#ABSOLUTE} for a goal without one.
 * @param ours    our figure; NaN when it was not measured.
 * @param theirs  the contender's figure; NaN when there is none.
 * @param ratio   ours divided by theirs; our figure itself when absolute; NaN when a figure is missing.
 * @param bound   the ratio that is the goal; NaN when there is none.
 * @param atMost  whether the ratio shall be at most the bound, as with times; otherwise at least.
 */
public record Outcome(String work, String unit, String against, double ours, double theirs, double ratio, double bound, boolean atMost) {
    /** The medians with the digits that JSON keeps: tables made now and tables made from the file are the same. */
    private static final MathContext DIGITS = new MathContext(6);

    static Outcome of(Goal goal, Figures figures) {
        double ours = figures.median(goal.ours());
        double theirs = figures.best(goal.theirs());
        return new Outcome(goal.work(), goal.unit(), goal.against(), rounded(ours), rounded(theirs),
            rounded(goal.theirs().isEmpty() ? ours : ours / theirs), goal.bound(), goal.atMost());
    }

    private static double rounded(double value) {
        return Double.isNaN(value) ? value : new BigDecimal(value).round(DIGITS).doubleValue();
    }

    /** What {@link #toJson} wrote. */
    static Outcome ofJson(Map<?, ?> fields) {
        return new Outcome(text(fields, "work"), text(fields, "unit"), text(fields, "against"), number(fields, "rxe"),
            number(fields, "theirs"), number(fields, "ratio"), number(fields, "goal"), Boolean.TRUE.equals(fields.get("at_most")));
    }

    /** Whether the figures it needs were measured. */
    public boolean isKnown() {
        return !Double.isNaN(ratio);
    }

    /** Whether the goal is met; null when there is none or a figure is missing. */
    public Boolean isMet() {
        if (Double.isNaN(bound) || !isKnown()) {
            return null;
        }
        return atMost ? ratio <= bound : ratio >= bound;
    }

    Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("work", work);
        fields.put("unit", unit);
        fields.put("against", against);
        fields.put("rxe", ours);
        fields.put("theirs", theirs);
        fields.put("ratio", ratio);
        fields.put("goal", bound);
        fields.put("at_most", atMost);
        fields.put("met", isMet());
        return fields;
    }

    private static String text(Map<?, ?> fields, String name) {
        if (fields.get(name) instanceof String value) {
            return value;
        }
        throw new IllegalArgumentException("'" + name + "' is not text but " + fields.get(name));
    }

    /** JSON has no NaN: {@link #toJson} wrote null. */
    private static double number(Map<?, ?> fields, String name) {
        return fields.get(name) == null ? Double.NaN : OwnJobs.number(fields, name);
    }
}
