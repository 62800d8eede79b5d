package io.rxe.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured in each round, by name, and the medians. */
public final class Figures {
    private final Map<String, List<Double>> samples = new LinkedHashMap<>();

    /** Adds the figures of one run. */
    public void add(Map<String, Double> figures) {
        figures.forEach((name, value) -> samples.computeIfAbsent(name, unused -> new ArrayList<>()).add(value));
    }

    /** Median of a figure; NaN when it was never measured. Of an even number of samples the mean of the middle two. */
    public double median(String name) {
        double[] sorted = samples.getOrDefault(name, List.of()).stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The largest of several medians, for a contender that is measured in several ways; NaN when there is none. */
    public double best(List<String> names) {
        double best = Double.NaN;
        for (String name : names) {
            double median = median(name);
            best = Double.isNaN(best) || median > best ? median : best;
        }
        return best;
    }

    /** All samples by name, in the order measured. */
    public Map<String, List<Double>> samples() {
        return samples;
    }
}
