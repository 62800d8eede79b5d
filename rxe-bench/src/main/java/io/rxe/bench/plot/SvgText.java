package io.rxe.bench.plot;

import java.util.Locale;

/**
 * The text of a picture, element by element. Colours come from a style sheet in the picture itself, which follows the reader's choice of
 * light or dark.
 */
final class SvgText {
    private static final String STYLE = """
        <style>
          svg { background: #ffffff; font: 13px system-ui, sans-serif; }
          text { fill: #24292f; }
          .title { font-size: 17px; font-weight: 600; } .panel { font-size: 14px; font-weight: 600; } .small { font-size: 11px; }
          .grid { stroke: #d8dee4; stroke-width: 1; } .frame { stroke: #6e7781; fill: none; }
          .curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .mark { stroke: none; }
          .c0 { --c: #0550ae; } .c1 { --c: #bc4c00; } .c2 { --c: #116329; } .c3 { --c: #8250df; }
          .c4 { --c: #a40e26; } .c5 { --c: #57606a; } .c6 { --c: #7d4e00; } .c7 { --c: #006b75; }
          .curve { stroke: var(--c); } .mark { fill: var(--c); } .bar { fill: #afb8c1; } .own { fill: #0969da; font-weight: 600; }
          @media (prefers-color-scheme: dark) {
            svg { background: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #30363d; } .frame { stroke: #8b949e; }
            .c0 { --c: #79c0ff; } .c1 { --c: #ffa657; } .c2 { --c: #7ee787; } .c3 { --c: #d2a8ff; }
            .c4 { --c: #ff7b72; } .c5 { --c: #b1bac4; } .c6 { --c: #e3b341; } .c7 { --c: #56d4dd; }
            .bar { fill: #484f58; } .own { fill: #58a6ff; }
          }
        </style>
        """;

    private final StringBuilder svg = new StringBuilder();

    SvgText(String title, int width, int height) {
        svg.append(String.format(Locale.ROOT, """
            <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img">
            """, width, height));
        svg.append("<title>").append(escape(title)).append("</title>\n").append(STYLE);
    }

    /** Adds an element as it stands. */
    void element(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    void line(double x1, double y1, double x2, double y2) {
        element("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1, y1, x2, y2);
    }

    /**
     * Adds words.
     *
     * @param style  class of the style sheet, or empty.
     * @param anchor what stands at x: start, middle or end.
     */
    void text(String style, double x, double y, String anchor, String words) {
        element("<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", style.isEmpty() ? "" : " class=\"" + style + '"', x, y,
            anchor, escape(words));
    }

    /** The picture; nothing can be added afterwards. */
    String end() {
        return svg.append("</svg>\n").toString();
    }

    static String escape(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
