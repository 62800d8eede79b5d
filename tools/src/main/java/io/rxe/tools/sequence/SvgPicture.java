package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowStatistics;
import io.rxe.tools.sequence.MarkSeries.Mark;
import io.rxe.wire.Psn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Draws connections as SVG: for each side that sends requests its sequence numbers over time, its repairs, and below them round trip,
 * rate, packets in flight, and marks.
 */
final class SvgPicture {
    static final int WIDTH = 1000;
    private static final int LEFT = 70;
    private static final int PLOT_WIDTH = WIDTH - LEFT - 16;
    private static final int SEQUENCE_HEIGHT = 250;
    private static final int SMALL_HEIGHT = 46;
    private static final int ROW = 11;
    private static final int LEGEND_TOP = 8;
    private static final int GAP = 12;
    private static final int LINE = 18;
    private static final int MAX_ROWS = 12;
    private static final int TICK_PIXELS = 110;
    private static final double MOST_ABOVE = 1.3;
    private static final double HEADROOM = 1.12;
    private static final List<Kind> SEQUENCE_KINDS = List.of(Kind.values()).subList(0, Kind.REFUSAL.ordinal() + 1);
    private static final List<Kind> RANGE_KINDS = List.of(Kind.values()).subList(0, Kind.ACKED.ordinal() + 1);

    private final StringBuilder svg = new StringBuilder(1 << 16);
    private final int digits;
    private final int marksOfKind;
    private final Pointer pointer;
    private double top;
    private int plots;

    /** Gets what the pointer shows for each mark of a path, in their order. */
    interface Pointer {
        void path(int path, Kind kind, MarkSeries marks);
    }

    /**
     * @param digits      behind the point of coordinates.
     * @param marksOfKind most marks of a kind in one direction.
     * @param pointer     null if nothing is shown.
     */
    SvgPicture(int digits, int marksOfKind, Pointer pointer) {
        this.digits = digits;
        this.marksOfKind = marksOfKind;
        this.pointer = pointer;
    }

    String draw(List<ConnectionSequence> connections, String style) {
        StringBuilder head = new StringBuilder();
        top = new Legend(svg, LEFT, WIDTH, digits).draw(connections, LEGEND_TOP);
        for (int i = 0; i < connections.size(); i++) {
            svg.append("<g class=\"connection\" data-connection=\"").append(i).append("\">\n");
            connections.get(i).sides().forEach(this::side);
            svg.append("</g>\n");
        }
        head.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ").append(WIDTH).append(' ').append((int) top + 4)
            .append("\" role=\"img\" aria-label=\"PSN over time\">\n");
        if (!style.isEmpty()) {
            head.append("<style>\n").append(style).append("</style>\n");
        }
        head.append("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
        return head.append(svg).append("</svg>\n").toString();
    }

    private void side(ConnectionSequence.Side side) {
        DirectionSequence one = side.direction();
        top += LINE;
        text("title", LEFT, top - 4, "requests of " + side.requester() + "  to  " + side.responder());
        Plot plot = sequencePlot(one);
        begin(plot, "xy");
        frame(plot, "PSN", true, one);
        bands(plot, one);
        line(plot, Kind.CREDITED, one);
        line(plot, Kind.ACKED, one);
        for (Kind kind : SEQUENCE_KINDS) {
            marks(plot, kind, one);
        }
        end(plot, "PSN");
        top += SEQUENCE_HEIGHT + GAP;
        repairs(one, plot);
        value(one, plot, Kind.ROUND_TRIP, "round trip");
        rate(one, plot);
        value(one, plot, Kind.IN_FLIGHT, "in flight");
        congestion(one, plot);
        times(plot);
    }

    private Plot sequencePlot(DirectionSequence one) {
        double low = Double.MAX_VALUE;
        double high = -Double.MAX_VALUE;
        for (Kind kind : RANGE_KINDS) {
            MarkSeries marks = one.marks(kind);
            for (Mark mark : marks == null ? List.<Mark>of() : marks.all()) {
                low = Math.min(low, mark.low());
                high = Math.max(high, mark.high());
            }
        }
        MarkSeries credits = one.marks(Kind.CREDITED);
        double reach = high;
        for (Mark credit : credits == null ? List.<Mark>of() : credits.all()) {
            reach = Math.max(reach, credit.high());
        }
        high = Math.min(reach, low + (high - low + 1) * MOST_ABOVE);
        double margin = Math.max(0.5, (high - low) * 0.04);
        long spanNs = one.lastNs() - one.firstNs();
        return new Plot(LEFT, top, PLOT_WIDTH, SEQUENCE_HEIGHT, one.firstNs() - spanNs / 80, one.lastNs() + spanNs / 80, low - margin,
            high + margin);
    }

    private Plot below(Plot plot, double height, double low, double high) {
        return new Plot(LEFT, top, PLOT_WIDTH, height, plot.beginNs, plot.endNs, low, high);
    }

    private void begin(Plot plot, String zoom) {
        String box = " x=\"" + number(plot.left) + "\" y=\"" + number(plot.top) + "\" width=\"" + number(plot.width) + "\" height=\""
            + number(plot.height) + "\"";
        svg.append("<clipPath id=\"c").append(++plots).append("\"><rect").append(box).append("/></clipPath>\n")
            .append("<g class=\"plot\" data-zoom=\"").append(zoom).append('"');
        if (pointer != null) {
            svg.append(" data-time=\"").append(plot.beginNs).append(' ').append(plot.endNs).append('"');
        }
        svg.append("><rect class=\"frame\"").append(box).append("/><g clip-path=\"url(#c").append(plots).append(")\">\n");
    }

    private void end(Plot plot, String name) {
        svg.append("</g>");
        if (plot.height > SMALL_HEIGHT || name.startsWith("repairs")) {
            text("name", LEFT + 5, plot.top + 12, name);
        } else {
            // Between the labels of its values.
            text("value", LEFT - 5, plot.top + plot.height / 2 + 3.5, name);
        }
        svg.append("</g>\n");
    }

    /** The lines of values, with their labels outside of the clipped group. */
    private void frame(Plot plot, String name, boolean isPsn, DirectionSequence one) {
        StringBuilder labels = new StringBuilder();
        svg.append("<path class=\"grid\" d=\"");
        for (double value : isPsn ? plot.psnLines(one.psn(0)) : new double[] {0, plot.high / HEADROOM}) {
            double y = plot.y(value);
            svg.append('M').append(number(plot.left)).append(',').append(number(y)).append('H').append(number(plot.left + plot.width));
            labels.append("<text class=\"value\" x=\"").append(LEFT - 5).append("\" y=\"").append(number(y + 3.5)).append("\">")
                .append(isPsn ? Psn.toString(one.psn((long) value)) : escape(label(value, name))).append("</text>");
        }
        svg.append("\"/>\n</g><g class=\"values\">").append(labels).append("</g>");
        svg.append("<g clip-path=\"url(#c").append(plots).append(")\">\n");
    }

    private static String label(double value, String name) {
        return switch (name) {
            case "round trip" -> FlowStatistics.time((long) value).replaceAll("\\.0+ ", " ");
            case "rate" -> Plot.amount(value, "bit/s");
            default -> Plot.amount(value, "");
        };
    }

    private void bands(Plot plot, DirectionSequence one) {
        for (Bands.Band band : one.bands().all()) {
            double x = plot.x(band.beginNs());
            svg.append("<rect class=\"band band-").append(band.why().name().toLowerCase()).append("\" x=\"")
                .append(number(x)).append("\" y=\"").append(number(plot.top)).append("\" width=\"")
                .append(number(Math.max(0.5, plot.x(band.endNs()) - x))).append("\" height=\"").append(number(plot.height))
                .append("\"/>\n");
        }
    }

    private void marks(Plot plot, Kind kind, DirectionSequence one) {
        marks(plot, kind, one.marks(kind), Mark::low, Mark::high);
    }

    /** Each mark from one value to another; nothing for null. */
    private void marks(Plot plot, Kind kind, MarkSeries marks, ToDoubleFunction<Mark> low, ToDoubleFunction<Mark> high) {
        if (marks == null) {
            return;
        }
        marks.limit(marksOfKind);
        path("m", kind, marks);
        for (Mark mark : marks.all()) {
            svg.append('M').append(number(plot.x(mark.timeNs()))).append(',').append(number(plot.y(low.applyAsDouble(mark)))).append('V')
                .append(number(plot.y(high.applyAsDouble(mark))));
        }
        svg.append("\"/>\n");
    }

    private void path(String shape, Kind kind, MarkSeries marks) {
        svg.append("<path class=\"").append(shape).append(' ').append(kind.style()).append("\" data-kind=\"").append(kind.style())
            .append('"');
        if (pointer != null && !kind.isLine()) {
            plots++;
            svg.append(" data-path=\"").append(plots).append('"');
            pointer.path(plots, kind, marks);
        }
        svg.append(" d=\"");
    }

    /** A line in steps; points that do not change it are left out. */
    private void line(Plot plot, Kind kind, DirectionSequence one) {
        MarkSeries marks = one.marks(kind);
        if (marks == null) {
            return;
        }
        marks.limit(marksOfKind);
        path("l", kind, marks);
        List<Mark> all = marks.all();
        for (int i = 0; i < all.size(); i++) {
            long value = all.get(i).high();
            if (i == 0 || value != all.get(i - 1).high() || i == all.size() - 1) {
                String x = number(plot.x(all.get(i).timeNs()));
                svg.append(i == 0 ? "M" : "L" + x + "," + number(plot.y(all.get(i - 1).high())) + "L").append(x).append(',')
                    .append(number(plot.y(value)));
            }
        }
        svg.append("\"/>\n");
    }

    private void repairs(DirectionSequence one, Plot above) {
        List<Recovery> worst = new ArrayList<>(one.worst(MAX_ROWS));
        if (worst.isEmpty()) {
            return;
        }
        worst.sort(Comparator.comparingLong((Recovery repair) -> repair.originalNs));
        Plot plot = below(above, ROW * worst.size() + 20, 0, 1);
        begin(plot, "x");
        for (int i = 0; i < worst.size(); i++) {
            Recovery repair = worst.get(i);
            double y = plot.top + 23 + ROW * i;
            long endNs = repair.endNs < 0 ? one.lastNs() : repair.endNs;
            boolean isTold = repair.toldNs > repair.originalNs;
            segment("sent", plot, repair.originalNs, isTold ? repair.toldNs : repair.againNs, y);
            if (isTold) {
                segment("told", plot, repair.toldNs, repair.againNs, y);
            }
            segment(repair.endNs < 0 ? "again open" : "again", plot, repair.againNs, endNs, y);
            svg.append("<path class=\"m ").append(Kind.of(repair.cause).style()).append("\" d=\"M").append(number(plot.x(repair.againNs)))
                .append(',').append(number(y)).append('V').append(number(y)).append("\"/>\n");
        }
        end(plot, "repairs: sent until told (grey), until sent again (red), until acknowledged (green); "
            + (one.recoveries().total() > worst.size() ? "the longest of " : "all ") + one.recoveries().total());
        top += plot.height + GAP;
    }

    private void segment(String style, Plot plot, long fromNs, long untilNs, double y) {
        svg.append("<path class=\"repair ").append(style).append("\" d=\"M").append(number(plot.x(fromNs))).append(',').append(number(y))
            .append('L').append(number(plot.x(untilNs))).append(',').append(number(y)).append("\"/>\n");
    }

    private void value(DirectionSequence one, Plot above, Kind kind, String name) {
        MarkSeries marks = one.marks(kind);
        if (marks == null || marks.all().size() < 2) {
            return;
        }
        long most = Math.max(1, marks.all().stream().mapToLong(Mark::high).max().orElse(1));
        Plot plot = below(above, SMALL_HEIGHT, 0, most * HEADROOM);
        begin(plot, "x");
        frame(plot, name, false, one);
        if (kind.isLine()) {
            line(plot, kind, one);
        } else {
            marks(plot, kind, one);
        }
        end(plot, name);
        top += SMALL_HEIGHT + GAP;
    }

    private void rate(DirectionSequence one, Plot above) {
        RateSeries rate = one.rate();
        int columns = rate == null ? 0 : rate.columns();
        if (columns < 2) {
            return;
        }
        int wide = Math.max(1, columns / Math.min(columns, marksOfKind));
        double most = 1;
        double[] values = new double[(columns + wide - 1) / wide];
        for (int i = 0; i < columns; i++) {
            values[i / wide] += rate.rate(i) / wide;
            most = Math.max(most, values[i / wide]);
        }
        Plot plot = below(above, SMALL_HEIGHT, 0, most * HEADROOM);
        begin(plot, "x");
        frame(plot, "rate", false, one);
        svg.append("<path class=\"l rate\" data-kind=\"rate\" d=\"M").append(number(plot.x(rate.timeNs(0)))).append(',')
            .append(number(plot.y(0)));
        for (int i = 0; i < values.length; i++) {
            if (i > 0 && i < values.length - 1 && values[i] == values[i - 1] && values[i] == values[i + 1]) {
                continue;
            }
            svg.append('L').append(number(plot.x(rate.timeNs(i * wide)))).append(',').append(number(plot.y(values[i]))).append('L')
                .append(number(plot.x(rate.timeNs((i + 1) * wide)))).append(',').append(number(plot.y(values[i])));
        }
        svg.append("\"/>\n");
        end(plot, "rate");
        top += SMALL_HEIGHT + GAP;
    }

    private void congestion(DirectionSequence one, Plot above) {
        if (one.marks(Kind.MARKED) == null && one.marks(Kind.NOTIFIED) == null) {
            return;
        }
        Plot plot = below(above, SMALL_HEIGHT - 12, -1, 2);
        begin(plot, "x");
        marks(plot, Kind.MARKED, one.marks(Kind.MARKED), i -> 0.5, i -> 0.5);
        marks(plot, Kind.NOTIFIED, one.marks(Kind.NOTIFIED), i -> -0.5, i -> -0.5);
        end(plot, "CE, CNPs");
        top += plot.height + GAP;
    }

    private void times(Plot plot) {
        double step = Plot.niceStep((double) (plot.endNs - plot.beginNs) * TICK_PIXELS / plot.width);
        svg.append("<g class=\"times\">");
        for (double time = Math.ceil(plot.beginNs / step) * step; time <= plot.endNs; time += step) {
            double x = plot.x((long) time);
            svg.append("<path class=\"tick\" d=\"M").append(number(x)).append(',').append(number(top - GAP)).append("v4\"/>");
            if (time >= 0) {
                text("time", x, top + 5, Plot.time(time, step));
            }
        }
        svg.append("</g>\n");
        top += LINE;
    }

    private void text(String style, double x, double y, String text) {
        svg.append("<text").append(style.isEmpty() ? "" : " class=\"" + style + "\"").append(" x=\"").append(number(x)).append("\" y=\"")
            .append(number(y)).append("\">").append(escape(text)).append("</text>");
    }

    private String number(double value) {
        return Plot.number(value, digits);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
