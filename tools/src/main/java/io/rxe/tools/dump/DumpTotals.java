package io.rxe.tools.dump;

import io.rxe.capture.CaptureRecord;
import io.rxe.capture.LinkType;
import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Totals over a capture. */
final class DumpTotals {
    private static final int MAX_NAMED = 20;

    private final Map<Opcode, Long> opcodes = new EnumMap<>(Opcode.class);
    private final List<String> badNames = new ArrayList<>();
    private final Map<Integer, Long> otherPorts = new TreeMap<>();
    private final Map<Integer, Long> otherLinks = new TreeMap<>();
    private long undefined;
    private long good;
    private long bad;
    private long truncated;
    private long batches;
    private long others;
    private long unreadable;
    private long cutOff;

    /**
     * Counts a frame that is not RoCEv2, or of which nobody can tell: its link type is unknown, or its headers were not captured.
     *
     * @param udpPort destination port if it is UDP, or -1.
     */
    void other(CaptureRecord record, int udpPort) {
        if (!LinkType.isKnown(record.linkType())) {
            unreadable++;
            otherLinks.merge(record.linkType(), 1L, Long::sum);
            return;
        }
        if (udpPort < 0 && Integer.compareUnsigned(record.bytes().length, record.originalLength()) < 0) {
            cutOff++;
            return;
        }
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

    /**
     * Counts a packet.
     *
     * @param name   number of its frame.
     * @param opcode null if undefined.
     */
    void packet(FrameWalker.IcrcState icrc, String name, Opcode opcode) {
        switch (icrc) {
            case GOOD -> good++;
            case NOT_CAPTURED -> truncated++;
            case BAD -> {
                bad++;
                if (badNames.size() < MAX_NAMED) {
                    badNames.add(name);
                }
            }
        }
        if (opcode == null) {
            undefined++;
        } else {
            opcodes.merge(opcode, 1L, Long::sum);
        }
    }

    /** Counts a captured datagram of several packets, which are counted separately. */
    void batch() {
        batches++;
    }

    /** Whether every packet was a frame of its own, with the right ICRC as far as it was captured. */
    boolean isPlain() {
        return bad == 0 && batches == 0;
    }

    boolean hasBad() {
        return bad > 0;
    }

    /** The frames with a wrong ICRC, as text. */
    String badFrames() {
        return (bad == 1 ? "frame " : "frames ") + String.join(", ", badNames)
            + (bad > badNames.size() ? " and " + (bad - badNames.size()) + " more" : "");
    }

    /** Whether the capture has frames, but none of a link type that can be decoded. */
    boolean isUnreadable() {
        return unreadable > 0 && good + bad + truncated + others + cutOff == 0;
    }

    /** The link types that cannot be decoded, as text; empty if there are none. */
    String unreadableLinks() {
        return unreadable == 0 ? "" : otherLinks.entrySet().stream().map(entry -> frames(entry.getValue()) + " of link type "
            + entry.getKey() + " (" + LinkType.name(entry.getKey()) + ")").collect(Collectors.joining(" and "))
            + " cannot be decoded: rxe dump decodes " + LinkType.DECODED + "; capture on such an interface";
    }

    /** What a short snap length has cost, as text; empty if it cost nothing. */
    String cutFrames() {
        return truncated + cutOff == 0 ? "" : frames(truncated + cutOff) + " captured in part, so that the ICRC cannot be checked: capture"
            + " with a larger snap length (tcpdump -s 0)";
    }

    private static String frames(long count) {
        return count == 1 ? "1 frame" : count + " frames";
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
        if (cutOff > 0) {
            text.append("; ").append(frames(cutOff)).append(" cut before the packet");
        }
        if (unreadable > 0) {
            text.append("; ").append(frames(unreadable)).append(" of other link types");
        }
        if (batches > 0) {
            text.append("; ").append(batches).append(batches == 1 ? " frame was a batch" : " frames were batches").append(" of packets");
        }
        if (others > 0) {
            text.append("; ").append(others).append(others == 1 ? " other frame" : " other frames");
        }
        return text.append('\n').toString().replace(System.lineSeparator(), "\n");
    }
}
