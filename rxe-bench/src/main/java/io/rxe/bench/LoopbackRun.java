package io.rxe.bench;

import io.rxe.verbs.Device;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Verifies two devices against each other, then measures them. */
public final class LoopbackRun {
    private static final long SHORTEST_WARM_UP_NS = 50_000_000L;
    private static final int WARM_UP_SHARE = 8;
    /** Limit of all warm-ups together, as a multiple of the measured time; at most {@link #LONGEST_WARM_UP_NS}. */
    private static final long WARM_UP_TIMES = 10;
    private static final long LONGEST_WARM_UP_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int VERIFY_REQUESTS = 16;

    private final Device first;
    private final Device second;
    private final LoopbackPlan plan;
    private final Supplier<Map<String, Long>> counters;

    /**
     * @param first    the side that sends in bandwidth tests.
     * @param second   the other.
     * @param counters of the NICs by name, in the order to print; read before and after.
     */
    public LoopbackRun(Device first, Device second, LoopbackPlan plan, Supplier<Map<String, Long>> counters) {
        this.first = first;
        this.second = second;
        this.plan = plan;
        this.counters = counters;
    }

    /**
     * Verifies and measures.
     *
     * @param progress receives the name of each step before it starts.
     * @throws TransferFailure at the first error.
     */
    public LoopbackReport run(MachineInfo machine, Consumer<String> progress) {
        Map<String, Long> before = counters.get();
        VerifyReport verified = verify(progress);
        List<MeasuredRow> rows = plan.verifyOnly() ? List.of() : measure(progress);
        Map<String, Long> counted = new LinkedHashMap<>();
        counters.get().forEach((name, count) -> counted.put(name, count - before.getOrDefault(name, 0L)));
        return new LoopbackReport(plan, machine, verified, rows, counted);
    }

    private VerifyReport verify(Consumer<String> progress) {
        PairConfig config = new PairConfig(plan.pathMtu(), plan.queuePairs(), VERIFY_REQUESTS, plan.seed());
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config)) {
            return new VerifyPass(pair, plan.operations(), plan.verifySizes(), plan.seed()).run(progress);
        }
    }

    private List<MeasuredRow> measure(Consumer<String> progress) {
        PairConfig config = new PairConfig(plan.pathMtu(), plan.queuePairs(), plan.depth(), plan.seed());
        BandwidthMeasurement bandwidth = new BandwidthMeasurement(first, second, config, plan.application());
        LatencyMeasurement latency = new LatencyMeasurement(first, second, config, plan.tripsApplication(), LatencyMeasurement.STALL_NS);
        long shareNs = Math.max(SHORTEST_WARM_UP_NS, plan.durationNs() / WARM_UP_SHARE);
        List<Workload> workloads = Workload.of(plan.operations(), plan.measureSizes());
        long warmUpNs = Math.min(LONGEST_WARM_UP_NS, WARM_UP_TIMES * workloads.size() * plan.durationNs());
        JitWarmUp warmUp = JitWarmUp.ofProcess(warmUpNs);
        long eachNs = 2 * shareNs + plan.durationNs() * 3 / 2;
        long startNs = System.nanoTime();
        List<MeasuredRow> rows = new ArrayList<>();
        for (Workload workload : workloads) {
            long leftNs = (workloads.size() - rows.size()) * eachNs + (rows.isEmpty() ? warmUpNs : 0);
            progress.accept((rows.size() + 1) + " of " + workloads.size() + ", some " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()
                - startNs + leftNs) + " s in all: measure " + workload);
            warmUp.repeat(() -> {
                bandwidth.run(workload, 0, shareNs);
                latency.run(workload, 0, shareNs);
            });
            rows.add(new MeasuredRow(workload, warmUp.measure(() -> bandwidth.run(workload, shareNs, plan.durationNs())),
                warmUp.measure(() -> latency.run(workload, shareNs, Math.max(1, plan.durationNs() / 2)))));
        }
        return rows;
    }
}
