package io.rxe.tools.stat;

import io.rxe.counters.QueuePairCell;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Numbers with units, at most seven characters wide. */
final class StatUnits {
    private static final int STEP = 1000;
    private static final String[] COUNTS = {"", "k", "M", "G", "T", "P", "E"};
    private static final String[] BYTES = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    private static final String[] TIMES = {"ns", "us", "ms", "s"};
    private static final Set<String> STATE_CELLS = Arrays.stream(QueuePairCell.values()).map(QueuePairCell::label)
        .collect(Collectors.toUnmodifiableSet());

    private StatUnits() {
    }

    /** Whether a cell describes the state of a queue pair, not a count. */
    static boolean isState(String cell) {
        return STATE_CELLS.contains(cell);
    }

    static String bytes(double bytes) {
        return scaled(bytes, BYTES, " ");
    }

    static String rate(double perSecond) {
        return scaled(perSecond, COUNTS, "");
    }

    static String time(double ns) {
        return scaled(ns, TIMES, "");
    }

    /** A quotient with one decimal, or a dash. */
    static String ratio(long dividend, long divisor) {
        return divisor == 0 ? "-" : String.format("%.1f", (double) dividend / divisor);
    }

    private static String scaled(double value, String[] units, String space) {
        double left = value;
        int unit = 0;
        while (left >= 999.5 && unit < units.length - 1) {
            left /= STEP;
            unit++;
        }
        String number = unit == 0 || left >= 99.95 ? String.format("%.0f", left)
            : left >= 9.995 ? String.format("%.1f", left) : String.format("%.2f", left);
        return number + (units[unit].isEmpty() ? "" : space + units[unit]);
    }
}
