package io.rxe.bench;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The cost of showing counters to other processes: the rate of small messages between two NICs whose counters lie in the mapped file,
 * with a record for each queue pair, against two NICs with private counters. Both kinds run in one process and alternate, so that
 * other load on the machine slows both alike:
 *
 * <pre>
 *   with  without   without  with   with  without ...
 * </pre>
 */
public final class CounterCost {
    private static final long WARM_UP_NS = 2_000_000_000L;
    private static final long SETTLE_NS = 100_000_000L;
    private static final int DEPTH = 64;

    private final RxeNicOptions options;
    private final int sizeBytes;
    private final int rounds;
    private final long durationNs;

    /**
     * @param options    of the first NIC; the second is on 127.0.0.2.
     * @param sizeBytes  of a message.
     * @param rounds     measurements of each kind.
     * @param durationNs of one measurement.
     */
    public CounterCost(RxeNicOptions options, int sizeBytes, int rounds, long durationNs) {
        this.options = options;
        this.sizeBytes = sizeBytes;
        this.rounds = rounds;
        this.durationNs = durationNs;
    }

    /**
     * The two rates of one round.
     *
     * @param with    messages each second with counters in the file.
     * @param without messages each second without.
     */
    public record Round(double with, double without) {
    }

    /** Measures, and reports the end of each round to {@code progress}. */
    public List<Round> run(Consumer<String> progress) throws IOException {
        List<Round> measured = new ArrayList<>();
        measure(true, WARM_UP_NS);
        measure(false, WARM_UP_NS);
        for (int round = 0; round < rounds; round++) {
            boolean first = round % 2 == 0;
            double one = measure(first, durationNs);
            double other = measure(!first, durationNs);
            measured.add(first ? new Round(one, other) : new Round(other, one));
            progress.accept("round " + (round + 1) + " of " + rounds);
        }
        return measured;
    }

    private double measure(boolean counterFile, long lengthNs) throws IOException {
        RxeNicOptions chosen = options.withCounterFile(counterFile);
        try (RxeNic first = RxeNic.open(chosen); RxeNic second = RxeNic.open(chosen.withAddress("127.0.0.2"))) {
            PairConfig config = new PairConfig(PathMtu.MTU_4096, 1, DEPTH, DEPTH, 1);
            return BandwidthMeasurement.onEngines(first.device(), second.device(), config).run(new Workload(Operation.SEND, sizeBytes),
                SETTLE_NS, lengthNs).messagesPerSecond();
        }
    }

    /** The rates and their medians; the cost is the median of the rounds' costs. */
    public static String toText(List<Round> rounds, int sizeBytes, String machine) {
        StringBuilder text = new StringBuilder(512);
        text.append(String.format(Locale.ROOT, "SEND of %d bytes, messages/s: with counters in the mapped file and without%n", sizeBytes));
        text.append(String.format(Locale.ROOT, "%6s %12s %12s %8s%n", "round", "with", "without", "cost"));
        for (int i = 0; i < rounds.size(); i++) {
            line(text, Integer.toString(i + 1), rounds.get(i).with(), rounds.get(i).without(), cost(rounds.get(i)));
        }
        line(text, "median", median(rounds.stream().mapToDouble(Round::with).toArray()),
            median(rounds.stream().mapToDouble(Round::without).toArray()), medianCost(rounds));
        return text.append(machine).append('\n').toString().replace(System.lineSeparator(), "\n");
    }

    private static void line(StringBuilder text, String name, double with, double without, double cost) {
        text.append(String.format(Locale.ROOT, "%6s %,12.0f %,12.0f %7.2f%%%n", name, with, without, 100 * cost));
    }

    private static double cost(Round round) {
        return 1 - round.with() / round.without();
    }

    /** Lost share of the rate; may be below 0 if the noise exceeds the cost. */
    public static double medianCost(List<Round> rounds) {
        return median(rounds.stream().mapToDouble(CounterCost::cost).toArray());
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
