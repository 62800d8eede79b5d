package io.rxe.bench.connect;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures each work with the verbs and with io.rxe.connect in turn, and prints the medians and their ratio.
 *
 * <pre>
 *   ConnectCost [ADDRESS PEER-ADDRESS UDP-PORT SECONDS]
 * </pre>
 */
public final class ConnectCost {
    private static final int ROUNDS = 7;
    private static final int PROBE = 2000;
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
             RxeNic second = RxeNic.open(RxeNicOptions.defaults(there).withUdpPort(udpPort));
             Contender verbs = new VerbsContender(first, second); Contender connect = new ConnectContender(first, second)) {
            System.out.println("work                 bytes    verbs 1/s  connect 1/s  connect / verbs");
            for (Work work : Work.values()) {
                System.out.println(line(work, rates(work, verbs, connect, seconds)));
            }
        }
    }

    /** Medians per second: of the verbs, and of io.rxe.connect. */
    static double[] rates(Work work, Contender verbs, Contender connect, double seconds) throws Exception {
        rate(work, connect, PROBE);
        double expected = rate(work, verbs, PROBE);
        int times = (int) Math.max(PROBE, expected * seconds / (2 * ROUNDS));
        double[] ofVerbs = new double[ROUNDS];
        double[] ofConnect = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            ofVerbs[round] = rate(work, verbs, times);
            ofConnect[round] = rate(work, connect, times);
        }
        Arrays.sort(ofVerbs);
        Arrays.sort(ofConnect);
        return new double[] {ofVerbs[ROUNDS / 2], ofConnect[ROUNDS / 2]};
    }

    private static double rate(Work work, Contender contender, int times) throws Exception {
        long beganNs = System.nanoTime();
        contender.run(work, times);
        return times * NS_PER_SECOND / (System.nanoTime() - beganNs);
    }

    static String line(Work work, double[] rates) {
        return String.format(Locale.ROOT, "%-20s %5d %12.0f %12.0f %16.2f", work.label(), work.bytes(), rates[0], rates[1],
            rates[1] / rates[0]);
    }
}
