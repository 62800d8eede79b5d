package io.rxe.testkit.endurance;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;

/** What the sites of a process did. Any thread. */
final class Tally {
    /** What is counted. */
    enum Count {
        CONNECTED, DISCONNECTED, FAILED,
        /** The peer was gone: RETRY_EXC_ERR. */
        LOST,
        /** A connect was rejected or not answered. */
        REFUSED, MESSAGES, BYTES,
        /** Hostile datagrams that were sent. */
        HOSTILE
    }

    private static final int MOST_DEFECTS = 100;

    private final AtomicLongArray counts = new AtomicLongArray(Count.values().length);
    private final AtomicInteger defects = new AtomicInteger();
    private final PrintWriter out;

    Tally(PrintWriter out) {
        this.out = out;
    }

    void add(Count count, long amount) {
        counts.addAndGet(count.ordinal(), amount);
    }

    /** Something that must never happen. */
    void defect(String sentence) {
        if (defects.incrementAndGet() <= MOST_DEFECTS) {
            out.println("DEFECT " + sentence);
            out.flush();
        }
    }

    /** {@code name=number} for each count, with a space before it. */
    @Override
    public String toString() {
        return Arrays.stream(Count.values()).map(count -> " " + count.name().toLowerCase(Locale.ROOT) + "="
            + counts.get(count.ordinal())).collect(Collectors.joining());
    }
}
