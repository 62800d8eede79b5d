package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Many queue pairs on one NIC: set-up time, memory, and how fairly they share bandwidth and message rate. */
public final class ScaleMeasurement {
    /** Limit of outstanding requests over all queue pairs: beyond it only memory grows. */
    private static final int TOTAL_REQUESTS = 65_536;
    private static final int LEAST_DEPTH = 4;
    private static final int WARM_UP_QUEUE_PAIRS = 64;
    private static final int COLLECTIONS = 3;

    private final Device first;
    private final Device second;
    private final ScalePlan plan;
    private final CounterSource counters;

    /**
     * @param first    the side that sends.
     * @param second   the other.
     * @param counters read before and after.
     */
    public ScaleMeasurement(Device first, Device second, ScalePlan plan, CounterSource counters) {
        this.first = first;
        this.second = second;
        this.plan = plan;
        this.counters = counters;
    }

    /**
     * Measures every number of queue pairs.
     *
     * @param progress receives the name of each step before it starts.
     * @throws TransferFailure at the first error.
     */
    public ScaleReport run(MachineInfo machine, Consumer<String> progress) {
        Map<String, Long> before = counters.read();
        progress.accept("warm up");
        measure(WARM_UP_QUEUE_PAIRS, progress);
        List<ScaleRow> rows = new ArrayList<>();
        for (int queuePairs : plan.queuePairs()) {
            rows.add(measure(queuePairs, progress));
        }
        Map<String, Long> counted = new LinkedHashMap<>();
        counters.read().forEach((name, count) -> counted.put(name, count - before.getOrDefault(name, 0L)));
        return new ScaleReport(plan, machine, rows, counted);
    }

    private ScaleRow measure(int queuePairs, Consumer<String> progress) {
        int depth = Math.max(LEAST_DEPTH, Math.min(plan.depth(), TOTAL_REQUESTS / queuePairs));
        PairConfig config = new PairConfig(plan.pathMtu(), queuePairs, depth, depth, plan.seed());
        progress.accept("set up " + queuePairs + " queue pairs");
        long emptyBytes = usedBytes();
        long startNs = System.nanoTime();
        long setUpNs;
        long bytesEach;
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config)) {
            setUpNs = System.nanoTime() - startNs;
            // Both sides are in this process.
            bytesEach = Math.max(0, usedBytes() - emptyBytes) / (2L * pair.config().queuePairs());
        }
        return new ScaleRow(queuePairs, setUpNs, bytesEach, send(config, config, plan.largeBytes(), progress),
            send(config, config, plan.smallBytes(), progress),
            send(deep(queuePairs), deep(1), plan.smallBytes(), progress));
    }

    /** The depth of a single busy queue pair does not depend on the number of idle ones, so that only their number matters. */
    private PairConfig deep(int queuePairs) {
        return new PairConfig(plan.pathMtu(), queuePairs, plan.depth(), plan.depth(), plan.seed());
    }

    /** Uses fresh queue pairs, so that receives left posted by one test do not take messages of the next. */
    private BandwidthResult send(PairConfig connected, PairConfig busy, int sizeBytes, Consumer<String> progress) {
        progress.accept("SEND of " + sizeBytes + " bytes over " + busy.queuePairs() + " of " + connected.queuePairs() + " queue pairs");
        try (LoopbackPair pair = LoopbackPair.connect(first, second, connected)) {
            return BandwidthMeasurement.polling(first, second, busy)
                .run(pair, new Workload(Operation.SEND, sizeBytes), plan.durationNs() / 2, plan.durationNs());
        }
    }

    /** Heap and direct memory in use, after garbage collection. */
    private static long usedBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        long bytes = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if ("direct".equals(pool.getName())) {
                bytes += pool.getMemoryUsed();
            }
        }
        return bytes;
    }
}
