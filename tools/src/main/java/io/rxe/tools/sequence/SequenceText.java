package io.rxe.tools.sequence;

import io.rxe.tools.flow.FlowStatistics;
import io.rxe.wire.Psn;
import java.io.PrintWriter;
import java.util.List;
import java.util.LongSummaryStatistics;

/** Says in text what the picture shows: what was lost, what caused each retransmission, what delayed the slowest messages. */
final class SequenceText {
    private static final int REPAIRS = 5;
    private static final int MESSAGES = 5;
    private static final double SECOND = 1e9;

    private final PrintWriter out;

    SequenceText(PrintWriter out) {
        this.out = out;
    }

    void print(ConnectionSequence connection) {
        line("%s  <->  %s: %,d packets", connection.ends().leftName(), connection.ends().rightName(), connection.packets());
        connection.sides().forEach(this::print);
        if (connection.sides().isEmpty()) {
            line("  no requests in a sequence: datagrams, answers without what they answer, or nothing that was processed");
        }
        out.print('\n');
    }

    private void print(ConnectionSequence.Side side) {
        DirectionSequence one = side.direction();
        line("  requests of %s", side.requester());
        line("    sent       %,d requests, %,d answers in %s, %s of payload", one.requests(), one.responses(),
            FlowStatistics.time(one.lastNs() - one.firstNs()), Window.rate(one.bytes() * 8e9 / (one.lastNs() - one.firstNs())));
        line("    lost       %s", one.lost());
        one.table().lines().forEach(row -> line("      %s", row));
        if (!one.window().text().isEmpty()) {
            line("    window     %s", one.window().text());
        }
        if (one.marked() + one.notifications() + one.invalidPackets() > 0) {
            line("    marks      %,d packets marked CE, %,d CNPs; %,d packets not processed", one.marked(), one.notifications(),
                one.invalidPackets());
        }
        for (Bands.Why why : Bands.Why.values()) {
            LongSummaryStatistics waits = one.bands().lengthsNs(why);
            if (waits.getCount() > 0) {
                line("    waits      %,d x %s (%s), %s at most, %s in all", waits.getCount(), why.text(), why.rule(),
                    FlowStatistics.time(waits.getMax()), FlowStatistics.time(waits.getSum()));
            }
        }
        repairs(one);
        slowest(one.messages().slowest());
        SlowMessages.Slow open = one.messages().unfinished();
        if (open != null) {
            line("    unfinished %s at PSN %s, frame %s, %s until the end; %s", open.name(), Psn.toString(open.psn()), open.frame(),
                FlowStatistics.time(open.lengthNs()), open.why());
        }
    }

    private void repairs(DirectionSequence one) {
        List<Recovery> worst = one.worst(REPAIRS);
        if (!worst.isEmpty()) {
            line("    repairs    PSN     frame       sent at      told     again  acknowledged  (the longest of %,d)",
                one.recoveries().total());
        }
        for (Recovery repair : worst) {
            line("               %s %6s %12.6f %9s %9s %13s  %s, %s%s", Psn.toString(repair.firstPsn), repair.frame,
                repair.originalNs / SECOND, Window.since(repair.toldNs - repair.originalNs),
                Window.since(repair.againNs - repair.originalNs), repair.endNs < 0 ? "never"
                : Window.since(repair.endNs - repair.originalNs), repair.cause.text(), packets(repair.packets),
                repair.rounds > 1 ? ", " + repair.rounds + " times" : "");
        }
    }

    private void slowest(List<SlowMessages.Slow> slowest) {
        for (int i = 0; i < Math.min(MESSAGES, slowest.size()); i++) {
            SlowMessages.Slow slow = slowest.get(i);
            // The others differ by chance.
            if (i == 0 || !slow.why().equals(SlowMessages.UNDISTURBED)) {
                line("    %-10s %s at PSN %s, frame %s, %s: %s; %s", i == 0 ? "slowest" : "", slow.name(), Psn.toString(slow.psn()),
                    slow.frame(), packets(slow.packets()), FlowStatistics.time(slow.lengthNs()), slow.why());
            }
        }
    }

    private static String packets(long count) {
        return count == 1 ? "1 packet" : String.format("%,d packets", count);
    }

    private void line(String format, Object... values) {
        out.print(String.format(format, values) + "\n");
    }
}
