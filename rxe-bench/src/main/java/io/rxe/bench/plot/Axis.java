package io.rxe.bench.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * An axis: what it shows, its range and the places that get a label.
 *
 * @param title what is shown, with its unit.
 * @param isLog whether equal distances are equal ratios.
 * @param low   value at its beginning; above zero when logarithmic.
 * @param high  value at its end; above {@code low}.
 * @param ticks places with a label, ascending.
 * @param label text of a tick.
 */
public record Axis(String title, boolean isLog, double low, double high, List<Double> ticks, DoubleFunction<String> label) {
    private static final int LINEAR_TICKS = 5;

    /** @throws IllegalArgumentException for an empty range, or a logarithmic axis that starts at or below zero. */
    public Axis {
        ticks = List.copyOf(ticks);
        if (!(high > low) || isLog && low <= 0) {
            throw new IllegalArgumentException("axis " + title + " from " + low + " to " + high);
        }
    }

    /** A linear axis from zero to a round number not below {@code largest}. */
    public static Axis fromZero(String title, double largest, DoubleFunction<String> label) {
        double rough = Math.max(largest, 1e-9) / LINEAR_TICKS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double ratio = rough / power;
        double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i == 0 || ticks.get(i - 1) < largest; i++) {
            ticks.add(i * step);
        }
        return new Axis(title, false, 0, ticks.get(ticks.size() - 1), ticks, label);
    }

    /** A logarithmic axis whose ticks are powers of {@code base} around the two values. */
    public static Axis powers(String title, double smallest, double largest, double base, DoubleFunction<String> label) {
        int from = (int) Math.floor(Math.log(smallest) / Math.log(base) + 1e-9);
        int to = Math.max(from + 1, (int) Math.ceil(Math.log(largest) / Math.log(base) - 1e-9));
        List<Double> ticks = new ArrayList<>();
        for (int power = from; power <= to; power++) {
            ticks.add(Math.pow(base, power));
        }
        return new Axis(title, true, ticks.get(0), ticks.get(ticks.size() - 1), ticks, label);
    }

    /** Place of a value between 0, the beginning, and 1, the end; values outside are put on the edge. */
    double place(double value) {
        double bounded = Math.max(low, Math.min(high, value));
        return isLog ? Math.log(bounded / low) / Math.log(high / low) : (bounded - low) / (high - low);
    }
}
