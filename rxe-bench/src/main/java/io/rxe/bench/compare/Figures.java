package io.rxe.bench.compare;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured in each round, by name. NaN stands for a round in which the measurement failed. */
public final class Figures {
    /** The digits that JSON keeps: tables made now and tables made from the file are the same. */
    private static final MathContext DIGITS = new MathContext(6);

    private final int rounds;
    private final Map<String, double[]> samples = new LinkedHashMap<>();

    /** @param rounds number of samples of each figure. */
    public Figures(int rounds) {
        this.rounds = rounds;
    }

    /**
     * Adds the figures of one run.
     *
     * @param round from 0.
     */
    public void add(int round, Map<String, Double> figures) {
        figures.forEach((name, value) -> {
            if (Double.isFinite(value)) {
                samples.computeIfAbsent(name, unused -> unknown())[round] = new BigDecimal(value).round(DIGITS).doubleValue();
            }
        });
    }

    private double[] unknown() {
        double[] values = new double[rounds];
        Arrays.fill(values, Double.NaN);
        return values;
    }

    /**
     * The best figure of each round, for a contender that is measured in several ways.
     *
     * @param names  of its figures.
     * @param isTime whether less is better.
     */
    double[] best(List<String> names, boolean isTime) {
        double[] best = unknown();
        for (String name : names) {
            double[] values = samples.getOrDefault(name, unknown());
            for (int round = 0; round < rounds; round++) {
                if (Double.isNaN(best[round]) || (isTime ? values[round] < best[round] : values[round] > best[round])) {
                    best[round] = values[round];
                }
            }
        }
        return best;
    }

    /** The ratio of each round; NaN where one of the figures is missing. */
    static double[] ratios(double[] ours, double[] theirs) {
        double[] ratios = new double[ours.length];
        for (int round = 0; round < ours.length; round++) {
            ratios[round] = ours[round] / theirs[round];
        }
        return ratios;
    }

    /** All samples by name, in the order of the rounds. */
    public Map<String, List<Double>> samples() {
        Map<String, List<Double>> lists = new LinkedHashMap<>();
        samples.forEach((name, values) -> lists.put(name, Arrays.stream(values).boxed().toList()));
        return lists;
    }

    /**
     * The inverse of {@link #samples}, as JSON has it: null for NaN. A figure may have fewer samples than rounds.
     *
     * @throws IllegalArgumentException when it is something else.
     */
    static Figures ofJson(int rounds, Map<?, ?> lists) {
        Figures figures = new Figures(rounds);
        lists.forEach((name, list) -> {
            if (!(list instanceof List<?> values) || values.size() > rounds) {
                throw new IllegalArgumentException("'" + name + "' has no list of at most " + rounds + " samples");
            }
            for (int round = 0; round < values.size(); round++) {
                if (values.get(round) instanceof Double value) {
                    figures.add(round, Map.of(name.toString(), value));
                }
            }
        });
        return figures;
    }
}
