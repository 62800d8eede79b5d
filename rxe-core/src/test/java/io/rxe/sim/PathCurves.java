package io.rxe.sim;

import io.rxe.verbs.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;

/** Draws goodput by loss and by round trip as SVG: ours, two go-back-N ends, a TCP, and what theory allows. All but theory is measured. */
final class PathCurves {
    private static final int WIDTH = 340;
    private static final int HEIGHT = 220;
    private static final int TOP = 74;
    static final String STYLE = """
        <style>
          svg { background: #ffffff; font: 13px system-ui, sans-serif; }
          text { fill: #24292f; } .title { font-size: 17px; font-weight: 600; } .small { font-size: 11px; }
          polyline { fill: none; stroke-width: 2; } .grid { stroke: #d0d7de; }
          .theory { stroke: #6e7781; stroke-dasharray: 5 4; } .rxe { stroke: #0969da; stroke-width: 3; }
          .tcp { stroke: #bc4c00; } .go-back-n { stroke: #1a7f37; }
          @media (prefers-color-scheme: dark) {
            svg { background: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #30363d; }
            .theory { stroke: #8b949e; } .rxe { stroke: #58a6ff; } .tcp { stroke: #f0883e; } .go-back-n { stroke: #3fb950; }
          }
        </style>
        """;

    private record Curve(String style, String name, DoubleUnaryOperator share) {
    }

    private final StringBuilder body = new StringBuilder();

    private PathCurves() {
    }

    static String draw() {
        PathCurves curves = new PathCurves();
        double[] losses = {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1};
        curves.panel(60, "by loss each way, at 10 Gbit/s and 200 us", losses, loss -> String.format(Locale.ROOT, "%.4g %%", 100 * loss)
            .replaceAll("\\.?0+ %", " %"), reached(loss -> PathTable.near().loss(loss), 1000, loss -> 1 - loss));
        double[] roundTripsMs = {0.1, 0.5, 1, 5, 20, 100, 200};
        curves.panel(470, "by round trip, at 1 Gbit/s and 0.1 % loss", roundTripsMs, ms -> String.format(Locale.ROOT, "%.4g ms", ms)
            .replaceAll("\\.?0+ ms", " ms"), reached(ms -> PathTable.path(1e9, (long) (ms * 1e6)).loss(0.001), 60, ms -> 0.999));
        String size = "width=\"840\" height=\"" + (TOP + HEIGHT + 66) + "\" viewBox=\"0 0 840 " + (TOP + HEIGHT + 66) + "\"";
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " role=\"img\">\n<title>Goodput by loss and by round trip</title>\n"
            + STYLE + text("title", 24, 30, "start", "Goodput, as a share of the rate") + curves.body + "</svg>\n";
    }

    private static List<Curve> reached(DoubleFunction<LinkFaults> path, int roundTrips, DoubleUnaryOperator theory) {
        double mtu = 4096;
        double payload = mtu / (mtu + 16 + 66);
        return List.of(
            new Curve("theory", "theory", x -> payload * theory.applyAsDouble(x)),
            new Curve("rxe", "rxe, WRITE", x -> PathTable.run(PathTable.filling(path.apply(x), Operation.RDMA_WRITE, roundTrips))
                .succeeded().shareAfter(20)),
            new Curve("tcp", "TCP CUBIC (model)", x -> PathTable.alone(CubicSender::new, path.apply(x), roundTrips)),
            new Curve("go-back-n", "go-back-N (model)", x -> PathTable.alone(GoBackNSender::new, path.apply(x), roundTrips)));
    }

    private void panel(int left, String title, double[] values, DoubleFunction<String> label, List<Curve> curves) {
        body.append(text("small", left, TOP - 14, "start", title));
        for (int tenth = 0; tenth <= 10; tenth += 2) {
            double y = TOP + HEIGHT * (1 - tenth / 10.0);
            body.append(String.format(Locale.ROOT, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>%n", left, y,
                left + WIDTH, y)).append(text("small", left - 6, y + 4, "end", tenth * 10 + " %"));
        }
        double step = (double) WIDTH / (values.length - 1);
        for (int i = 0; i < values.length; i++) {
            body.append(text("small", left + i * step, TOP + HEIGHT + 16, "middle", label.apply(values[i])));
        }
        int legend = left - 20;
        for (Curve curve : curves) {
            List<String> points = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                double share = Math.max(0, Math.min(1, curve.share().applyAsDouble(values[i])));
                points.add(String.format(Locale.ROOT, "%.1f,%.1f", left + i * step, TOP + HEIGHT * (1 - share)));
            }
            int y = TOP + HEIGHT + 44;
            body.append(line(curve.style(), points))
                .append(line(curve.style(), List.of(legend + "," + (y - 4), legend + 16 + "," + (y - 4))))
                .append(text("small", legend + 20, y, "start", curve.name()));
            legend += 34 + 6 * curve.name().length();
        }
    }

    static String line(String style, List<String> points) {
        return "<polyline class=\"" + style + "\" points=\"" + String.join(" ", points) + "\"/>\n";
    }

    static String text(String style, double x, double y, String anchor, String words) {
        return String.format(Locale.ROOT, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", style, x, y, anchor,
            words);
    }
}
