package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowStatistics;
import java.util.LongSummaryStatistics;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was in flight whenever a new packet left, before the first loss and after it. */
final class Window {
    private final LongSummaryStatistics before = new LongSummaryStatistics();
    private final LongSummaryStatistics after = new LongSummaryStatistics();

    void sample(long packets, boolean lossSeen) {
        (lossSeen ? after : before).accept(packets);
    }

    /** In words. */
    String text() {
        return Stream.of(words(before, "at most %,d packets in flight, %.1f on average"),
            words(after, "after the first loss at most %,d, %.1f on average"))
            .filter(text -> !text.isEmpty()).collect(Collectors.joining("; "));
    }

    private static String words(LongSummaryStatistics sent, String format) {
        return sent.getCount() == 0 ? "" : String.format(format, sent.getMax(), sent.getAverage());
    }

    /** A rate in bit/s with a suitable unit. */
    static String rate(double bits) {
        return bits >= 1e9 ? String.format("%.2f Gbit/s", bits / 1e9) : bits >= 1e6
            ? String.format("%.2f Mbit/s", bits / 1e6) : String.format("%.1f kbit/s", bits / 1e3);
    }

    /** A time with a sign. */
    static String since(long ns) {
        return ns < 0 ? "?" : "+" + FlowStatistics.time(ns);
    }
}
