package io.rxe.bench.plot;

import io.rxe.bench.LoopbackReport;
import io.rxe.bench.MeasuredRow;
import io.rxe.bench.OperationNames;
import io.rxe.bench.Workload;
import io.rxe.verbs.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The picture of a loopback run: goodput against message size, latency percentiles, and goodput against loss where that was measured. */
public final class LoopbackPlot {
    private static final double NS_PER_US = 1e3;
    /** Percentiles of the latency curve, by what is left above them: half, a tenth, a hundredth and so on. */
    private static final double[] TAILS = {0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001};
    /** A percentile needs a few samples above it to mean anything. */
    private static final int LEAST_SAMPLES_ABOVE = 5;
    /** Where no loss at all stands on a logarithmic axis. */
    private static final double NO_LOSS_PERCENT = 0.001;

    private LoopbackPlot() {
    }

    /**
     * Draws it.
     *
     * @param report with measurements.
     * @param losses points of the third panel; empty for none.
     */
    public static String draw(LoopbackReport report, List<LossPoint> losses) {
        List<Panel> panels = new ArrayList<>();
        panels.add(goodput(report.rows()));
        panels.add(latency(report.rows()));
        if (!losses.isEmpty()) {
            panels.add(loss(losses));
        }
        String title = String.format(Locale.ROOT, "rxe loopback, RC, MTU %d, %d queue pair%s", report.plan().pathMtu().bytes(),
            report.plan().queuePairs(), report.plan().queuePairs() == 1 ? "" : "s");
        return SvgPlot.draw(title, report.machine().toString(), panels);
    }

    private static Panel goodput(List<MeasuredRow> rows) {
        Map<Operation, List<MeasuredRow>> byOperation = new LinkedHashMap<>();
        for (MeasuredRow row : rows) {
            if (row.workload().sizeBytes() > 0) {
                byOperation.computeIfAbsent(row.workload().operation(), operation -> new ArrayList<>()).add(row);
            }
        }
        List<Curve> curves = new ArrayList<>();
        byOperation.forEach((operation, points) -> {
            points.sort((left, right) -> Integer.compare(left.workload().sizeBytes(), right.workload().sizeBytes()));
            curves.add(new Curve(OperationNames.label(operation),
                points.stream().mapToDouble(point -> point.workload().sizeBytes()).toArray(),
                points.stream().mapToDouble(point -> point.bandwidth().gigabitsPerSecond()).toArray()));
        });
        double smallest = rows.stream().mapToInt(row -> Math.max(1, row.workload().sizeBytes())).min().orElse(1);
        double largest = rows.stream().mapToInt(row -> Math.max(1, row.workload().sizeBytes())).max().orElse(1);
        return new Panel("Goodput against message size",
            Axis.powers("message size, bytes", smallest, largest, 4, LoopbackPlot::size), gigabits(curves), curves);
    }

    private static Panel latency(List<MeasuredRow> rows) {
        // One curve for each operation: its smallest message, where time is not just length.
        Map<Operation, MeasuredRow> smallest = new LinkedHashMap<>();
        for (MeasuredRow row : rows) {
            smallest.merge(row.workload().operation(), row,
                (left, right) -> left.workload().sizeBytes() <= right.workload().sizeBytes() ? left : right);
        }
        List<Curve> curves = new ArrayList<>();
        double low = Double.MAX_VALUE;
        double high = 1;
        for (MeasuredRow row : smallest.values()) {
            Curve curve = percentiles(row.workload(), row.roundTrips());
            for (double value : curve.y()) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
            curves.add(curve);
        }
        Axis tail = new Axis("percentile of the round trips", true, 1, 10_000, List.of(1.0, 2.0, 10.0, 100.0, 1000.0, 10_000.0),
            rest -> rest == 1 ? "0" : decimal(100 - 100 / rest));
        return new Panel("Round-trip latency", tail, Axis.powers("microseconds", Math.min(low, high / 2), high, 2, LoopbackPlot::decimal),
            curves);
    }

    private static Curve percentiles(Workload workload, Histogram trips) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (double rest : TAILS) {
            if (trips.getTotalCount() * rest >= LEAST_SAMPLES_ABOVE) {
                x.add(1 / rest);
                y.add(trips.getValueAtPercentile(100 - 100 * rest) / NS_PER_US);
            }
        }
        return new Curve(OperationNames.label(workload.operation()) + ' ' + size(workload.sizeBytes()), array(x), array(y));
    }

    private static Panel loss(List<LossPoint> points) {
        Map<Workload, List<LossPoint>> byWorkload = new LinkedHashMap<>();
        points.forEach(point -> byWorkload.computeIfAbsent(point.workload(), workload -> new ArrayList<>()).add(point));
        List<Curve> curves = new ArrayList<>();
        byWorkload.forEach((workload, values) -> curves.add(
            new Curve(OperationNames.label(workload.operation()) + ' ' + size(workload.sizeBytes()),
                values.stream().mapToDouble(point -> Math.max(NO_LOSS_PERCENT, point.lossPercent())).toArray(),
                values.stream().mapToDouble(LossPoint::gigabitsPerSecond).toArray())));
        double most = points.stream().mapToDouble(LossPoint::lossPercent).max().orElse(1);
        return new Panel("Goodput against loss",
            Axis.powers("packets lost in each direction, %", NO_LOSS_PERCENT, Math.max(most, 10 * NO_LOSS_PERCENT), 10,
                percent -> percent <= NO_LOSS_PERCENT ? "0" : decimal(percent)), gigabits(curves), curves);
    }

    private static Axis gigabits(List<Curve> curves) {
        double most = 0;
        for (Curve curve : curves) {
            for (double value : curve.y()) {
                most = Math.max(most, value);
            }
        }
        return Axis.fromZero("Gbit/s", most, LoopbackPlot::decimal);
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static String size(double bytes) {
        double kibibyte = 1024;
        if (bytes < kibibyte) {
            return decimal(bytes);
        }
        if (bytes < kibibyte * kibibyte) {
            return decimal(bytes / kibibyte) + "K";
        }
        return bytes < kibibyte * kibibyte * kibibyte ? decimal(bytes / kibibyte / kibibyte) + "M"
            : decimal(bytes / kibibyte / kibibyte / kibibyte) + "G";
    }

    /** Up to four digits, without zeroes that say nothing. */
    private static String decimal(double value) {
        String text = String.format(Locale.ROOT, value >= 100 ? "%.2f" : "%.4f", value);
        return text.replaceFirst("0+$", "").replaceFirst("\\.$", "");
    }
}
