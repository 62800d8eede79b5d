package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowStatistics;
import io.rxe.tools.flow.RetransmissionCause;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was sent again, and what was refused, by cause. */
final class CauseTable {
    private final Map<RetransmissionCause, Row> rows = new EnumMap<>(RetransmissionCause.class);
    private final Map<String, Long> refusals = new TreeMap<>();

    private static final class Row {
        private long packets;
        private long losses;
        private long longestNs;
        private long totalNs;
    }

    /** A cause that only looks like a repair, or a packet of a repair. */
    void packet(RetransmissionCause cause, boolean beginsRepair) {
        Row row = rows.computeIfAbsent(cause, one -> new Row());
        row.packets++;
        row.losses += beginsRepair ? 1 : 0;
    }

    void recovered(RetransmissionCause cause, long lengthNs) {
        Row row = rows.computeIfAbsent(cause, one -> new Row());
        row.longestNs = Math.max(row.longestNs, lengthNs);
        row.totalNs += lengthNs;
    }

    /** A NAK that ends the connection, or a wait that is no retransmission. */
    void refusal(String what, long count) {
        refusals.merge(what, count, Long::sum);
    }

    long packets(RetransmissionCause cause) {
        return rows.containsKey(cause) ? rows.get(cause).packets : 0;
    }

    /** Losses that were repaired because of it. */
    long repairs(RetransmissionCause cause) {
        return rows.containsKey(cause) ? rows.get(cause).losses : 0;
    }

    /** Refusals and waits with their numbers. */
    Map<String, Long> refusals() {
        return refusals;
    }

    boolean isEmpty() {
        return rows.isEmpty() && refusals.isEmpty();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        if (!rows.isEmpty()) {
            lines.add(String.format("%-26s %-4s %9s %8s %10s %10s", "cause", "rule", "packets", "repairs", "longest", "total"));
        }
        rows.forEach((cause, row) -> lines.add(String.format("%-26s %-4s %,9d %8s %10s %10s", cause.text(), cause.rule(),
            row.packets, row.losses == 0 ? "-" : String.format("%,d", row.losses), time(row.longestNs), time(row.totalNs))));
        refusals.forEach((what, count) -> lines.add(String.format("%-31s %,9d", what, count)));
        return lines;
    }

    private static String time(long ns) {
        return ns == 0 ? "-" : FlowStatistics.time(ns);
    }
}
