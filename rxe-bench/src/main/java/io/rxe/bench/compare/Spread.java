package io.rxe.bench.compare;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Samples of one figure in short. All are NaN when there was no sample.
 *
 * @param median of an even number of samples the mean of the middle two.
 * @param least  smallest sample.
 * @param most   largest sample.
 */
public record Spread(double median, double least, double most) {
    private static final double FOUR_DIGITS = 1000;
    private static final double THREE_DIGITS = 100;

    /** Of samples in any order; NaN stands for a round without one. */
    static Spread of(double... samples) {
        double[] sorted = Arrays.stream(samples).filter(sample -> !Double.isNaN(sample)).sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** Whether there was a sample. */
    public boolean isKnown() {
        return !Double.isNaN(median);
    }

    /** Whether a bound lies between samples, so that another run may be on its other side. */
    boolean straddles(double bound) {
        return least < most && least <= bound && bound <= most;
    }

    /** The median with as many digits as mean something, and the smallest and largest sample if they differ; empty when unknown. */
    public String toText() {
        String middle = format(median);
        String low = format(least);
        String high = format(most);
        return low.equals(high) ? middle : middle + " (" + low + ".." + high + ')';
    }

    /** For JSON. */
    Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("median", median);
        fields.put("least", least);
        fields.put("most", most);
        return fields;
    }

    /** A figure with as many digits as mean something; empty for NaN. */
    static String format(double value) {
        return Double.isNaN(value) ? ""
            : String.format(Locale.ROOT, value >= FOUR_DIGITS ? "%.0f" : value >= THREE_DIGITS ? "%.1f" : "%.2f", value);
    }
}
