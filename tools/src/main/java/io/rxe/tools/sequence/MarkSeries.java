package io.rxe.tools.sequence;

import java.util.Arrays;

/**
 * Marks of one kind in the order of time. When there are too many, those of one column of time become one mark, which has the lowest and
 * the highest value and their number; columns get wider as often as needed. So a mark never disappears, and memory is bounded.
 */
final class MarkSeries {
    private static final int FIRST_CAPACITY = 16;

    private int most;
    private long[] times = new long[FIRST_CAPACITY];
    private long[] lows = new long[FIRST_CAPACITY];
    private long[] highs = new long[FIRST_CAPACITY];
    private int[] counts = new int[FIRST_CAPACITY];
    private int[] psns = new int[FIRST_CAPACITY];
    private String[] frames = new String[FIRST_CAPACITY];
    private String[] names = new String[FIRST_CAPACITY];
    private int size;
    /** 0 as long as each packet has a mark of its own. */
    private long columnNs;

    /** @param most marks kept. */
    MarkSeries(int most) {
        this.most = most;
    }

    /**
     * Adds a packet.
     *
     * @param timeNs since the beginning of the capture.
     * @param low    lowest value, such as the first sequence number.
     * @param frame  name of its frame.
     * @param name   opcode, or another text for the pointer; null if there is none.
     */
    void add(long timeNs, long low, long high, String frame, String name, int psn) {
        if (columnNs > 0 && size > 0 && timeNs / columnNs == times[size - 1] / columnNs) {
            lows[size - 1] = Math.min(lows[size - 1], low);
            highs[size - 1] = Math.max(highs[size - 1], high);
            counts[size - 1]++;
            return;
        }
        if (size == most) {
            widen();
            add(timeNs, low, high, frame, name, psn);
            return;
        }
        if (size == times.length) {
            grow();
        }
        times[size] = timeNs;
        lows[size] = low;
        highs[size] = high;
        counts[size] = 1;
        psns[size] = psn;
        frames[size] = frame;
        names[size++] = name;
    }

    private void grow() {
        int capacity = 2 * size;
        times = Arrays.copyOf(times, capacity);
        lows = Arrays.copyOf(lows, capacity);
        highs = Arrays.copyOf(highs, capacity);
        counts = Arrays.copyOf(counts, capacity);
        psns = Arrays.copyOf(psns, capacity);
        frames = Arrays.copyOf(frames, capacity);
        names = Arrays.copyOf(names, capacity);
    }

    /** Doubles the width of columns until half of the marks are left. */
    private void widen() {
        long spanNs = Math.max(1, times[size - 1] - times[0]);
        columnNs = Math.max(columnNs, spanNs / most);
        while (size > most / 2) {
            columnNs = Math.max(1, 2 * columnNs);
            int kept = 0;
            for (int i = 1; i < size; i++) {
                // Where the clock of the capture steps back, wide columns end it.
                if (times[i] / columnNs == times[kept] / columnNs) {
                    lows[kept] = Math.min(lows[kept], lows[i]);
                    highs[kept] = Math.max(highs[kept], highs[i]);
                    counts[kept] += counts[i];
                } else {
                    move(i, ++kept);
                }
            }
            size = kept + 1;
        }
    }

    /** From now on there are at most as many marks. */
    void limit(int marks) {
        if (marks < most) {
            most = marks;
            if (size > most) {
                widen();
            }
        }
    }

    private void move(int from, int to) {
        times[to] = times[from];
        lows[to] = lows[from];
        highs[to] = highs[from];
        counts[to] = counts[from];
        psns[to] = psns[from];
        frames[to] = frames[from];
        names[to] = names[from];
    }

    int size() {
        return size;
    }

    /** Since the beginning of the capture, in ns. */
    long timeNs(int mark) {
        return times[mark];
    }

    long low(int mark) {
        return lows[mark];
    }

    long high(int mark) {
        return highs[mark];
    }

    /** Packets that the mark stands for. */
    int count(int mark) {
        return counts[mark];
    }

    /** Of the first packet of the mark. */
    int psn(int mark) {
        return psns[mark];
    }

    String frame(int mark) {
        return frames[mark];
    }

    /** May be null. */
    String name(int mark) {
        return names[mark];
    }
}
