package io.rxe.sim;

import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The cost of loss and reordering: data frames sent per frame that a lossless network needs. The table is the same on every machine.
 * {@link PathTable} tells what it costs in time.
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
            TransferResult result = new Transfer(TransferPlan.over(faults).seed(seed).messages(operation, 60, 8000).depth(16)
                .mtu(PathMtu.MTU_1024).toGoBackN(toGoBackN), null).run().succeeded();
            sum += result.amplification();
            worst = Math.max(worst, result.amplification());
            counters = result.recovery();
        }
        return new Amplification(toGoBackN ? "go-back-N" : "selective repeat", name, operation, sum / seeds, worst, counters);
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

    public static void main(String[] arguments) {
        int seeds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        System.out.println("| receiver | faults both ways | operation | data frames per frame needed | worst of " + seeds + " |");
        System.out.println("|---|---|---|---|---|");
        for (Amplification line : amplifications(seeds)) {
            System.out.printf(Locale.ROOT, "| %s | %s | %s | %.2f | %.2f |%n", line.peer(), line.faults(), line.operation(), line.mean(),
                line.worst());
        }
    }
}
