package io.rxe.tools.sequence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The legend of a picture: what is in it, and nothing else. */
final class Legend {
    private static final int LINE = 18;
    private static final int AROUND_TEXT = 32;
    private static final double CHARACTER = 6.4;

    private final StringBuilder svg;
    private final int left;
    private final int right;
    private final int digits;

    private enum Shape {
        DOT, LINE, BAND
    }

    /** An entry; the style is also the name by which a page hides what it stands for. */
    private record Key(String style, Shape shape, String text) {
    }

    /** @param svg gets the legend, between two columns. */
    Legend(StringBuilder svg, int left, int right, int digits) {
        this.svg = svg;
        this.left = left;
        this.right = right;
        this.digits = digits;
    }

    /** Draws it from a line on, and returns the first line below it. */
    double draw(List<ConnectionSequence> connections, double top) {
        List<DirectionSequence> directions = connections.stream().flatMap(one -> one.sides().stream())
            .map(ConnectionSequence.Side::direction).toList();
        double x = left;
        double y = top;
        for (Key key : keys(directions)) {
            double width = AROUND_TEXT + CHARACTER * key.text().length();
            if (x + width > right) {
                x = left;
                y += LINE;
            }
            draw(key, x, y);
            x += width;
        }
        return y + LINE + 6;
    }

    private static List<Key> keys(List<DirectionSequence> directions) {
        List<Key> keys = new ArrayList<>();
        // Round trip and what is in flight have plots of their own, with their names.
        Arrays.stream(Kind.values()).filter(kind -> kind != Kind.ROUND_TRIP && kind != Kind.IN_FLIGHT)
            .filter(kind -> directions.stream().anyMatch(one -> one.marks(kind) != null))
            .forEach(kind -> keys.add(new Key(kind.style(), kind.isLine() ? Shape.LINE : Shape.DOT, text(kind.label(), kind.rule()))));
        Arrays.stream(Bands.Why.values()).filter(why -> directions.stream().anyMatch(one -> one.bands().lengthsNs(why).getCount() > 0))
            .forEach(why -> keys.add(new Key("band-" + why.name().toLowerCase(), Shape.BAND, text(why.text(), why.rule()))));
        return keys;
    }

    private static String text(String label, String rule) {
        return rule.isEmpty() ? label : label + " " + rule;
    }

    private void draw(Key key, double x, double y) {
        svg.append("<g class=\"key\" data-kind=\"").append(key.style()).append("\">");
        switch (key.shape()) {
            case DOT -> path("m", key.style(), x + 6, y + 8, "v0");
            case LINE -> path("l", key.style(), x, y + 8, "h13");
            default -> svg.append("<rect class=\"").append(key.style()).append("\" x=\"").append(number(x)).append("\" y=\"")
                .append(number(y + 3)).append("\" width=\"12\" height=\"10\"/>");
        }
        svg.append("<text x=\"").append(number(x + 17)).append("\" y=\"").append(number(y + 12)).append("\">")
            .append(SvgPicture.escape(key.text())).append("</text></g>\n");
    }

    private void path(String shape, String style, double x, double y, String stroke) {
        svg.append("<path class=\"").append(shape).append(' ').append(style).append("\" d=\"M").append(number(x)).append(',')
            .append(number(y)).append(stroke).append("\"/>");
    }

    private String number(double value) {
        return Plot.number(value, digits);
    }
}
