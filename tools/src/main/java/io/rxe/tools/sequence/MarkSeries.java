package io.rxe.tools.sequence;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Marks of one kind in the order of time. When there are too many, those of one column of time become one mark, which has the lowest and
 * the highest value and their number; columns get wider as often as needed. So a mark never disappears, and memory is bounded.
 */
final class MarkSeries {
    private final List<Mark> marks = new ArrayList<>();
    private int most;
    /** 0 as long as each packet has a mark of its own. */
    private long columnNs;

    /**
     * What stands for a packet, or for those of a column: time, PSN, frame and name are those of the first.
     *
     * @param timeNs since the beginning of the capture.
     * @param low    lowest value, such as the first sequence number.
     * @param count  packets.
     * @param frame  name of its frame.
     * @param name   opcode, or another text for the pointer; null if there is none.
     */
    record Mark(long timeNs, long low, long high, int count, int psn, String frame, String name) {
        private Mark with(Mark next) {
            return new Mark(timeNs, Math.min(low, next.low), Math.max(high, next.high), count + next.count, psn, frame, name);
        }
    }

    /** @param most marks kept. */
    MarkSeries(int most) {
        this.most = most;
    }

    /** Adds a packet; the parameters are those of {@link Mark}. */
    void add(long timeNs, long low, long high, String frame, String name, int psn) {
        append(new Mark(timeNs, low, high, 1, psn, frame, name));
        limit(most);
    }

    private void append(Mark mark) {
        int last = marks.size() - 1;
        // Where the clock of the capture steps back, wide columns end it.
        if (columnNs > 0 && last >= 0 && mark.timeNs / columnNs == marks.get(last).timeNs / columnNs) {
            marks.set(last, marks.get(last).with(mark));
        } else {
            marks.add(mark);
        }
    }

    /** From now on there are at most as many marks. Where there are more, columns double their width until half of that is left. */
    void limit(int limit) {
        most = Math.min(most, limit);
        if (marks.size() > most) {
            columnNs = Math.max(columnNs, (marks.get(marks.size() - 1).timeNs - marks.get(0).timeNs) / most);
            while (marks.size() > most / 2) {
                columnNs = Math.max(1, 2 * columnNs);
                List<Mark> all = List.copyOf(marks);
                marks.clear();
                all.forEach(this::append);
            }
        }
    }

    List<Mark> all() {
        return Collections.unmodifiableList(marks);
    }
}
