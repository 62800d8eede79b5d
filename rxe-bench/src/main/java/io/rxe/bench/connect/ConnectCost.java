package io.rxe.bench.connect;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Measures each work with the verbs and with io.rxe.connect in turn, in short rounds, and prints the medians of the rates and of the ratios
 * of the rounds, with the quartiles of the ratios. What disturbs the machine for a time disturbs both of a round, or few rounds.
 *
 * <pre>
 *   ConnectCost [ADDRESS PEER-ADDRESS UDP-PORT SECONDS]
 * </pre>
 */
public final class ConnectCost {
    private static final int ROUNDS = 25;
    private static final int PROBE = 2000;
    private static final double WARM_UP = 0.2;
    private static final double TOLERANCE = 0.9;
    private static final double NS_PER_SECOND = 1e9;

    private ConnectCost() {
    }

    /** Runs the measurement; see above. Seconds are those of one work, 4 unless given. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 0 && arguments.length != 4) {
            throw new IllegalArgumentException("give no arguments, or ADDRESS PEER-ADDRESS UDP-PORT SECONDS");
        }
        boolean given = arguments.length == 4;
        String here = given ? arguments[0] : "127.0.0.1";
        String there = given ? arguments[1] : "127.0.0.2";
        int udpPort = given ? Integer.parseInt(arguments[2]) : 4791;
        double seconds = given ? Double.parseDouble(arguments[3]) : 4;
        try (RxeNic first = RxeNic.open(RxeNicOptions.defaults(here).withUdpPort(udpPort));
             RxeNic second = RxeNic.open(RxeNicOptions.defaults(there).withUdpPort(udpPort))) {
            System.out.println("work                 bytes    verbs 1/s  connect 1/s  connect / verbs (quartiles)");
            Map<Integer, List<Work>> works = Arrays.stream(Work.values()).collect(Collectors.groupingBy(Work::receives,
                LinkedHashMap::new, Collectors.toList()));
            for (Map.Entry<Integer, List<Work>> entry : works.entrySet()) {
                measureAll(entry.getValue(), first, second, entry.getKey(), seconds);
            }
        }
    }

    private static void measureAll(List<Work> works, RxeNic here, RxeNic there, int receives, double seconds) throws Exception {
        try (Contender verbs = new VerbsContender(here, there, receives);
             Contender connect = new ConnectContender(here, there, receives)) {
            // Else the first works would be measured while Java still compiles what all of them use.
            for (Work work : works) {
                warmUp(work, verbs, connect, seconds);
            }
            for (Work work : works) {
                System.out.println(measure(work, verbs, connect, seconds).line());
            }
        }
    }

    /** The rates of each round, per second. */
    record Rates(Work work, double[] ofVerbs, double[] ofConnect) {
        String line() {
            double[] ratios = new double[ofVerbs.length];
            Arrays.setAll(ratios, round -> ofConnect[round] / ofVerbs[round]);
            double ratio = quartile(ratios, 2);
            String verdict = ratio >= TOLERANCE ? "within 10 %" : quartile(ratios, 3) >= TOLERANCE ? "within noise of 10 %" : "slower";
            return String.format(Locale.ROOT, "%-20s %5d %12.0f %12.0f  %4.2f (%4.2f..%4.2f) %s", work.label(), work.bytes(),
                quartile(ofVerbs, 2), quartile(ofConnect, 2), ratio, quartile(ratios, 1), quartile(ratios, 3), verdict);
        }
    }

    /** A quartile: the first, the second (the median) or the third. */
    private static double quartile(double[] values, int number) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(sorted.length - 1) * number / 4];
    }

    private static Rates measure(Work work, Contender verbs, Contender connect, double seconds) throws Exception {
        Rates rates = new Rates(work, new double[ROUNDS], new double[ROUNDS]);
        int times = warmUp(work, verbs, connect, seconds);
        for (int round = 0; round < ROUNDS; round++) {
            // Each goes first in half of the rounds.
            for (int turn = 0; turn < 2; turn++) {
                if ((round + turn) % 2 == 0) {
                    rates.ofVerbs[round] = rate(work, verbs, times);
                } else {
                    rates.ofConnect[round] = rate(work, connect, times);
                }
            }
        }
        return rates;
    }

    /** Returns how often the verbs do the work in the time of a round. */
    private static int warmUp(Work work, Contender verbs, Contender connect, double seconds) throws Exception {
        int times = PROBE;
        for (Contender contender : new Contender[] {connect, verbs}) {
            times = PROBE;
            long endNs = System.nanoTime() + (long) (seconds * WARM_UP / 2 * NS_PER_SECOND);
            do {
                times = (int) Math.max(PROBE, rate(work, contender, times) * seconds / (2 * ROUNDS));
            } while (System.nanoTime() < endNs);
        }
        return times;
    }

    private static double rate(Work work, Contender contender, int times) throws Exception {
        long beganNs = System.nanoTime();
        contender.run(work, times);
        return times * NS_PER_SECOND / (System.nanoTime() - beganNs);
    }
}
