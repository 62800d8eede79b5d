package io.rxe.bench.plot;

import java.util.List;
import java.util.Locale;

/**
 * Draws panels below each other. Colours come from a style sheet in the picture itself, which follows the reader's choice of light or
 * dark; curves differ in colour, marker and dash, so that colour alone never matters.
 */
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
    private static final String STYLE = """
        <style>
          svg { background: #ffffff; font: 13px system-ui, sans-serif; }
          text { fill: #24292f; }
          .title { font-size: 17px; font-weight: 600; } .panel { font-size: 14px; font-weight: 600; } .small { font-size: 11px; }
          .grid { stroke: #d8dee4; stroke-width: 1; } .frame { stroke: #6e7781; fill: none; }
          .curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .mark { stroke: none; }
          .c0 { --c: #0550ae; } .c1 { --c: #bc4c00; } .c2 { --c: #116329; } .c3 { --c: #8250df; }
          .c4 { --c: #a40e26; } .c5 { --c: #57606a; } .c6 { --c: #7d4e00; } .c7 { --c: #006b75; }
          .curve { stroke: var(--c); } .mark { fill: var(--c); }
          @media (prefers-color-scheme: dark) {
            svg { background: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #30363d; } .frame { stroke: #8b949e; }
            .c0 { --c: #79c0ff; } .c1 { --c: #ffa657; } .c2 { --c: #7ee787; } .c3 { --c: #d2a8ff; }
            .c4 { --c: #ff7b72; } .c5 { --c: #b1bac4; } .c6 { --c: #e3b341; } .c7 { --c: #56d4dd; }
          }
        </style>
        """;
    private static final List<String> DASHES = List.of("", "7 3", "2 3", "9 3 2 3");

    private final StringBuilder svg = new StringBuilder();

    private SvgPlot() {
    }

    /**
     * The picture.
     *
     * @param title  above everything.
     * @param foot   below everything: where it was measured.
     * @param panels from top to bottom.
     */
    public static String draw(String title, String foot, List<Panel> panels) {
        SvgPlot plot = new SvgPlot();
        int height = HEAD + panels.size() * PANEL_HEIGHT + FOOT;
        plot.svg.append(String.format(Locale.ROOT, """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
            """, WIDTH, height));
        plot.svg.append("<title>").append(escape(title)).append("</title>\n").append(STYLE);
        plot.text("title", LEFT, 32, "start", title);
        for (int i = 0; i < panels.size(); i++) {
            plot.panel(panels.get(i), HEAD + i * PANEL_HEIGHT);
        }
        plot.text("small", LEFT, height - 12, "start", foot);
        return plot.svg.append("</svg>\n").toString();
    }

    private void panel(Panel panel, int y) {
        int plotWidth = WIDTH - LEFT - RIGHT;
        text("panel", LEFT, y + 24, "start", panel.title());
        for (double tick : panel.x().ticks()) {
            double at = LEFT + panel.x().place(tick) * plotWidth;
            line(at, y + TOP, at, y + TOP + PLOT_HEIGHT);
            text("small", at, y + TOP + PLOT_HEIGHT + 16, "middle", panel.x().label().apply(tick));
        }
        for (double tick : panel.y().ticks()) {
            double at = y + TOP + (1 - panel.y().place(tick)) * PLOT_HEIGHT;
            line(LEFT, at, LEFT + plotWidth, at);
            text("small", LEFT - 8, at + 4, "end", panel.y().label().apply(tick));
        }
        svg.append(String.format(Locale.ROOT, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n", LEFT, y + TOP,
            plotWidth, PLOT_HEIGHT));
        text("", LEFT + plotWidth / 2.0, y + TOP + PLOT_HEIGHT + 36, "middle", panel.x().title());
        svg.append(String.format(Locale.ROOT, "<text text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">%s</text>%n",
            y + TOP + PLOT_HEIGHT / 2, escape(panel.y().title())));
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
        svg.append("<g class=\"c").append(index % STYLES).append("\">\n<polyline class=\"curve\"").append(dashes)
            .append(" points=\"").append(points).append("\"/>\n").append(marks);
        svg.append(String.format(Locale.ROOT, "<line class=\"curve\"%s x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", dashes,
            legendX, legendY, legendX + 26, legendY)).append(mark(index, legendX + 13, legendY)).append("</g>\n");
        text("", legendX + 34, legendY + 4, "start", curve.name());
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

    private void line(double x1, double y1, double x2, double y2) {
        svg.append(String.format(Locale.ROOT, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", x1, y1, x2, y2));
    }

    private void text(String style, double x, double y, String anchor, String words) {
        svg.append(String.format(Locale.ROOT, "<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            style.isEmpty() ? "" : " class=\"" + style + '"', x, y, anchor, escape(words)));
    }

    private static String escape(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
