package io.rxe.tools.dump;

import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Totals over a capture. */
final class DumpTotals {
    private static final int MAX_NAMED = 20;

    private final Map<Opcode, Long> opcodes = new EnumMap<>(Opcode.class);
    private final List<String> badNames = new ArrayList<>();
    private final Map<Integer, Long> otherPorts = new TreeMap<>();
    private long undefined;
    private long good;
    private long bad;
    private long truncated;
    private long batches;
    private long others;

    /**
     * Counts a frame that is not RoCEv2.
     *
     * @param udpPort destination port if it is UDP, or -1.
     */
    void other(int udpPort) {
        others++;
        if (udpPort >= 0) {
            otherPorts.merge(udpPort, 1L, Long::sum);
        }
    }

    /** The most frequent UDP destination port of a capture without RoCEv2 packets, or -1. */
    int likelyPort() {
        if (good + bad + truncated > 0) {
            return -1;
        }
        return otherPorts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey).orElse(-1);
    }

    /** Counts a packet with the correct ICRC; the opcode is null if undefined. */
    void good(Opcode opcode) {
        good++;
        count(opcode);
    }

    /** Counts a packet whose end was not captured. */
    void truncated(Opcode opcode) {
        truncated++;
        count(opcode);
    }

    /**
     * Counts a packet with a wrong ICRC.
     *
     * @param name number of its frame.
     */
    void bad(String name, Opcode opcode) {
        bad++;
        count(opcode);
        if (badNames.size() < MAX_NAMED) {
            badNames.add(name);
        }
    }

    /** Counts a captured datagram of several packets, which are counted separately. */
    void batch() {
        batches++;
    }

    private void count(Opcode opcode) {
        if (opcode == null) {
            undefined++;
        } else {
            opcodes.merge(opcode, 1L, Long::sum);
        }
    }

    boolean hasBad() {
        return bad > 0;
    }

    /** The frames with a wrong ICRC, as text. */
    String badFrames() {
        return (bad == 1 ? "frame " : "frames ") + String.join(", ", badNames)
            + (bad > badNames.size() ? " and " + (bad - badNames.size()) + " more" : "");
    }

    /** A line for each opcode, and one for the sum. */
    String toText() {
        StringBuilder text = new StringBuilder();
        opcodes.forEach((opcode, count) -> text.append(String.format("%10d  %s%n", count, opcode.name())));
        if (undefined > 0) {
            text.append(String.format("%10d  undefined opcodes%n", undefined));
        }
        text.append(String.format("%10d  RoCEv2 packets: ICRC good %d, bad %d", good + bad + truncated, good, bad));
        if (truncated > 0) {
            text.append(", not captured ").append(truncated);
        }
        if (batches > 0) {
            text.append("; ").append(batches).append(batches == 1 ? " frame was a batch" : " frames were batches")
                .append(" of packets");
        }
        if (others > 0) {
            text.append("; ").append(others).append(others == 1 ? " other frame" : " other frames");
        }
        return text.append('\n').toString().replace(System.lineSeparator(), "\n");
    }
}
