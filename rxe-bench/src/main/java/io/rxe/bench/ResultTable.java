package io.rxe.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text: columns as wide as their widest cell and two spaces apart, the first left-aligned, the others right-aligned. */
final class ResultTable {
    private final List<String[]> rows = new ArrayList<>();

    ResultTable(String... titles) {
        rows.add(titles);
    }

    /** @param cells one for each column. */
    void row(String... cells) {
        rows.add(cells);
    }

    /** The table, each line ended. */
    String render() {
        StringBuilder text = new StringBuilder();
        int[] widths = new int[rows.get(0).length];
        Arrays.setAll(widths, column -> rows.stream().mapToInt(row -> row[column].length()).max().orElseThrow());
        for (String[] row : rows) {
            text.append(row[0]).append(" ".repeat(widths[0] - row[0].length()));
            for (int column = 1; column < widths.length; column++) {
                text.append(" ".repeat(2 + widths[column] - row[column].length())).append(row[column]);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
