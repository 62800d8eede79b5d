package io.rxe.tools.endurance;

import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What the sites of a process did. Any thread. */
final class Tally {
    /** What is counted. */
    enum Count {
        CONNECTED("connections established"),
        DISCONNECTED("connections ended by either side"),
        FAILED("connections that failed"),
        LOST("connections whose peer was gone (RETRY_EXC_ERR)"),
        REFUSED("connects refused or unanswered"),
        MESSAGES("messages verified"),
        BYTES("bytes verified"),
        KILLS("child processes killed"),
        HOSTILE("hostile datagrams sent");

        private final String title;

        Count(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private static final int MOST_DEFECTS = 100;

    private final Map<Count, AtomicLong> counts = new EnumMap<>(Count.class);
    private final Queue<String> defects = new ConcurrentLinkedQueue<>();
    private final AtomicInteger defectCount = new AtomicInteger();

    Tally() {
        for (Count count : Count.values()) {
            counts.put(count, new AtomicLong());
        }
    }

    void add(Count count, long amount) {
        counts.get(count).addAndGet(amount);
    }

    long get(Count count) {
        return counts.get(count).get();
    }

    /** Something that must never happen. */
    void defect(String sentence) {
        if (defectCount.incrementAndGet() <= MOST_DEFECTS) {
            defects.add(sentence);
        }
    }

    int defects() {
        return defectCount.get();
    }

    /** The first of them. */
    Iterable<String> defectSentences() {
        return defects;
    }
}
