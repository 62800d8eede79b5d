package io.rxe.bench;

import java.util.ArrayList;
import java.util.List;

/** A table of text: columns as wide as their widest cell, text left-aligned, numbers right-aligned, two spaces between. */
public final class ResultTable {
    private static final String GAP = "  ";

    private final List<String> titles = new ArrayList<>();
    private final List<Boolean> isNumber = new ArrayList<>();
    private final List<String[]> rows = new ArrayList<>();

    /** Adds a column of text. */
    public ResultTable text(String title) {
        titles.add(title);
        isNumber.add(false);
        return this;
    }

    /** Adds a column of numbers. */
    public ResultTable number(String title) {
        titles.add(title);
        isNumber.add(true);
        return this;
    }

    /**
     * Adds a row.
     *
     * @param cells one for each column.
     * @throws IllegalArgumentException if there are more or fewer.
     */
    public ResultTable row(String... cells) {
        if (cells.length != titles.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + titles.size() + " columns");
        }
        rows.add(cells.clone());
        return this;
    }

    /** The table, each line ended; no line ends with a space. */
    public String render() {
        int[] widths = new int[titles.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = titles.get(column).length();
            for (String[] row : rows) {
                widths[column] = Math.max(widths[column], row[column].length());
            }
        }
        StringBuilder text = new StringBuilder();
        append(text, titles.toArray(String[]::new), widths);
        for (String[] row : rows) {
            append(text, row, widths);
        }
        return text.toString();
    }

    private void append(StringBuilder text, String[] cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.length; column++) {
            String pad = " ".repeat(widths[column] - cells[column].length());
            line.append(column == 0 ? "" : GAP);
            if (isNumber.get(column)) {
                line.append(pad).append(cells[column]);
            } else {
                line.append(cells[column]).append(pad);
            }
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
