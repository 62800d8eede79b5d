package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;

/**
 * Keeps a window of messages outstanding from the first device to the second and counts what completes. Posts in
 * chunks with one doorbell and one signaled request each, polls in batches, and never sends more than the peer has
 * receive requests for. When it is over, every slot of memory is compared; atomics are checked by the value they
 * leave.
 */
public final class BandwidthTest {
    /** As much as {@code tools/bench/udp-limit.c} goes through: more would measure the caches. */
    private static final long SLOT_MEMORY_BYTES = 1 << 20;
    private static final long OUTSTANDING_BYTES = 16 << 20;

    private final Device first;
    private final Device second;
    private final PairConfig config;
    private final boolean onEngines;

    private BandwidthTest(Device first, Device second, PairConfig config, boolean onEngines) {
        this.first = first;
        this.second = second;
        this.config = config;
        this.onEngines = onEngines;
    }

    /**
     * The application is the calling thread: it posts, and polls both sides' completion queues.
     *
     * @param config path MTU, queue pairs, seed, and the messages each queue pair may have outstanding.
     */
    public static BandwidthTest polling(Device first, Device second, PairConfig config) {
        return new BandwidthTest(first, second, config, false);
    }

    /**
     * The application runs on the engines' threads, called when something completes: no further thread needs a processor.
     *
     * @param first  has one engine.
     * @param second another device than {@code first}, with one engine.
     * @param config path MTU, queue pairs, seed, and the messages each queue pair may have outstanding.
     */
    public static BandwidthTest onEngines(Device first, Device second, PairConfig config) {
        return new BandwidthTest(first, second, config, true);
    }

    /**
     * Measures one workload on fresh queue pairs.
     *
     * @param warmUpNs   time before the measurement, in nanoseconds.
     * @param durationNs time measured, in nanoseconds.
     * @throws TransferFailure for an error completion, a stall, or wrong data.
     */
    public BandwidthResult run(Workload workload, long warmUpNs, long durationNs) {
        if (!onEngines) {
            try (LoopbackPair pair = LoopbackPair.connect(first, second, config)) {
                return run(pair, workload, warmUpNs, durationNs);
            }
        }
        EngineBandwidth application = new EngineBandwidth(workload);
        try (LoopbackPair pair = application.connect(first, second, config)) {
            return run(pair, workload, application::measure, warmUpNs, durationNs);
        }
    }

    /** Measures one workload, polling, on queue pairs that exist; their number and depth are those of the pair. */
    BandwidthResult run(LoopbackPair pair, Workload workload, long warmUpNs, long durationNs) {
        return run(pair, workload,
            (lanes, receives, warmNs, timeNs) -> new PolledBandwidth(workload, pair, lanes, receives).measure(warmNs, timeNs),
            warmUpNs, durationNs);
    }

    private BandwidthResult run(LoopbackPair pair, Workload workload, Application application, long warmUpNs, long durationNs) {
        int lanes = config.queuePairs();
        int size = workload.sizeBytes();
        int depth = depth(size);
        int chunk = Math.max(1, depth / 4);
        int window = depth / chunk * chunk;
        int slots = (int) Math.max(1, Math.min(window, SLOT_MEMORY_BYTES / ((long) SlotMemory.stride(size) * lanes)));
        try (SlotMemory memory = SlotMemory.allocate(pair, size, lanes, slots)) {
            fillSource(workload, memory);
            LaneReceives[] receives = LaneReceives.of(workload, pair, memory, lanes, window);
            Lane[] all = new Lane[lanes];
            for (int i = 0; i < lanes; i++) {
                all[i] = new Lane(workload, i, pair, memory, window, chunk, onEngines || receives.length == 0 ? null : receives[i]);
            }
            BandwidthResult result = application.measure(all, receives, warmUpNs, durationNs);
            check(workload, memory, all);
            return result;
        }
    }

    private int depth(int sizeBytes) {
        long byBytes = OUTSTANDING_BYTES / Math.max(1, (long) sizeBytes * config.queuePairs());
        return (int) Math.max(1, Math.min(Math.min(config.sendRequests(), config.receiveRequests()), Math.max(4, byBytes)));
    }

    private void fillSource(Workload workload, SlotMemory memory) {
        if (workload.isAtomic()) {
            return;
        }
        RegisteredBuffer source = workload.operation() == Operation.RDMA_READ ? memory.second() : memory.first();
        for (int lane = 0; lane < config.queuePairs(); lane++) {
            for (int slot = 0; slot < memory.slots(); slot++) {
                DataPattern.fill(source.bytes(), memory.offset(lane, slot), workload.sizeBytes(), slotSeed(lane));
            }
        }
    }

    private void check(Workload workload, SlotMemory memory, Lane[] lanes) {
        RegisteredBuffer target = workload.operation() == Operation.RDMA_READ ? memory.first() : memory.second();
        for (int lane = 0; lane < lanes.length; lane++) {
            if (workload.isAtomic()) {
                long value = memory.secondLong(lane, 0);
                if (value != lanes[lane].posted()) {
                    throw new TransferFailure(workload + ", queue pair " + lane + ": " + lanes[lane].posted()
                        + " were done, but the memory holds " + value);
                }
                continue;
            }
            int used = (int) Math.min(memory.slots(), lanes[lane].posted());
            for (int slot = 0; slot < used; slot++) {
                int wrong =
                    DataPattern.mismatch(target.bytes(), memory.offset(lane, slot), workload.sizeBytes(), slotSeed(lane), 0);
                if (wrong >= 0) {
                    throw new TransferFailure(workload + ", queue pair " + lane + ", slot " + slot + ": byte " + wrong
                        + " of the message is not what was sent");
                }
            }
        }
    }

    // The same for all slots of a lane: with a shared receive order a message may land in any of them.
    private long slotSeed(int lane) {
        return DataPattern.mix(config.seed() + lane);
    }

    /** What posts and takes completions while the time is measured. */
    private interface Application {
        BandwidthResult measure(Lane[] lanes, LaneReceives[] receives, long warmUpNs, long durationNs);
    }
}
