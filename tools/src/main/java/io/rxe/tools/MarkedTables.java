package io.rxe.tools;

import io.rxe.bench.compare.ComparisonReport;
import io.rxe.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A Markdown file whose tables of a comparison stand between marks: the table of all works, the short one, or both. A table of another
 * kind has a mark of its own.
 */
final class MarkedTables {
    private static final String ALL = "tools/compare --markdown";
    private static final String HEADLINE = ALL + ", short";

    private final Path file;
    private final String text;
    private final String other;

    private MarkedTables(Path file, String text, String other) {
        this.file = file;
        this.text = text;
        this.other = other;
    }

    /**
     * Reads a file.
     *
     * @param words of the mark of a table of another kind, or null for the usual ones.
     * @throws ToolFailure when it cannot be read or has no marks.
     */
    static MarkedTables read(Path file, String words) {
        MarkedTables tables;
        try {
            tables = new MarkedTables(file, Files.readString(file), words == null ? null : ALL + ", " + words);
        } catch (IOException e) {
            throw new ToolFailure("cannot read " + file + ": " + e, e);
        }
        if (words != null && !tables.has(tables.other)) {
            throw new ToolFailure(file + " lacks the lines '" + begin(tables.other) + "' and '" + end(tables.other)
                + "': add them where the table belongs");
        }
        if (words == null && !tables.has(ALL) && !tables.has(HEADLINE)) {
            throw new ToolFailure(file + " lacks the lines '" + begin(ALL) + "' and '" + end(ALL) + "': add them where the table belongs, "
                + "or '" + begin(HEADLINE) + "' and '" + end(HEADLINE) + "' for the short one");
        }
        return tables;
    }

    /** Writes the file with the tables of a report. */
    void replace(ComparisonReport report) {
        write(file, with(report));
    }

    /** The text of the file with the tables of a report. */
    String with(ComparisonReport report) {
        if (other != null) {
            return between(text, other, report.toMarkdown());
        }
        return between(between(text, ALL, report.toMarkdown()), HEADLINE, report.toHeadlineMarkdown());
    }

    /** The text of the file as it was read. */
    String text() {
        return text;
    }

    static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new ToolFailure("cannot write " + file + ": " + e + "; the results above are complete", e);
        }
    }

    private boolean has(String mark) {
        int begin = text.indexOf(begin(mark));
        return begin >= 0 && text.indexOf(end(mark), begin) >= 0;
    }

    private String between(String before, String mark, String table) {
        if (!has(mark)) {
            return before;
        }
        int begin = before.indexOf(begin(mark)) + begin(mark).length();
        return before.substring(0, begin) + '\n' + table + before.substring(before.indexOf(end(mark), begin));
    }

    private static String begin(String mark) {
        return "<!-- " + mark + ": begin -->";
    }

    private static String end(String mark) {
        return "<!-- " + mark + ": end -->";
    }
}
