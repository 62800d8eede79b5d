package io.rxe.bench.plot;

import io.rxe.bench.compare.ComparisonReport;
import io.rxe.bench.compare.OwnJobs;
import io.rxe.bench.compare.WorkRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The picture of a comparison: for each of a few works a panel with a bar for the NIC and one for each contender. */
public final class ComparisonPlot {
    private static final int COLUMNS = 2;
    private static final int PANEL_WIDTH = 430;
    private static final int LEFT = 24;
    private static final int NAMES = 70;
    private static final int BAR_WIDTH = 250;
    private static final int BAR_HEIGHT = 14;
    private static final int LINE = 20;
    private static final int HEAD = 48;
    private static final int PANEL_HEAD = 46;
    private static final int PANEL_GAP = 14;
    private static final int FOOT = 28;
    private static final double MILLION = 1e6;

    private final SvgText svg;

    private ComparisonPlot(SvgText svg) {
        this.svg = svg;
    }

    /** Draws the works of the short table, two panels beside each other. */
    public static String draw(ComparisonReport report) {
        List<WorkRow> rows = report.headlineRows();
        int height = HEAD + FOOT;
        for (int i = 0; i < rows.size(); i += COLUMNS) {
            height += panelHeight(rows, i);
        }
        String title = "rxe and others, one flow over loopback";
        ComparisonPlot plot = new ComparisonPlot(new SvgText(title, COLUMNS * PANEL_WIDTH, height));
        plot.svg.text("title", LEFT, 30, "start", title);
        int y = HEAD;
        for (int i = 0; i < rows.size(); i += COLUMNS) {
            for (int column = 0; column < COLUMNS && i + column < rows.size(); column++) {
                plot.panel(rows.get(i + column), LEFT + column * PANEL_WIDTH, y);
            }
            y += panelHeight(rows, i);
        }
        plot.svg.text("small", LEFT, height - 12, "start", report.machine().toString());
        return plot.svg.end();
    }

    /** Height of the panels from index {@code from} on that stand beside each other. */
    private static int panelHeight(List<WorkRow> rows, int from) {
        int most = 0;
        for (WorkRow row : rows.subList(from, Math.min(rows.size(), from + COLUMNS))) {
            most = Math.max(most, bars(row).size());
        }
        return PANEL_HEAD + most * LINE + PANEL_GAP;
    }

    private record Bar(String name, double value) {
    }

    private static List<Bar> bars(WorkRow row) {
        List<Bar> bars = new ArrayList<>(List.of(new Bar(OwnJobs.RXE, row.ours().median())));
        for (String contender : ComparisonReport.CONTENDERS) {
            double figure = row.figure(contender).median();
            if (!Double.isNaN(figure)) {
                bars.add(new Bar(contender, figure));
            }
        }
        return bars;
    }

    private void panel(WorkRow row, int x, int y) {
        List<Bar> bars = bars(row);
        double most = bars.stream().mapToDouble(Bar::value).max().orElseThrow();
        svg.text("panel", x, y + 14, "start", row.work());
        svg.text("small", x, y + 32, "start", unit(row) + (row.isTime() ? ", less is better" : ", more is better"));
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            int top = y + PANEL_HEAD + i * LINE - 6;
            String style = i == 0 ? "own" : "bar";
            double width = Math.max(1, bar.value() / most * BAR_WIDTH);
            svg.text(i == 0 ? "own" : "", x + NAMES - 8, top + BAR_HEIGHT - 3, "end", bar.name());
            svg.element("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>", style, x + NAMES, top, width,
                BAR_HEIGHT);
            svg.text("small", x + NAMES + width + 6, top + BAR_HEIGHT - 3, "start", figure(row, bar.value()));
        }
    }

    private static String unit(WorkRow row) {
        return row.unit().equals("1/s") ? "millions" : row.unit();
    }

    private static String figure(WorkRow row, double value) {
        return String.format(Locale.ROOT, "%.2f", row.unit().equals("1/s") ? value / MILLION : value);
    }
}
