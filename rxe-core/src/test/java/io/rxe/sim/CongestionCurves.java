package io.rxe.sim;

import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Draws window, rate and queue over time as SVG: a NIC that joins another, and eight that begin at once, with {@code delay} and with
 * {@code dcqcn}. All is measured, in virtual time.
 *
 * <pre>
 *   tools/dev/test-main rxe-core io.rxe.sim.CongestionCurves FILE
 * </pre>
 */
public final class CongestionCurves {
    private static final int SAMPLES = 100;
    private static final long STEP_NS = 4_000_000;
    private static final int WIDTH = 300;
    private static final int HEIGHT = 80;
    private static final int ROW = HEIGHT + 30;
    private static final int BLOCK = 3 * ROW + 70;
    private static final int TOP = 64;
    private static final int ALL = TOP + 2 * BLOCK - 20;
    private static final int[] LEFT = {76, 500};
    private static final String STYLE = """
        <style>
          polyline { stroke-width: 1.5; } .many { stroke: #0969da; stroke-opacity: 0.6; } .queue { stroke: #8250df; }
          @media (prefers-color-scheme: dark) { .many { stroke: #58a6ff; } .queue { stroke: #a371f7; } }
        </style>
        """;

    /** What is seen at one time: of each sender, its window and what arrived since the sample before; and the queue that they share. */
    record Sample(double[] windowBytes, double[] bitsPerSecond, double queuedBytes) {
    }

    /** What is drawn of samples: a line for each value. */
    private record Row(String label, double unit, Function<Sample, double[]> values) {
    }

    private static final List<Row> ROWS = List.of(new Row("window, KB", 1e3, Sample::windowBytes),
        new Row("rate at which payload arrives, Gbit/s", 1e9, Sample::bitsPerSecond),
        new Row("queue, KB", 1e3, sample -> new double[] {sample.queuedBytes}));

    private final StringBuilder body = new StringBuilder();
    private final long stepNs;

    private CongestionCurves(long stepNs) {
        this.stepNs = stepNs;
    }

    /** @param stepNs from one sample to the next. */
    static String draw(long stepNs) {
        CongestionCurves curves = new CongestionCurves(stepNs);
        for (int left : LEFT) {
            String controller = left == LEFT[0] ? "delay" : "dcqcn";
            curves.block(left, TOP, controller + ": a NIC joins another, 1 Gbit/s", join(controller, stepNs), List.of("rxe", "tcp"));
            curves.change(left, SAMPLES / 4, "NIC 2 joins");
            curves.change(left, SAMPLES * 3 / 4, "NIC 1 leaves");
            curves.block(left, TOP + BLOCK, controller + ": eight NICs begin at once, 10 Gbit/s", incast(controller, stepNs),
                List.of("many"));
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"" + ALL + "\" viewBox=\"0 0 840 " + ALL
            + "\" role=\"img\">\n<title>Window, rate and queue over time</title>\n" + PathCurves.STYLE + STYLE
            + PathCurves.text("title", 24, 30, "start", "Window, rate and queue over time") + curves.body + "</svg>\n";
    }

    /** NIC 1 is alone on 1 Gbit/s between hosts of a room; NIC 2 joins; NIC 1 leaves. */
    static List<Sample> join(String controller, long stepNs) {
        LinkFaults path = new LinkFaults().latency(30_000).bandwidth(1e9).queue(1_000_000);
        return samples(TransferPlan.over(controller.equals("dcqcn") ? path.marks(20_000, 80_000, 0.1) : path).queuePairs(2, 1)
            .mtu(PathMtu.MTU_1024), controller, stepNs, transfer -> {
                transfer.posts(1, false);
                transfer.after(SAMPLES / 4 * stepNs, () -> transfer.posts(1, true));
                transfer.after(SAMPLES * 3 / 4 * stepNs, () -> transfer.posts(0, false));
            });
    }

    private static List<Sample> incast(String controller, long stepNs) {
        LinkFaults path = new LinkFaults().latency(25_000).bandwidth(10e9).queue(4 << 20);
        return samples(TransferPlan.over(controller.equals("dcqcn") ? path.marks(100_000, PathTable.MARK_TO_BYTES, 0.1) : path)
            .queuePairs(8, 1), controller, stepNs, transfer -> { });
    }

    private static List<Sample> samples(TransferPlan plan, String controller, long stepNs, Consumer<Transfer> prepare) {
        Transfer transfer = new Transfer(plan.congestion(CongestionOptions.parse(controller))
            .messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 65536).depth(16).duration(SAMPLES * stepNs + 1), null);
        prepare.accept(transfer);
        List<Sample> samples = new ArrayList<>();
        double[] arrived = new double[plan.senders];
        for (int i = 1; i <= SAMPLES; i++) {
            transfer.after(i * stepNs, () -> {
                double[] before = arrived.clone();
                Arrays.setAll(arrived, transfer::arrivedBytes);
                samples.add(new Sample(IntStream.range(0, plan.senders).mapToDouble(transfer::windowBytes).toArray(),
                    IntStream.range(0, plan.senders).mapToDouble(sender -> (arrived[sender] - before[sender]) * 8e9 / stepNs).toArray(),
                    transfer.queuedBytes()));
            });
        }
        transfer.run();
        return samples;
    }

    private void block(int left, int top, String title, List<Sample> samples, List<String> styles) {
        body.append(PathCurves.text("", left, top, "start", title));
        for (int i = 0; i < styles.size() && styles.size() > 1; i++) {
            int x = left + WIDTH + (i - 2) * 62;
            body.append(PathCurves.line(styles.get(i), List.of(x + "," + (top + 26), x + 16 + "," + (top + 26))))
                .append(PathCurves.text("small", x + 20, top + 30, "start", "NIC " + (i + 1)));
        }
        for (int row = 0; row < ROWS.size(); row++) {
            panel(left, top + 36 + row * ROW, ROWS.get(row), samples, row == 2 ? List.of("queue") : styles);
        }
        for (int part = 0; part <= 4; part++) {
            body.append(PathCurves.text("small", left + WIDTH * part / 4.0, top + 36 + 2 * ROW + HEIGHT + 16, "middle",
                SAMPLES * part / 4 * stepNs / 1_000_000 + " ms"));
        }
    }

    private void panel(int left, int top, Row row, List<Sample> seen, List<String> styles) {
        List<double[]> samples = seen.stream().map(row.values).toList();
        double scale = row.unit * roundUp(samples.stream().flatMapToDouble(Arrays::stream).max().orElse(0) / row.unit);
        body.append(PathCurves.text("small", left, top - 6, "start", row.label));
        for (int half = 0; half <= 2; half++) {
            int y = top + HEIGHT - HEIGHT * half / 2;
            body.append(String.format(Locale.ROOT, "<line class=\"grid\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n", left, y,
                left + WIDTH, y)).append(PathCurves.text("small", left - 6, y + 4, "end",
                String.format(Locale.ROOT, "%.1f", scale / row.unit * half / 2).replace(".0", "")));
        }
        for (int i = 0; i < samples.get(0).length; i++) {
            int line = i;
            body.append(PathCurves.line(styles.get(i % styles.size()), IntStream.range(0, SAMPLES).mapToObj(at ->
                left + (at + 1) * WIDTH / SAMPLES + "," + Math.round(top + HEIGHT * (1 - samples.get(at)[line] / scale))).toList()));
        }
    }

    /** A line through the panels of the first block. */
    private void change(int left, int sample, String words) {
        int x = left + sample * WIDTH / SAMPLES;
        body.append(PathCurves.line("theory", List.of(x + "," + (TOP + 36), x + "," + (TOP + 36 + 2 * ROW + HEIGHT))))
            .append(PathCurves.text("small", x + 4, TOP + 46, "start", words));
    }

    /** 1, 2 or 5 times a power of ten, and at least 1. */
    private static double roundUp(double most) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(1, most))));
        return power * (most <= power ? 1 : most <= 2 * power ? 2 : most <= 5 * power ? 5 : 10);
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: CongestionCurves FILE");
            System.exit(2);
        }
        Files.writeString(Path.of(arguments[0]), draw(STEP_NS));
    }
}
