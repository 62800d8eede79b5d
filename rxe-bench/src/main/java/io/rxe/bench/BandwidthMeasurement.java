package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;

/**
 * Keeps a window of messages outstanding from the first device to the second and counts completions. Posts in chunks with one
 * doorbell and one signaled request each, polls in batches, and never sends more than the peer has receive requests for. At the end
 * it compares every slot of memory; for atomics it checks the final value.
 */
public final class BandwidthMeasurement {
    /** The working set of {@code tools/bench/udp-limit.c}: more would measure the caches. */
    private static final long SLOT_MEMORY_BYTES = 1 << 20;
    private static final long OUTSTANDING_BYTES = 16 << 20;

    private final Device first;
    private final Device second;
    private final PairConfig config;
    private final boolean onEngines;

    private BandwidthMeasurement(Device first, Device second, PairConfig config, boolean onEngines) {
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
    public static BandwidthMeasurement polling(Device first, Device second, PairConfig config) {
        return new BandwidthMeasurement(first, second, config, false);
    }

    /**
     * The application runs on the engines' threads, which call it for each batch of completions: no further thread needs a CPU.
     *
     * @param first  has one engine.
     * @param second another device than {@code first}, with one engine.
     * @param config path MTU, queue pairs, seed, and the messages each queue pair may have outstanding.
     */
    public static BandwidthMeasurement onEngines(Device first, Device second, PairConfig config) {
        return new BandwidthMeasurement(first, second, config, true);
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

    /** Measures one workload on existing queue pairs, polling. Number and depth must be those of this measurement's configuration. */
    BandwidthResult run(LoopbackPair pair, Workload workload, long warmUpNs, long durationNs) {
        return run(pair, workload,
            (senders, receivers, warmNs, timeNs) -> new PolledBandwidth(workload, pair, senders, receivers).measure(warmNs, timeNs),
            warmUpNs, durationNs);
    }

    private BandwidthResult run(LoopbackPair pair, Workload workload, Application application, long warmUpNs, long durationNs) {
        int queuePairs = config.queuePairs();
        int size = workload.sizeBytes();
        int depth = depth(size);
        int chunk = Math.max(1, depth / 4);
        int window = depth / chunk * chunk;
        int slots = (int) Math.max(1, Math.min(window, SLOT_MEMORY_BYTES / ((long) SlotMemory.stride(size) * queuePairs)));
        try (SlotMemory memory = SlotMemory.allocate(pair, size, queuePairs, slots)) {
            fillSource(workload, memory);
            QueuePairReceiver[] receivers = QueuePairReceiver.of(workload, pair, memory, queuePairs, window);
            QueuePairSender[] senders = new QueuePairSender[queuePairs];
            for (int i = 0; i < queuePairs; i++) {
                senders[i] = new QueuePairSender(workload, i, pair, memory, window, chunk, onEngines || receivers.length == 0 ? null
                    : receivers[i]);
            }
            BandwidthResult result = application.measure(senders, receivers, warmUpNs, durationNs);
            check(workload, memory, senders);
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
        for (int index = 0; index < config.queuePairs(); index++) {
            for (int slot = 0; slot < memory.slots(); slot++) {
                DataPattern.fill(source.bytes(), memory.offset(index, slot), workload.sizeBytes(), slotSeed(index));
            }
        }
    }

    private void check(Workload workload, SlotMemory memory, QueuePairSender[] senders) {
        RegisteredBuffer target = workload.operation() == Operation.RDMA_READ ? memory.first() : memory.second();
        for (int index = 0; index < senders.length; index++) {
            if (workload.isAtomic()) {
                long value = memory.secondLong(index, 0);
                if (value != senders[index].posted()) {
                    throw new TransferFailure(workload + ", queue pair " + index + ": " + senders[index].posted()
                        + " were done, but the memory holds " + value);
                }
                continue;
            }
            int used = (int) Math.min(memory.slots(), senders[index].posted());
            for (int slot = 0; slot < used; slot++) {
                int wrong =
                    DataPattern.mismatch(target.bytes(), memory.offset(index, slot), workload.sizeBytes(), slotSeed(index), 0);
                if (wrong >= 0) {
                    throw new TransferFailure(workload + ", queue pair " + index + ", slot " + slot + ": byte " + wrong
                        + " of the message is not what was sent");
                }
            }
        }
    }

    // The same for all slots of a queue pair: a message lands in whichever slot the next receive request names.
    private long slotSeed(int index) {
        return DataPattern.mix(config.seed() + index);
    }

    /** Posts requests and polls completions during the measurement. */
    private interface Application {
        BandwidthResult measure(QueuePairSender[] senders, QueuePairReceiver[] receivers, long warmUpNs, long durationNs);
    }
}
