package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowStatistics;
import java.util.Locale;

/** What was in flight whenever a new packet left, before the first loss and after it. */
final class Window {
    private long most;
    private long samples;
    private long sum;
    private long mostAfter;
    private long samplesAfter;
    private long sumAfter;

    void sample(long packets, boolean lossSeen) {
        if (lossSeen) {
            mostAfter = Math.max(mostAfter, packets);
            samplesAfter++;
            sumAfter += packets;
        } else {
            most = Math.max(most, packets);
            samples++;
            sum += packets;
        }
    }

    /** In words. */
    String text() {
        String before = samples == 0 ? "" : String.format(Locale.ROOT, "at most %,d packets in flight, %.1f on average", most,
            (double) sum / samples);
        String after = samplesAfter == 0 ? "" : String.format(Locale.ROOT, "after the first loss at most %,d, %.1f on average", mostAfter,
            (double) sumAfter / samplesAfter);
        return before.isEmpty() || after.isEmpty() ? before + after : before + "; " + after;
    }

    /** A rate in bit/s with a suitable unit. */
    static String rate(double bits) {
        return bits >= 1e9 ? String.format(Locale.ROOT, "%.2f Gbit/s", bits / 1e9) : bits >= 1e6
            ? String.format(Locale.ROOT, "%.2f Mbit/s", bits / 1e6) : String.format(Locale.ROOT, "%.1f kbit/s", bits / 1e3);
    }

    /** A time with a sign. */
    static String since(long ns) {
        return ns < 0 ? "?" : "+" + FlowStatistics.time(ns);
    }
}
