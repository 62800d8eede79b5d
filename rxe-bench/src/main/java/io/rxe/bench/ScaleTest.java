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

/** Many queue pairs on one NIC: what they cost to set up and to keep, and how they share what there is. */
public final class ScaleTest {
    /** Requests outstanding over all queue pairs together: beyond this only memory grows. */
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
    public ScaleTest(Device first, Device second, ScalePlan plan, CounterSource counters) {
        this.first = first;
        this.second = second;
        this.plan = plan;
        this.counters = counters;
    }

    /**
     * Does it all.
     *
     * @param progress told each step before it begins.
     * @throws TransferFailure at the first thing that is not right.
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

    /** One that is busy alone has the same depth however many are idle, so that only their number makes a difference. */
    private PairConfig deep(int queuePairs) {
        return new PairConfig(plan.pathMtu(), queuePairs, plan.depth(), plan.depth(), plan.seed());
    }

    /** Fresh queue pairs each time: what was posted for one test must not meet the next. */
    private BandwidthResult send(PairConfig connected, PairConfig busy, int sizeBytes, Consumer<String> progress) {
        progress.accept("SEND of " + sizeBytes + " bytes over " + busy.queuePairs() + " of " + connected.queuePairs() + " queue pairs");
        try (LoopbackPair pair = LoopbackPair.connect(first, second, connected)) {
            return BandwidthTest.polling(first, second, busy)
                .run(pair, new Workload(Operation.SEND, sizeBytes), plan.durationNs() / 2, plan.durationNs());
        }
    }

    /** Heap and direct memory in use, garbage left out as well as can be. */
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
