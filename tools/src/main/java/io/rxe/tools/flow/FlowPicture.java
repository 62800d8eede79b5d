package io.rxe.tools.flow;

import io.rxe.tools.flow.Connection.ClassifiedPacket;
import io.rxe.wire.Psn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a connection: a line for each run of packets of one kind in one direction, with a letter for an anomaly.
 *
 * <pre>{@code
 *    12    0.000300   |WRITE 000069..00006c (4) ------------------->|
 *    16    0.000420 G |WRITE 00006e..000070 (3) ------------------->|  00006d missing
 *    19    0.000500 N |<--------------- NAK PSN sequence error 00006d|
 *    20    0.000900 F |WRITE 00006d ===============================>|
 * }</pre>
 *
 * <p>Long runs without anomalies are left out, except for their ends.
 */
final class FlowPicture {
    private static final int WIDTH = 58;
    /** Ordinary lines shown around an anomaly, and at both ends. */
    private static final int CONTEXT = 2;
    /** A longer silence is noted. */
    private static final long LONG_SILENCE_NS = 4_000_000;
    private static final double NS_PER_SECOND = 1e9;

    private final Connection connection;
    private final boolean everyLine;
    private final long originNs;
    private final List<Run> runs = new ArrayList<>();

    /** @param originNs time of the first packet of the capture. */
    FlowPicture(Connection connection, long originNs, boolean everyLine) {
        this.connection = connection;
        this.everyLine = everyLine;
        this.originNs = originNs;
        for (ClassifiedPacket one : connection.classified()) {
            if (runs.isEmpty() || !runs.get(runs.size() - 1).takes(one)) {
                runs.add(new Run(one));
            }
        }
    }

    /** Packets that share a line. */
    private static final class Run {
        private final ClassifiedPacket first;
        private final StringBuilder notes = new StringBuilder();
        private ClassifiedPacket last;
        private int packets;

        Run(ClassifiedPacket first) {
            this.first = first;
            add(first);
        }

        private void add(ClassifiedPacket one) {
            last = one;
            packets++;
            if (one.silenceNs() >= LONG_SILENCE_NS && !one.note().contains("wait")) {
                note("after " + FlowStatistics.time(one.silenceNs()) + " of silence");
            }
            note(one.note());
        }

        private void note(String text) {
            if (!text.isEmpty()) {
                notes.append(notes.length() == 0 ? "  " : ", ").append(text);
            }
        }

        boolean takes(ClassifiedPacket next) {
            int step = Psn.subtract(next.packet().psn(), last.packet().psn());
            boolean isRead = next.packet().requestBytes() >= 0;
            boolean isData = next.packet().isRequest() || next.packet().opcode() != null && next.packet().opcode().isReadResponse();
            boolean follows = isRead ? step > 0 : isData ? step == 1 : step >= 0;
            // A gap begins a line; packets that follow in order are on the same line.
            boolean alike = next.packetClass() == last.packetClass() || first.packetClass() == PacketClass.GAP
                && next.packetClass() == PacketClass.ORDINARY;
            if (next.toRight() != last.toRight() || !alike || next.packetClass() == PacketClass.GAP
                || next.packetClass() == PacketClass.INVALID
                || !follows || next.silenceNs() >= LONG_SILENCE_NS || !next.note().isEmpty()
                || !next.packet().family().equals(last.packet().family())) {
                return false;
            }
            add(next);
            return true;
        }

        String label() {
            String psns = packets == 1 ? Psn.toString(first.packet().psn())
                : Psn.toString(first.packet().psn()) + ".." + Psn.toString(last.packet().psn()) + " (" + packets + ")";
            return first.packet().family() + " " + psns + (first.packet().requestBytes() >= 0 && packets == 1
                ? " of " + first.packet().requestBytes() + " B" : "");
        }
    }

    String toText() {
        StringBuilder text = new StringBuilder(4096);
        String names = connection.leftName() + " ".repeat(Math.max(1, WIDTH - connection.leftName().length()
            - connection.rightName().length())) + connection.rightName();
        text.append(String.format(Locale.ROOT, "%8s %11s    %s%n", "frame", "time", names).replace(System.lineSeparator(), "\n"));
        int skipped = 0;
        long skippedPackets = 0;
        for (int i = 0; i < runs.size(); i++) {
            if (everyLine || isShown(i)) {
                if (skipped > 0) {
                    text.append(" ".repeat(21)).append(String.format(Locale.ROOT, "  : %,d ordinary packets\n", skippedPackets));
                    skipped = 0;
                    skippedPackets = 0;
                }
                append(text, runs.get(i));
            } else {
                skipped++;
                skippedPackets += runs.get(i).packets;
            }
        }
        return text.toString();
    }

    private boolean isShown(int index) {
        if (index < CONTEXT || index >= runs.size() - CONTEXT) {
            return true;
        }
        for (int i = index - CONTEXT; i <= index + CONTEXT; i++) {
            if (!runs.get(i).first.packetClass().isOrdinary() || runs.get(i).notes.length() > 0) {
                return true;
            }
        }
        return false;
    }

    private void append(StringBuilder text, Run run) {
        PacketClass packetClass = run.first.packetClass();
        String label = run.label();
        String shaft = (packetClass == PacketClass.RETRANSMITTED || packetClass == PacketClass.FILLS_GAP ? "=" : "-")
            .repeat(Math.max(1, WIDTH - label.length() - 2));
        String arrow = run.first.toRight() ? label + " " + shaft + ">" : "<" + shaft + " " + label;
        text.append(String.format(Locale.ROOT, "%8s %11.6f %c |%s|%s", run.first.packet().name(),
            (run.first.packet().timeNs() - originNs) / NS_PER_SECOND, packetClass.letter(), arrow, run.notes)).append('\n');
    }
}
