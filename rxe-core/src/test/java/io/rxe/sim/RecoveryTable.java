package io.rxe.sim;

import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The cost of loss and reordering, in packet counts and virtual time. The table is the same on every machine:
 *
 * <ol>
 *   <li>amplification: data frames sent per frame that a lossless network needs;
 *   <li>goodput at 10 Gbit/s and 200 us round trip, as a share of the lossless goodput.
 * </ol>
 *
 * <pre>
 *   tools/dev/test-main rxe-core io.rxe.sim.RecoveryTable SEEDS
 * </pre>
 */
public final class RecoveryTable {
    private static final Operation[] OPERATIONS = {Operation.RDMA_WRITE, Operation.SEND, Operation.RDMA_READ};

    private RecoveryTable() {
    }

    /** One line of the amplification table. */
    record Amplification(String peer, String faults, Operation operation, double mean, double worst, String counters) {
    }

    /** One line of the goodput table. */
    record Goodput(Operation operation, double loss, double gigabits, double share) {
    }

    static LinkFaults lossy() {
        return new LinkFaults().latency(1_000_000).loss(0.05);
    }

    static LinkFaults disordered() {
        return new LinkFaults().latency(2_000_000).duplicate(0.10).reorder(0.20, 0.25);
    }

    /** 60 messages of 8000 bytes at MTU 1024, averaged over seeds. */
    static Amplification amplification(Operation operation, boolean toGoBackN, LinkFaults faults, String name, int seeds) {
        double sum = 0;
        double worst = 0;
        String counters = "";
        for (int seed = 1; seed <= seeds; seed++) {
            Transfer.Result result = new Transfer(seed, operation, 60, 8000, PathMtu.MTU_1024, 16, toGoBackN, faults, faults, null)
                .run();
            sum += result.amplification();
            worst = Math.max(worst, result.amplification());
            counters = result.counters();
        }
        return new Amplification(toGoBackN ? "go-back-N" : "selective repeat", name, operation, sum / seeds, worst, counters);
    }

    /** 64 KiB messages at MTU 4096, 10 Gbit/s, 200 us round trip. */
    static double gigabits(Operation operation, double loss, int messages, int seeds) {
        double bits = 0;
        double seconds = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            LinkFaults faults = new LinkFaults().latency(100_000).bandwidth(10e9).loss(loss);
            Transfer.Result result = new Transfer(seed, operation, messages, 65536, PathMtu.MTU_4096, 64, false, faults, faults, null)
                .run();
            bits += result.bytes() * 8.0;
            seconds += result.elapsedNs() / 1e9;
        }
        return bits / seconds / 1e9;
    }

    static List<Amplification> amplifications(int seeds) {
        List<Amplification> lines = new ArrayList<>();
        for (Operation operation : OPERATIONS) {
            lines.add(amplification(operation, false, lossy(), "loss 5% delay 1ms", seeds));
            lines.add(amplification(operation, true, lossy(), "loss 5% delay 1ms", seeds));
            lines.add(amplification(operation, false, disordered(), "duplicate 10% reorder 20% 25% delay 2ms", seeds));
            lines.add(amplification(operation, true, disordered(), "duplicate 10% reorder 20% 25% delay 2ms", seeds));
        }
        return lines;
    }

    static List<Goodput> goodputs(int messages, int seeds) {
        List<Goodput> lines = new ArrayList<>();
        for (Operation operation : OPERATIONS) {
            double lossless = gigabits(operation, 0, messages, 1);
            for (double loss : new double[] {0, 0.001, 0.01, 0.05}) {
                double gigabits = loss == 0 ? lossless : gigabits(operation, loss, messages, seeds);
                lines.add(new Goodput(operation, loss, gigabits, gigabits / lossless));
            }
        }
        return lines;
    }

    public static void main(String[] arguments) {
        int seeds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        System.out.println("| receiver | faults both ways | operation | data frames per frame needed | worst of " + seeds + " |");
        System.out.println("|---|---|---|---|---|");
        for (Amplification line : amplifications(seeds)) {
            System.out.printf(Locale.ROOT, "| %s | %s | %s | %.2f | %.2f |%n", line.peer(), line.faults(), line.operation(), line.mean(),
                line.worst());
        }
        System.out.println();
        System.out.println("| operation | loss each way | goodput Gbit/s | of lossless |");
        System.out.println("|---|---|---|---|");
        for (Goodput line : goodputs(400, Math.max(1, seeds / 5))) {
            System.out.printf(Locale.ROOT, "| %s | %.1f %% | %.2f | %.0f %% |%n", line.operation(), 100 * line.loss(), line.gigabits(),
                100 * line.share());
        }
    }
}
