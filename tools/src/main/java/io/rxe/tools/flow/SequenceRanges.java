package io.rxe.tools.flow;

import java.util.Map;
import java.util.TreeMap;

/** A set of sequence numbers, kept as ranges. Holds a limited number of ranges and forgets the lowest one beyond that. */
final class SequenceRanges {
    /** Most ranges kept. */
    static final int MAX_RANGES = 1024;

    /** First number of a range and one past its last. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();
    private long forgotten;
    private long forgottenEnd = Long.MIN_VALUE;

    void add(long from, long to) {
        long first = from;
        long end = to;
        Map.Entry<Long, Long> before = ranges.floorEntry(from);
        if (before != null && before.getValue() >= from) {
            first = before.getKey();
            end = Math.max(end, before.getValue());
        }
        Map.Entry<Long, Long> next = ranges.ceilingEntry(first);
        while (next != null && next.getKey() <= end) {
            end = Math.max(end, next.getValue());
            ranges.remove(next.getKey());
            next = ranges.ceilingEntry(first);
        }
        ranges.put(first, end);
        if (ranges.size() > MAX_RANGES) {
            Map.Entry<Long, Long> lowest = ranges.pollFirstEntry();
            forgotten += lowest.getValue() - lowest.getKey();
            forgottenEnd = lowest.getValue();
        }
    }

    void remove(long from, long to) {
        Map.Entry<Long, Long> range = ranges.lowerEntry(to);
        while (range != null && range.getValue() > from) {
            ranges.remove(range.getKey());
            if (range.getValue() > to) {
                ranges.put(to, range.getValue());
            }
            if (range.getKey() < from) {
                ranges.put(range.getKey(), from);
            }
            range = ranges.lowerEntry(to);
        }
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    boolean contains(long number) {
        Map.Entry<Long, Long> range = ranges.floorEntry(number);
        return range != null && number < range.getValue();
    }

    /** Whether a number lies below the end of a range that was forgotten: nothing is known about it. */
    boolean isForgotten(long number) {
        return number < forgottenEnd;
    }

    /** Numbers in the set, with those of forgotten ranges. */
    long size() {
        long size = forgotten;
        for (Map.Entry<Long, Long> range : ranges.entrySet()) {
            size += range.getValue() - range.getKey();
        }
        return size;
    }
}
