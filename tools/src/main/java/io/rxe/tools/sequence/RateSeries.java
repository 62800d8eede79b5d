package io.rxe.tools.sequence;

/** Bytes in columns of time, whose width doubles whenever there are too many. */
final class RateSeries {
    static final int COLUMNS = 512;

    private final long[] bytes = new long[COLUMNS];
    private long columnNs = 1000;
    private long beginNs = -1;

    void add(long timeNs, long packetBytes) {
        if (beginNs < 0) {
            beginNs = timeNs;
        }
        // Clocks of captures may step back.
        long since = Math.max(0, timeNs - beginNs);
        while (since / columnNs >= COLUMNS) {
            for (int i = 0; i < COLUMNS; i++) {
                bytes[i] = i < COLUMNS / 2 ? bytes[2 * i] + bytes[2 * i + 1] : 0;
            }
            columnNs *= 2;
        }
        bytes[(int) (since / columnNs)] += packetBytes;
    }

    /** Bit/s in a column. */
    double rate(int column) {
        return bytes[column] * 8e9 / columnNs;
    }

    /** Columns up to the last packet. */
    int columns() {
        int last = COLUMNS;
        while (last > 0 && bytes[last - 1] == 0) {
            last--;
        }
        return last;
    }

    /** Begin of a column, in ns since the beginning of the capture. */
    long timeNs(int column) {
        return beginNs + column * columnNs;
    }
}
