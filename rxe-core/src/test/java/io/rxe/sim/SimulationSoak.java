package io.rxe.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs fresh seeds for a given time, or a range of seeds, and prints each failure.
 *
 * <pre>
 *   tools/soak MINUTES [FIRST_SEED]
 *   tools/soak --seeds FIRST COUNT
 * </pre>
 *
 * <p>The system property {@code rxe.sim.features} replaces the features that a seed draws (see {@link Feature}).
 *
 * <p>Exit status: 0 when all seeds passed, 1 when a seed failed, 2 for wrong arguments.
 */
public final class SimulationSoak {
    private static final int MAX_FAILURES = 10;

    private final List<Long> failed = new ArrayList<>();
    private long runs;

    private SimulationSoak() {
    }

    public static void main(String[] arguments) {
        SimulationSoak soak = new SimulationSoak();
        if (arguments.length == 3 && arguments[0].equals("--seeds")) {
            soak.range(Long.parseLong(arguments[1]), Long.parseLong(arguments[2]));
        } else if (arguments.length == 1 || arguments.length == 2) {
            long first = arguments.length == 2 ? Long.parseLong(arguments[1]) : System.nanoTime() & 0x7fff_ffff_ffffL;
            soak.forMinutes(Double.parseDouble(arguments[0]), first);
        } else {
            System.err.println("usage: SimulationSoak MINUTES [FIRST_SEED] | --seeds FIRST COUNT");
            System.exit(2);
        }
        System.out.println(soak.runs + " runs, " + soak.failed.size() + " failed" + (soak.failed.isEmpty() ? "" : ": " + soak.failed));
        System.exit(soak.failed.isEmpty() ? 0 : 1);
    }

    private void range(long first, long count) {
        for (long seed = first; seed < first + count && failed.size() < MAX_FAILURES; seed++) {
            one(seed);
        }
    }

    private void forMinutes(double minutes, long first) {
        System.out.println("soak for " + minutes + " minutes from seed " + first);
        long endNs = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
        long reportNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        for (long seed = first; System.nanoTime() < endNs && failed.size() < MAX_FAILURES; seed++) {
            one(seed);
            if (System.nanoTime() >= reportNs) {
                System.out.println(runs + " runs, " + failed.size() + " failed, at seed " + seed);
                reportNs += TimeUnit.MINUTES.toNanos(1);
            }
        }
    }

    private void one(long seed) {
        runs++;
        try {
            SeedRunner.run(seed, Feature.Mix.SOAK);
        } catch (SimulationFailure failure) {
            failed.add(seed);
            System.out.println(failure.getMessage());
            if (!(failure.getCause() instanceof SimulationFailure)) {
                failure.getCause().printStackTrace(System.out);
            }
        }
    }
}
