package io.rxe.tools.sequence;

import io.rxe.tools.flow.Connection;
import io.rxe.tools.flow.ConnectionView;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The picture of PSN over time of a capture: SVG, or HTML that zooms, in one file. One thread. */
public final class TimeSequence {
    /** Connections drawn; the tables have all. */
    public static final int MOST_CONNECTIONS = 12;
    /** Marks kept of one kind in one direction. */
    private static final int MOST_MARKS = 1500;
    /** Marks in a file: two of its megabytes have as many. */
    private static final int MOST_IN_FILE = 30_000;
    private static final int LEAST_OF_KIND = 60;
    private static final int DIGITS = 1;

    private final boolean isHtml;
    private final Predicate<ConnectionView.Ends> wanted;

    /**
     * Creates a picture without connections.
     *
     * @param file   its name, which ends in .svg or .html.
     * @param wanted connections to draw.
     */
    public TimeSequence(String file, Predicate<ConnectionView.Ends> wanted) {
        this.isHtml = isHtml(file);
        this.wanted = wanted;
    }

    /** Whether a file can be made. */
    public static boolean isPossible(String file) {
        return isHtml(file) || file.toLowerCase().endsWith(".svg");
    }

    private static boolean isHtml(String file) {
        String name = file.toLowerCase();
        return name.endsWith(".html") || name.endsWith(".htm");
    }

    public ConnectionView view(ConnectionView.Ends ends) {
        return new ConnectionSequence(ends, ends.large() && wanted.test(ends) ? MOST_MARKS : 0);
    }

    /**
     * Draws the largest connections.
     *
     * @param title       of the page.
     * @param connections with views of this object.
     * @return the text of the file.
     */
    public String draw(String title, List<Connection> connections) {
        List<ConnectionSequence> drawn = views(connections).filter(ConnectionSequence::isDrawn)
            .sorted(Comparator.comparingLong(ConnectionSequence::packets).reversed()).limit(MOST_CONNECTIONS).toList();
        int marks = Math.max(LEAST_OF_KIND, MOST_IN_FILE / Math.max(1, drawn.stream().mapToInt(ConnectionSequence::kinds).sum()));
        if (!isHtml) {
            return new SvgPicture(DIGITS, marks, null).draw(drawn, HtmlPage.resource("picture.css"));
        }
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        connections.stream().limit(MOST_CONNECTIONS).forEach(connection -> connection.view().print(out));
        out.flush();
        return new HtmlPage().draw(title, drawn, marks, text.toString());
    }

    /** One line for all connections. */
    public static String total(List<Connection> connections) {
        long clean = views(connections).filter(ConnectionSequence::isClean).count();
        long drawn = views(connections).filter(ConnectionSequence::isDrawn).count();
        return String.format("connections: %,d, %,d without anomalies; %,d drawn%n", connections.size(), clean,
            Math.min(MOST_CONNECTIONS, drawn)).replace(System.lineSeparator(), "\n");
    }

    private static Stream<ConnectionSequence> views(List<Connection> connections) {
        return connections.stream().map(connection -> (ConnectionSequence) connection.view());
    }
}
