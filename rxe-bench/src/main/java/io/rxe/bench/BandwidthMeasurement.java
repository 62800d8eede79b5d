package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a window of messages outstanding from the first device to the second and counts completions. Posts in chunks with one
 * doorbell and one signaled request each, polls in batches, and never sends more than the peer has receive requests for. At the end
 * it compares every slot of memory; for atomics it checks the final value.
 */
public final class BandwidthMeasurement {
    /** The working set of {@code tools/bench/udp-limit.c}: more would measure the caches. */
    private static final long SLOT_MEMORY_BYTES = 1 << 20;
    /** As many as the largest window of a NIC, unless that is configured. */
    private static final long OUTSTANDING_BYTES = 64 << 20;
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Device first;
    private final Device second;
    private final PairConfig config;
    private final Application application;

    /**
     * @param first       has one engine, if the engines run the application.
     * @param second      another device than {@code first}, with as many engines.
     * @param config      path MTU, queue pairs, seed, and the messages each queue pair may have outstanding.
     * @param application {@link Application#CALLER} or {@link Application#ENGINES}.
     */
    public BandwidthMeasurement(Device first, Device second, PairConfig config, Application application) {
        this.first = first;
        this.second = second;
        this.config = config;
        this.application = application;
    }

    /**
     * Measures one workload on fresh queue pairs.
     *
     * @param warmUpNs   time before the measurement, in nanoseconds.
     * @param durationNs time measured, in nanoseconds.
     * @throws TransferFailure for an error completion, a stall, or wrong data.
     */
    public BandwidthResult run(Workload workload, long warmUpNs, long durationNs) {
        ApplicationRun run = new ApplicationRun(application, workload, STALL_NS);
        BandwidthSender sending = new BandwidthSender(workload, run);
        BandwidthReceiver receiving = new BandwidthReceiver(workload);
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config, run.channel(sending), run.channel(receiving))) {
            return measure(pair, workload, run, sending, receiving, warmUpNs, durationNs);
        }
    }

    private BandwidthResult measure(LoopbackPair pair, Workload workload, ApplicationRun run, BandwidthSender sending,
                                    BandwidthReceiver receiving, long warmUpNs, long durationNs) {
        int queuePairs = config.queuePairs();
        int size = workload.sizeBytes();
        int depth = depth(size);
        int chunk = Math.max(1, depth / 4);
        int window = depth / chunk * chunk;
        int slots = (int) Math.max(1, Math.min(window, SLOT_MEMORY_BYTES / ((long) SlotMemory.stride(size) * queuePairs)));
        // An engine posts receives again before it acknowledges; a thread that polls may be late, so the window waits for both.
        boolean awaitsReceives = application == Application.CALLER && workload.takesReceive();
        try (SlotMemory memory = SlotMemory.allocate(pair, size, queuePairs, slots)) {
            fillSource(workload, memory);
            QueuePairReceiver[] receivers = QueuePairReceiver.of(workload, pair, memory, queuePairs, window);
            QueuePairSender[] senders = new QueuePairSender[queuePairs];
            for (int i = 0; i < queuePairs; i++) {
                senders[i] = new QueuePairSender(workload, i, pair, memory, window, chunk, awaitsReceives ? receivers[i] : null);
            }
            SenderQueue due = new SenderQueue(senders);
            sending.attach(pair.first(), senders, due);
            receiving.attach(pair.second(), receivers, senders, awaitsReceives ? due : null);
            run.await(sending, receiving, () -> sending.begin(warmUpNs, durationNs), warmUpNs + durationNs);
            check(workload, memory, senders);
            return sending.result();
        }
    }

    private int depth(int sizeBytes) {
        long byBytes = OUTSTANDING_BYTES / Math.max(1, (long) sizeBytes * config.queuePairs());
        return (int) Math.max(1, Math.min(config.depth(), Math.max(4, byBytes)));
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
                int wrong = DataPattern.mismatch(target.bytes(), memory.offset(index, slot), workload.sizeBytes(), slotSeed(index), 0);
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
}
