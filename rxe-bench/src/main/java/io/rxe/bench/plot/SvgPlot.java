package io.rxe.bench.plot;

import java.util.List;
import java.util.Locale;

/** Draws panels of curves below each other. Curves differ in colour, marker and dash, so that colour alone never matters. */
public final class SvgPlot {
    /** Curves that look different. */
    public static final int STYLES = 8;

    private static final int WIDTH = 860;
    private static final int LEFT = 72;
    private static final int RIGHT = 170;
    private static final int TOP = 44;
    private static final int PLOT_HEIGHT = 300;
    private static final int PANEL_HEIGHT = 404;
    private static final int HEAD = 56;
    private static final int FOOT = 28;
    private static final int LEGEND_LINE = 20;
    private static final List<String> DASHES = List.of("", "7 3", "2 3", "9 3 2 3");

    private final SvgText svg;

    private SvgPlot(SvgText svg) {
        this.svg = svg;
    }

    /**
     * The picture.
     *
     * @param title  above everything.
     * @param foot   below everything: where it was measured.
     * @param panels from top to bottom.
     */
    public static String draw(String title, String foot, List<Panel> panels) {
        int height = HEAD + panels.size() * PANEL_HEIGHT + FOOT;
        SvgPlot plot = new SvgPlot(new SvgText(title, WIDTH, height));
        plot.svg.text("title", LEFT, 32, "start", title);
        for (int i = 0; i < panels.size(); i++) {
            plot.panel(panels.get(i), HEAD + i * PANEL_HEIGHT);
        }
        plot.svg.text("small", LEFT, height - 12, "start", foot);
        return plot.svg.end();
    }

    private void panel(Panel panel, int y) {
        int plotWidth = WIDTH - LEFT - RIGHT;
        svg.text("panel", LEFT, y + 24, "start", panel.title());
        for (double tick : panel.x().ticks()) {
            double at = LEFT + panel.x().place(tick) * plotWidth;
            svg.line(at, y + TOP, at, y + TOP + PLOT_HEIGHT);
            svg.text("small", at, y + TOP + PLOT_HEIGHT + 16, "middle", panel.x().label().apply(tick));
        }
        for (double tick : panel.y().ticks()) {
            double at = y + TOP + (1 - panel.y().place(tick)) * PLOT_HEIGHT;
            svg.line(LEFT, at, LEFT + plotWidth, at);
            svg.text("small", LEFT - 8, at + 4, "end", panel.y().label().apply(tick));
        }
        svg.element("<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", LEFT, y + TOP, plotWidth, PLOT_HEIGHT);
        svg.text("", LEFT + plotWidth / 2.0, y + TOP + PLOT_HEIGHT + 36, "middle", panel.x().title());
        svg.element("<text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">%s</text>", y + TOP + PLOT_HEIGHT / 2,
            SvgText.escape(panel.y().title()));
        for (int i = 0; i < panel.curves().size(); i++) {
            curve(panel, panel.curves().get(i), i, y);
        }
    }

    private void curve(Panel panel, Curve curve, int index, int y) {
        int plotWidth = WIDTH - LEFT - RIGHT;
        StringBuilder points = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        for (int i = 0; i < curve.x().length; i++) {
            double atX = LEFT + panel.x().place(curve.x()[i]) * plotWidth;
            double atY = y + TOP + (1 - panel.y().place(curve.y()[i])) * PLOT_HEIGHT;
            points.append(String.format(Locale.ROOT, "%s%.1f,%.1f", i == 0 ? "" : " ", atX, atY));
            marks.append(mark(index, atX, atY));
        }
        String dash = DASHES.get(index / 2 % DASHES.size());
        String dashes = dash.isEmpty() ? "" : " stroke-dasharray=\"" + dash + '"';
        double legendY = y + TOP + 12 + (double) index * LEGEND_LINE;
        double legendX = WIDTH - RIGHT + 14;
        svg.element("<g class=\"c%d\">\n<polyline class=\"curve\"%s points=\"%s\"/>\n%s", index % STYLES, dashes, points, marks);
        svg.element("<line class=\"curve\"%s x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n%s</g>", dashes, legendX, legendY,
            legendX + 26, legendY, mark(index, legendX + 13, legendY));
        svg.text("", legendX + 34, legendY + 4, "start", curve.name());
    }

    private static String mark(int index, double x, double y) {
        return switch (index % 4) {
            case 0 -> String.format(Locale.ROOT, "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>%n", x, y);
            case 1 -> String.format(Locale.ROOT, "<rect class=\"mark\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>%n", x - 3.5,
                y - 3.5);
            case 2 -> String.format(Locale.ROOT, "<path class=\"mark\" d=\"M%.1f %.1fl4.5 8h-9z\"/>%n", x, y - 4.5);
            default -> String.format(Locale.ROOT, "<path class=\"mark\" d=\"M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5 -4.5z\"/>%n", x, y - 4.5);
        };
    }
}
