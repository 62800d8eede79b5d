package io.rxe.sim;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is reached over paths of any length, with loss and disorder, in virtual time, each beside its goal. Shares are payload that arrived,
 * of the rate of the line, W, S and R are WRITE, SEND and READ at MTU 4096. The table is the same on every machine.
 *
 * <pre>
 *   tools/dev/test-main rxe-core io.rxe.sim.PathTable all | GROUP...       prints the rows of all groups or of some
 *   tools/dev/test-main rxe-core io.rxe.sim.PathTable --svg FILE           draws goodput by loss and by round trip
 * </pre>
 */
public final class PathTable {
    private static final List<Operation> OPERATIONS = List.of(Operation.RDMA_WRITE, Operation.SEND, Operation.RDMA_READ);
    private static final List<Supplier<LinkFaults>> PATHS = List.of(PathTable::near, PathTable::far);
    private static final long MS = 1_000_000;
    /** Beyond this queue every packet is marked. */
    static final int MARK_TO_BYTES = 400_000;
    private static final int GO_BACK_N_RUNS = 16;
    private static final Map<String, Double> CLEAN = new HashMap<>();
    private static final Map<String, Consumer<Consumer<Row>>> GROUPS = new LinkedHashMap<>();
    private static final Map<String, UnaryOperator<TransferPlan>> BOTH_WAYS = new LinkedHashMap<>();

    static {
        BOTH_WAYS.put("W, 16 queue pairs there and 16 back", TransferPlan::bothWays);
        BOTH_WAYS.put("R, 16 queue pairs there and 16 back",
            plan -> plan.messages(Operation.RDMA_READ, Long.MAX_VALUE, plan.messageBytes).bothWays());
        BOTH_WAYS.put("W, 16 queue pairs, and R, 16 beside them", TransferPlan::besideReads);
        GROUPS.put("distance", PathTable::distance);
        GROUPS.put("disorder", PathTable::disorder);
        GROUPS.put("loss", PathTable::loss);
        GROUPS.put("bursts", PathTable::bursts);
        GROUPS.put("acks", PathTable::acks);
        GROUPS.put("tail", PathTable::tail);
        GROUPS.put("go-back-N", PathTable::goBackN);
        GROUPS.put("outage", PathTable::outage);
        GROUPS.put("queue-pairs", PathTable::queuePairs);
        GROUPS.put("neighbours", PathTable::neighbours);
        GROUPS.put("joins", PathTable::joins);
        GROUPS.put("both-ways", PathTable::bothWays);
        GROUPS.put("marks", PathTable::marks);
        GROUPS.put("incast", PathTable::incast);
        GROUPS.put("busy", PathTable::busy);
        GROUPS.put("tcp", PathTable::tcp);
    }

    private PathTable() {
    }

    /** One line of the table. */
    record Row(String what, String goal, String figure, boolean isMet) {
        @Override
        public String toString() {
            return "| " + what + " | " + goal + " | " + figure + " | " + (isMet ? "met" : "missed") + " |";
        }
    }

    /** A line with a buffer of one round trip, 1 MB at least, each way. */
    static LinkFaults path(double bitsPerSecond, long roundTripNs) {
        return new LinkFaults().latency(roundTripNs / 2).bandwidth(bitsPerSecond)
            .queue((int) Math.max(1_000_000, bitsPerSecond / 8e9 * roundTripNs));
    }

    /** 10 Gbit/s and 200 us, as between two hosts of a room. */
    static LinkFaults near() {
        return path(10e9, MS / 5);
    }

    /** 1 Gbit/s and 20 ms, as between two cities. */
    static LinkFaults far() {
        return path(1e9, 20 * MS);
    }

    /** Messages that fill the path of a plan twice, for a number of round trips. */
    static TransferPlan filling(LinkFaults eachWay, Operation operation, int roundTrips) {
        TransferPlan plan = TransferPlan.over(eachWay);
        double pathBytes = plan.bitsPerSecond() / 8e9 * plan.roundTripNs();
        int messageBytes = 65536;
        while (64 * messageBytes < 2 * pathBytes) {
            messageBytes *= 2;
        }
        plan.maxRdAtomic = 128;
        return plan.messages(operation, Long.MAX_VALUE, messageBytes).depth(128).window((int) Math.max(plan.windowBytes, 4 * pathBytes))
            .duration(Math.max(roundTrips * plan.roundTripNs(), 20 * MS));
    }

    static TransferResult run(TransferPlan plan) {
        return new Transfer(plan, null).run();
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.01 && share > 0 ? "%.2f %%" : "%.1f %%", 100 * share);
    }

    private static String number(double value) {
        return Double.isInfinite(value) ? "never" : String.format(Locale.ROOT, "%.1f", value);
    }

    private static String time(long ns) {
        return ns < MS ? ns / 1000 + " us" : ns / MS + " ms";
    }

    private static String path(LinkFaults faults) {
        return String.format(Locale.ROOT, "%.1f Gbit/s, %s", faults.bitsPerSecond / 1e9, time(2 * faults.latencyNs)).replace(".0 G", " G");
    }

    private static <T> String joined(List<T> of, Function<T, String> text) {
        return of.stream().map(text).collect(Collectors.joining(", "));
    }

    /** A goal for the least share that one of several transfers reached. */
    private static Row atLeast(String what, double goal, List<Double> shares) {
        return new Row(what, ">= " + percent(goal), joined(shares, PathTable::percent), shares.stream().allMatch(share -> share >= goal));
    }

    private static void distance(Consumer<Row> rows) {
        for (double bitsPerSecond : new double[] {100e6, 1e9, 10e9}) {
            for (long us : new long[] {100, 1_000, 5_000, 20_000, 100_000, 200_000}) {
                distance(path(bitsPerSecond, us * 1000), us, rows);
            }
        }
    }

    private static void distance(LinkFaults path, long us, Consumer<Row> rows) {
        // Long enough for some of the round trips with a closed window (QueueDrain), and on a slow line for the regular ones.
        int roundTrips = (int) Math.max(30, (path.bitsPerSecond < 1e9 ? 2_000_000 : 400_000) / us);
        List<TransferResult> results = OPERATIONS.stream().map(operation -> run(filling(path, operation, roundTrips)).succeeded()).toList();
        rows.accept(atLeast("W, S, R over " + path(path), 0.95, results.stream().map(result -> result.shareAfter(15)).toList()));
        rows.accept(new Row("round trips until 90 % arrived in one", "<= 15", joined(results, result -> number(result.roundTripsTo(0.9))),
            results.stream().allMatch(result -> result.roundTripsTo(0.9) <= 15)));
    }

    private static void disorder(Consumer<Row> rows) {
        for (Supplier<LinkFaults> path : PATHS) {
            long roundTripNs = 2 * path.get().latencyNs;
            Map<String, LinkFaults> kinds = new LinkedHashMap<>();
            kinds.put("jitter of half of it", path.get().jitter(roundTripNs / 4));
            kinds.put("20 % late by up to one", path.get().late(0.2, roundTripNs));
            kinds.forEach((name, faults) -> {
                List<TransferResult> results = OPERATIONS.stream().map(operation ->
                    run(filling(faults, operation, roundTrips(path))).succeeded()).toList();
                rows.accept(atLeast("W, S, R over " + path(faults) + ", " + name, 0.90,
                    results.stream().map(result -> result.shareAfter(20)).toList()));
                rows.accept(new Row("needless retransmissions", "<= 0.1 %", joined(results, result -> percent(result.needless())),
                    results.stream().allMatch(result -> result.needless() <= 0.001)));
            });
        }
    }

    /** Share of the rate without faults. */
    private static double clean(Supplier<LinkFaults> path, Operation operation) {
        return CLEAN.computeIfAbsent(path(path.get()) + operation, key -> run(filling(path.get(), operation, roundTrips(path)))
            .succeeded().shareAfter(20));
    }

    private static int roundTrips(Supplier<LinkFaults> path) {
        return path.get().latencyNs < MS ? 1000 : 100;
    }

    /** Shares of the goodput without faults that each operation keeps. */
    private static List<Double> kept(Supplier<LinkFaults> path, UnaryOperator<LinkFaults> faults, List<Operation> operations,
                                     UnaryOperator<TransferPlan> more) {
        return operations.stream().map(operation -> run(more.apply(filling(faults.apply(path.get()), operation, roundTrips(path))))
            .succeeded().shareAfter(20) / clean(path, operation)).toList();
    }

    private static void loss(Consumer<Row> rows) {
        double[] losses = {0.001, 0.01, 0.05};
        double[] goals = {0.98, 0.95, 0.87};
        for (Supplier<LinkFaults> path : PATHS) {
            rows.accept(atLeast("W, S, R over " + path(path.get()) + ", no loss", 0.95, OPERATIONS.stream().map(operation ->
                clean(path, operation)).toList()));
            for (int i = 0; i < losses.length; i++) {
                double loss = losses[i];
                rows.accept(atLeast("W, S, R of lossless over " + path(path.get()) + ", loss " + percent(loss) + " each way", goals[i],
                    kept(path, faults -> faults.loss(loss), OPERATIONS, plan -> plan)));
            }
        }
    }

    /** Mean loss of 1 %, in bursts of 8 on average. */
    static LinkFaults burstsOfEight(LinkFaults path) {
        return path.bursts(0.01 / 8 / 0.99, 1 / 8.0, 1).burstInTime();
    }

    private static void bursts(Consumer<Row> rows) {
        PATHS.forEach(path -> rows.accept(atLeast("W, S, R of lossless over " + path(path.get()) + ", bursts of 8 lost, 1 % each way",
            0.90, kept(path, PathTable::burstsOfEight, OPERATIONS, plan -> plan))));
    }

    private static void acks(Consumer<Row> rows) {
        PATHS.forEach(path -> rows.accept(atLeast("W, S of lossless over " + path(path.get()) + ", half of the ACKs lost, nothing else",
            0.95, kept(path, faults -> faults, List.of(Operation.RDMA_WRITE, Operation.SEND), plan -> plan.ackLoss(0.5)))));
    }

    private static void tail(Consumer<Row> rows) {
        for (int bytes : new int[] {1024, 65536}) {
            String what = (bytes == 1024 ? "one packet" : "64 KiB") + " over " + path(near()) + ", loss 1 % each way";
            List<TransferResult> results = OPERATIONS.stream().map(operation ->
                run(TransferPlan.over(near().loss(0.01)).messages(operation, 20_000, bytes).depth(1)).succeeded()).toList();
            rows.accept(new Row("completion of " + what + ", W, S, R, p99 (p50) in round trips", "<= 3", joined(results, result ->
                number(result.latency(0.99)) + " (" + number(result.latency(0.5)) + ")"), results.stream().allMatch(result ->
                result.latency(0.99) <= 3)));
            rows.accept(new Row("times that the ACK timer fired, and packets lost three times", "not more", joined(results, result ->
                result.counter(NicCounter.ACK_TIMEOUT) + " and " + result.arrivals().lostAtLeast(3)), results.stream().allMatch(result ->
                result.counter(NicCounter.ACK_TIMEOUT) <= result.arrivals().lostAtLeast(3))));
        }
    }

    /** Each loss costs a round trip, so that one run tells little. */
    static double keptToGoBackN(Operation operation) {
        return IntStream.rangeClosed(1, GO_BACK_N_RUNS).mapToDouble(seed -> kept(PathTable::near, faults -> faults.loss(0.01),
            List.of(operation), plan -> plan.toGoBackN(true).seed(seed)).get(0)).average().orElseThrow();
    }

    private static void goBackN(Consumer<Row> rows) {
        List<Double> ours = OPERATIONS.stream().map(PathTable::keptToGoBackN).toList();
        double kernels = alone(GoBackNSender::new, near().loss(0.01), 1000) / alone(GoBackNSender::new, near(), 1000);
        rows.accept(atLeast("W, S, R of lossless to a go-back-N receiver over " + path(near()) + ", loss 1 % each way", 0.60, ours));
        rows.accept(new Row("the same between two go-back-N ends (model of rdma_rxe)", "a third of it", percent(kernels),
            ours.stream().allMatch(share -> share >= 3 * kernels)));
    }

    /** The share of the rate that a flow of another protocol reaches on a path of its own. */
    static double alone(ModelSender.Maker maker, LinkFaults eachWay, int roundTrips) {
        TransferPlan plan = filling(eachWay, Operation.RDMA_WRITE, roundTrips).queuePairs(0, 0);
        Transfer transfer = new Transfer(plan, null);
        Throughput throughput = transfer.beside(maker);
        transfer.run();
        return throughput.bitsPerSecond(20 * plan.roundTripNs(), plan.durationNs) / plan.bitsPerSecond();
    }

    private static void outage(Consumer<Row> rows) {
        long roundTripNs = 2 * far().latencyNs;
        long fromNs = 40 * roundTripNs;
        long untilNs = fromNs + 2_000 * MS;
        List<Double> neededMs = OPERATIONS.stream().map(operation -> {
            TransferResult result = run(filling(far(), operation, 40).timeout(17).outage(fromNs, untilNs - fromNs)
                .duration(untilNs + 2_000 * MS)).succeeded();
            Throughput throughput = result.arrivals().throughput;
            long reachedNs = throughput.reachedNs(0.95 * throughput.bitsPerSecond(fromNs / 2, fromNs), untilNs);
            return reachedNs == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : (reachedNs - untilNs) / 1e6;
        }).toList();
        double goalMs = 3 * roundTripNs / 1e6 + 100;
        rows.accept(new Row("ms to 95 % of the rate before, after 2 s of silence, W, S, R over " + path(far()), "<= " + number(goalMs),
            joined(neededMs, PathTable::number), neededMs.stream().allMatch(ms -> ms <= goalMs)));
    }

    /** Many queue pairs over 100 Mbit/s and 4 ms. */
    static TransferPlan crowd(int senders, int queuePairs, int bufferBytes, Operation operation) {
        return TransferPlan.over(new LinkFaults().latency(2 * MS).bandwidth(100e6).queue(bufferBytes)).queuePairs(senders, queuePairs)
            .messages(operation, Long.MAX_VALUE, 65536).depth(4).duration(4_000 * MS);
    }

    private static void queuePairs(Consumer<Row> rows) {
        for (int[] crowd : new int[][] {{1, 1}, {1, 16}, {1, 64}, {1, 256}, {16, 16}}) {
            for (int bufferBytes : new int[] {40_000, 256_000, 1_000_000}) {
                List<TransferResult> results = List.of(run(crowd(crowd[0], crowd[1], bufferBytes, Operation.RDMA_WRITE)),
                    run(crowd(crowd[0], crowd[1], bufferBytes, Operation.RDMA_READ)));
                rows.accept(new Row(crowd[1] + " queue pairs of " + crowd[0] + " NICs over 100 Mbit/s, 4 ms, buffer of "
                    + bufferBytes / 1000 + " KB, W, R: failed, and share of the rate", "0",
                    joined(results, result -> result.failures().size() + " and " + percent(result.shareAfter(0))),
                    results.stream().allMatch(result -> result.failures().isEmpty())));
            }
        }
    }

    /** NICs with some queue pairs each share 1 Gbit/s between hosts of a room. */
    static Transfer neighbours(int senders, int queuePairs, int bufferBytes, long durationNs) {
        LinkFaults path = new LinkFaults().latency(30_000).bandwidth(1e9).queue(bufferBytes);
        return new Transfer(TransferPlan.over(path).queuePairs(senders, queuePairs).mtu(PathMtu.MTU_1024)
            .messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 65536).depth(queuePairs > 16 ? 4 : 16).duration(durationNs), null);
    }

    /** Two seconds, of which the second counts; goodput is of what MTU 1024 leaves of the line. */
    private static void neighbours(Consumer<Row> rows) {
        for (int bufferBytes : new int[] {40_000, 256_000, 1_000_000}) {
            for (int[] crowd : new int[][] {{1, 1}, {1, 64}, {2, 8}, {8, 8}, {32, 1}}) {
                Transfer transfer = neighbours(crowd[0], crowd[1], bufferBytes, 2_000 * MS);
                Supplier<long[]> completed = transfer.completedFrom(1_000 * MS);
                TransferResult result = transfer.run();
                double goodput = result.arrivals().throughput.bitsPerSecond(250 * MS, 2_000 * MS) / 1e9 * 1106 / 1024;
                double again = (double) result.counter(NicCounter.RETRANSMITTED_PKTS) / result.dataFrames();
                double jain = jainsIndex(completed.get());
                double goal = bufferBytes < 100_000 ? 0.90 : 0.95;
                String figure = String.format(Locale.ROOT, "%s, %s, %.2f, %d us, %d us", percent(goodput), percent(again), jain,
                    transfer.bottleneck().waitNs(0.5) / 1000, transfer.bottleneck().waitNs(0.99) / 1000);
                rows.accept(new Row("W, " + crowd[1] + " queue pairs of " + crowd[0] + " NICs, buffer of " + bufferBytes / 1000
                    + " KB: goodput, retransmitted, Jain's index, wait p50 and p99", ">= " + Math.round(100 * goal)
                    + " %, <= 0.5 %, >= 0.95", figure, goodput >= goal && again <= 0.005 && jain >= 0.95));
            }
        }
    }

    /** Over 1 Gbit/s a packet takes a small part of the time for which packets may wait, over 100 Mbit/s more than that. */
    private static void joins(Consumer<Row> rows) {
        for (int bufferBytes : new int[] {40_000, 80_000, 256_000}) {
            joins("1 Gbit/s, MTU 1024", () -> shared(1e9, bufferBytes).mtu(PathMtu.MTU_1024), rows);
        }
        joins("200 Mbit/s, MTU 4096", () -> shared(200e6, 100_000), rows);
        joins("100 Mbit/s, MTU 4096", () -> shared(100e6, 100_000), rows);
        joins("1 Gbit/s, MTU 4096", () -> shared(1e9, 256_000).messages(Operation.RDMA_READ, Long.MAX_VALUE, 16384), rows);
    }

    /** Data flows in each direction: the acknowledgements or requests of one wait in the queue of the other. */
    private static void bothWays(Consumer<Row> rows) {
        for (double bitsPerSecond : new double[] {100e6, 1e9, 10e9}) {
            for (long us : new long[] {40, 1_000, 10_000}) {
                bothWaysKinds().forEach(kind -> rows.accept(atLeast(kind + " over " + path(path(bitsPerSecond, us * 1_000))
                    + ": share of each direction", 0.85, sharesBothWays(kind, bitsPerSecond, us * 1_000))));
            }
        }
    }

    static Set<String> bothWaysKinds() {
        return BOTH_WAYS.keySet();
    }

    /** Payload that was completed each way in the second second; those of the other way begin a little later. */
    static List<Double> sharesBothWays(String kind, double bitsPerSecond, long roundTripNs) {
        int bufferBytes = (int) Math.max(256_000, bitsPerSecond / 8e9 * roundTripNs);
        LinkFaults eachWay = new LinkFaults().latency(roundTripNs / 2).bandwidth(bitsPerSecond).queue(bufferBytes);
        TransferPlan plan = BOTH_WAYS.get(kind).apply(filling(eachWay, Operation.RDMA_WRITE, 0).queuePairs(1, 16).depth(32))
            .duration(2_000 * MS);
        Transfer transfer = new Transfer(plan, null);
        for (int i = 0; i < 16; i++) {
            int other = 16 + i;
            transfer.posts(other, false);
            transfer.after(37 * MS, () -> transfer.posts(other, true));
        }
        Supplier<long[]> completed = transfer.completedFrom(1_000 * MS);
        transfer.run().succeeded();
        return Arrays.stream(completed.get()).mapToObj(messages -> messages * plan.messageBytes * 8 / bitsPerSecond).toList();
    }

    /** Several NICs are to share a line between hosts of a room. */
    static TransferPlan shared(double bitsPerSecond, int bufferBytes) {
        return TransferPlan.over(new LinkFaults().latency(30_000).bandwidth(bitsPerSecond).queue(bufferBytes)).depth(16)
            .messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 16384);
    }

    /** The least of twelve series of joins, with other times between them. */
    private static void joins(String line, Supplier<TransferPlan> plans, Consumer<Row> rows) {
        for (int senders : new int[] {2, 4, 8}) {
            TransferPlan plan = plans.get();
            double[] jain = IntStream.range(0, 12).mapToDouble(i -> jainAfterJoins(plans.get().queuePairs(senders, 8), 2 * MS * i * i))
                .sorted().toArray();
            rows.accept(new Row((plan.operation == Operation.RDMA_READ ? "R, " : "W, ") + senders + " NICs, each joins those before it, "
                + line + ", buffer of " + plan.there.queueBytes / 1000 + " KB: Jain's index, least and median", ">= 0.95",
                String.format(Locale.ROOT, "%.2f, %.2f", jain[0], jain[6]), jain[0] >= 0.95));
        }
    }

    /** The NICs begin one after the other. Returns Jain's index of the second that begins a second after the last of them. */
    static double jainAfterJoins(TransferPlan plan, long betweenNs) {
        long lastNs = (plan.senders - 1) * betweenNs;
        Transfer transfer = new Transfer(plan.duration(lastNs + 2_000 * MS), null);
        for (int i = plan.queuePairs; i < plan.senders * plan.queuePairs; i++) {
            int queuePair = i;
            transfer.posts(queuePair, false);
            transfer.after(i / plan.queuePairs * betweenNs, () -> transfer.posts(queuePair, true));
        }
        Supplier<long[]> completed = transfer.completedFrom(lastNs + 1_000 * MS);
        transfer.run();
        return jainsIndex(completed.get());
    }

    /** NICs send over 10 Gbit/s through a switch that marks packets from 100 KB on, all beyond 400 KB, and has room for 4 MB. */
    static Transfer marking(int senders, String controller, long durationNs) {
        LinkFaults path = new LinkFaults().latency(25_000).bandwidth(10e9).queue(4 << 20).marks(100_000, MARK_TO_BYTES, 0.1);
        return new Transfer(TransferPlan.over(path).queuePairs(senders, 1).congestion(CongestionOptions.parse(controller))
            .messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 65536).depth(16).duration(durationNs), null);
    }

    /** A short queue and equal shares. What is lost is lost at the beginning, when all send at the rate of the line. */
    private static void marks(Consumer<Row> rows) {
        for (int senders : new int[] {1, 2, 4, 8}) {
            Transfer transfer = marking(senders, "dcqcn", 1_000 * MS);
            Supplier<long[]> completed = transfer.completedFrom(400 * MS);
            TransferResult result = transfer.run();
            double goodput = result.arrivals().throughput.bitsPerSecond(400 * MS, 1_000 * MS) / 10e9 * 4178 / 4096;
            double jain = jainsIndex(completed.get());
            long mostNs = (long) (MARK_TO_BYTES * 8 / 10e9 * 1e9);
            long waitNs = transfer.bottleneck().waitNs(0.9);
            String figure = String.format(Locale.ROOT, "%s, %.2f, %d us, %d", percent(goodput), jain, waitNs / 1000,
                result.counter(NicCounter.RETRANSMITTED_PKTS));
            rows.accept(new Row("W with dcqcn, " + senders + " NICs behind marks from 100 to 400 KB at 10 Gbit/s: goodput, Jain's index,"
                + " wait p90, retransmitted", ">= 95 %, >= 0.95, <= " + mostNs * 5 / 4000 + " us", figure, goodput >= 0.95 && jain >= 0.95
                && waitNs <= mostNs * 5 / 4));
        }
    }

    /** NICs begin together, one message at a time each, through a switch with a buffer of 4 MB. Ideal: all have the same share. */
    private static void incast(Consumer<Row> rows) {
        for (double gbit : new double[] {10, 100}) {
            for (int senders : new int[] {8, 32, 128}) {
                LinkFaults path = new LinkFaults().latency(5_000).bandwidth(gbit * 1e9).queue(4 << 20);
                TransferPlan plan = TransferPlan.over(path).queuePairs(senders, 1).messages(Operation.RDMA_WRITE, 100, 65536).depth(1)
                    .duration(10_000 * MS);
                TransferResult result = run(plan).succeeded();
                double idealNs = plan.roundTripNs() + senders * plan.messageBytes * 8 / gbit * 4178 / 4096;
                double last = result.latency(0.99) * plan.roundTripNs() / idealNs;
                double half = result.latency(0.5) * plan.roundTripNs() / idealNs;
                String figure = String.format(Locale.ROOT, "%.1f (%.1f), %d of %d", last, half,
                    result.counter(NicCounter.RETRANSMITTED_PKTS), result.dataFrames());
                rows.accept(new Row("W of 64 KiB, " + senders + ":1 over " + path(path) + ": completion p99 (p50) of ideal, retransmitted",
                    "<= 2", figure, last <= 2));
            }
        }
    }

    /** As one queue pair of the above, between hosts whose threads do not run for milliseconds. */
    private static void busy(Consumer<Row> rows) {
        for (double gbit : new double[] {1, 10, 40}) {
            for (long us : new long[] {40, 200, 1_000}) {
                busy(gbit, us, rows);
            }
        }
        busy(0.1, 20_000, rows);
    }

    private static void busy(double gbit, long us, Consumer<Row> rows) {
        LinkFaults path = path(gbit * 1e9, us * 1_000);
        long endNs = Math.max(500 * MS, 100_000 * us);
        for (long awayMs : new long[] {1, 4}) {
            List<Double> shares = Stream.of(Operation.RDMA_WRITE, Operation.RDMA_READ)
                .map(operation -> run(filling(path, operation, 1).busy(MS, awayMs * MS).duration(endNs)))
                .map(result -> result.arrivals().throughput.bitsPerSecond(endNs / 3, endNs) / gbit / 1e9).toList();
            rows.accept(new Row("W, R over " + path(path) + ", threads away for up to " + awayMs + " ms", "",
                joined(shares, PathTable::percent), true));
        }
    }

    /** 1 when all have the same share, 1 / n when one of n has all. */
    static double jainsIndex(long[] shares) {
        double sum = Arrays.stream(shares).sum();
        return sum * sum / (shares.length * Arrays.stream(shares).mapToDouble(share -> (double) share * share).sum());
    }

    private static void tcp(Consumer<Row> rows) {
        for (double loss : new double[] {0.01, 0.05}) {
            LinkFaults lossy = path(1e9, MS).loss(loss);
            LinkFaults back = path(1e9, MS);
            TransferPlan plan = new TransferPlan(lossy, back).messages(Operation.RDMA_WRITE, Long.MAX_VALUE, 65536).duration(1_000 * MS);
            double ours = run(plan).succeeded().shareAfter(20);
            double cubic = alone(CubicSender::new, lossy, 1000);
            rows.accept(new Row("W over " + path(back) + ", loss " + percent(loss) + ", and CUBIC instead", "ahead", percent(ours) + " and "
                + percent(cubic), ours > cubic));
        }
        Transfer transfer = new Transfer(filling(path(1e9, MS), Operation.RDMA_WRITE, 3_000), null);
        Throughput cubic = transfer.beside(CubicSender::new);
        TransferResult ours = transfer.run().succeeded();
        rows.accept(new Row("W beside CUBIC on one line of " + path(path(1e9, MS)), "", percent(ours.shareAfter(1_000)) + " and "
            + percent(cubic.bitsPerSecond(1_000 * MS, 3_000 * MS) / 1e9), true));
    }

    private static void print(Set<String> groups, Consumer<String> line) {
        line.accept("| what | goal | reached | |");
        line.accept("|---|--:|--:|---|");
        GROUPS.forEach((name, print) -> {
            if (groups.contains(name)) {
                print.accept(row -> line.accept(row.toString()));
            }
        });
    }

    public static void main(String[] arguments) throws IOException {
        List<String> words = List.of(arguments);
        if (words.size() == 2 && words.get(0).equals("--svg")) {
            Files.writeString(Path.of(words.get(1)), PathCurves.draw());
        } else if (!words.isEmpty() && (words.equals(List.of("all")) || GROUPS.keySet().containsAll(words))) {
            print(words.contains("all") ? GROUPS.keySet() : Set.copyOf(words), System.out::println);
        } else {
            System.err.println("usage: PathTable all | --svg FILE | some of " + GROUPS.keySet());
            System.exit(2);
        }
    }
}
