package io.rxe.tools.flow;

import io.rxe.wire.Psn;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Draws a connection: a line for each run of packets of one kind in one direction, with a letter for an anomaly.
 *
 * <pre>{@code
 *    12    0.000300   |WRITE 000069..00006c (4) ------------------->|
 *    16    0.000420 G |WRITE 000070..000072 (3) ------------------->|  00006d..00006f (3) missing
 *    19    0.000500 N |<--------------- NAK PSN sequence error 00006d|
 *    20    0.000900 F |WRITE 00006d..00006f (3) ===================>|
 * }</pre>
 *
 * <p>Long runs without anomalies are left out, except for their ends. Whether a run is shown is decided when the runs behind it, which
 * may be worth showing, have begun; only these are kept.
 */
final class FlowPicture implements ConnectionView {
    private static final int WIDTH = 58;
    /** Ordinary lines shown around an anomaly, and at both ends. */
    private static final int CONTEXT = 2;
    /** A longer silence is noted. */
    private static final long LONG_SILENCE_NS = 4_000_000;
    private static final double NS_PER_SECOND = 1e9;

    private final TextSpool.Text text;
    private final boolean everyLine;
    private final long originNs;
    /** Runs that are not decided yet, the last of which may still grow, behind up to CONTEXT decided ones. */
    private final ArrayDeque<Run> runs = new ArrayDeque<>();
    private int decided;
    private long begun;
    private long skippedPackets;

    /**
     * @param text     gets the diagram.
     * @param everyLine whether ordinary packets are all drawn.
     */
    FlowPicture(TextSpool.Text text, Ends ends, boolean everyLine) {
        this.text = text;
        this.everyLine = everyLine;
        this.originNs = ends.originNs();
        String names = ends.leftName() + " ".repeat(Math.max(1, WIDTH - ends.leftName().length() - ends.rightName().length()))
            + ends.rightName();
        text.append(String.format("%8s %11s    %s", "frame", "time", names)).append("\n");
    }

    /** Packets that share a line. */
    private static final class Run {
        private final ClassifiedPacket first;
        private final long index;
        private final StringBuilder notes = new StringBuilder();
        private ClassifiedPacket last;
        private int packets;

        Run(ClassifiedPacket first, long index) {
            this.first = first;
            this.index = index;
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

        private void note(String more) {
            if (!more.isEmpty()) {
                notes.append(notes.length() == 0 ? "  " : ", ").append(more);
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
                || !next.packet().gaps().equals(last.packet().gaps())
                || !next.packet().family().equals(last.packet().family())) {
                return false;
            }
            add(next);
            return true;
        }

        /** Decided by its first packet: one with a note or of another class begins a run. */
        boolean isRemarkable() {
            return !first.packetClass().isOrdinary() || notes.length() > 0 || !first.packet().gaps().isEmpty();
        }

        String label() {
            if (first.packet().opcode() != null && first.packet().opcode().isNotification()) {
                return packets == 1 ? first.packet().family() : first.packet().family() + " (" + packets + ")";
            }
            String psns = packets == 1 ? Psn.toString(first.packet().psn())
                : Psn.toString(first.packet().psn()) + ".." + Psn.toString(last.packet().psn()) + " (" + packets + ")";
            return first.packet().family() + " " + psns + (first.packet().requestBytes() >= 0 && packets == 1
                ? " of " + first.packet().requestBytes() + " B" : first.packet().gaps());
        }
    }

    @Override
    public void add(ClassifiedPacket one) {
        if (runs.isEmpty() || !runs.getLast().takes(one)) {
            runs.add(new Run(one, begun++));
            if (runs.size() - decided > CONTEXT) {
                decide(false);
            }
        }
    }

    @Override
    public void print(PrintWriter out) {
        text.print(out);
    }

    @Override
    public void end() {
        while (decided < runs.size()) {
            decide(true);
        }
    }

    /** Shows or skips the first run that is not decided. */
    private void decide(boolean atEnd) {
        Iterator<Run> around = runs.iterator();
        Run run = null;
        boolean shown = everyLine || atEnd;
        for (int i = 0; around.hasNext(); i++) {
            Run one = around.next();
            run = i == decided ? one : run;
            shown |= one.isRemarkable();
        }
        if (shown || run.index < CONTEXT) {
            if (skippedPackets > 0) {
                text.append(" ".repeat(21)).append(String.format("  : %,d ordinary packets\n", skippedPackets));
                skippedPackets = 0;
            }
            append(run);
        } else {
            skippedPackets += run.packets;
        }
        decided++;
        if (decided > CONTEXT) {
            runs.remove();
            decided--;
        }
    }

    private void append(Run run) {
        PacketClass packetClass = run.first.packetClass();
        String label = run.label();
        String shaft = (packetClass == PacketClass.RETRANSMITTED || packetClass == PacketClass.FILLS_GAP ? "=" : "-")
            .repeat(Math.max(1, WIDTH - label.length() - 2));
        String arrow = run.first.toRight() ? label + " " + shaft + ">" : "<" + shaft + " " + label;
        text.append(String.format("%8s %11.6f %c |%s|%s", run.first.packet().name(),
            (run.first.packet().timeNs() - originNs) / NS_PER_SECOND, packetClass.letter(), arrow, run.notes)).append("\n");
    }
}
