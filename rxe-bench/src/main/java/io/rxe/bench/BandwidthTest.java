package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a window of messages outstanding from the first device to the second and counts what completes. Posts in
 * chunks with one doorbell and one signaled request each, polls in batches, and never sends more than the peer has
 * receive requests for. When it is over, every slot of memory is compared; atomics are checked by the value they
 * leave.
 */
public final class BandwidthTest {
    private static final long SLOT_MEMORY_BYTES = 4 << 20;
    private static final long OUTSTANDING_BYTES = 16 << 20;
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Device first;
    private final Device second;
    private final PairConfig config;

    /**
     * @param config path MTU, queue pairs, seed, and the messages each queue pair may have outstanding.
     */
    public BandwidthTest(final Device first, final Device second, final PairConfig config) {
        this.first = first;
        this.second = second;
        this.config = config;
    }

    /**
     * Measures one workload on fresh queue pairs.
     *
     * @param warmUpNs   time before the measurement, in nanoseconds.
     * @param durationNs time measured, in nanoseconds.
     * @throws TransferFailure for an error completion, a stall, or wrong data.
     */
    public BandwidthResult run(final Workload workload, final long warmUpNs, final long durationNs) {
        final int lanes = config.queuePairs();
        final int size = workload.sizeBytes();
        final int depth = depth(size);
        final int chunk = Math.max(1, depth / 4);
        final int window = depth / chunk * chunk;
        final int slots = (int) Math.max(1, Math.min(window, SLOT_MEMORY_BYTES / ((long) SlotMemory.stride(size) * lanes)));
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config);
            SlotMemory memory = SlotMemory.allocate(pair, size, lanes, slots)) {
            fillSource(workload, memory);
            final Lane[] all = new Lane[lanes];
            for (int i = 0; i < lanes; i++) {
                all[i] = new Lane(workload, i, pair, memory, slots, window, chunk);
            }
            final BandwidthResult result = measure(workload, pair, all, warmUpNs, durationNs);
            check(workload, memory, all);
            return result;
        }
    }

    private int depth(final int sizeBytes) {
        final long byBytes = OUTSTANDING_BYTES / Math.max(1, (long) sizeBytes * config.queuePairs());
        return (int) Math.max(1, Math.min(Math.min(config.sendRequests(), config.receiveRequests()), Math.max(4, byBytes)));
    }

    private static BandwidthResult measure(final Workload workload, final LoopbackPair pair, final Lane[] lanes,
                                           final long warmUpNs, final long durationNs) {
        final StallWatch watch = new StallWatch(STALL_NS, () -> "completions of " + workload);
        final long startNs = System.nanoTime();
        long beginNs = 0;
        long endNs = 0;
        long beginCount = 0;
        long endCount = 0;
        while (true) {
            final long nowNs = System.nanoTime();
            if (beginNs == 0 && nowNs - startNs >= warmUpNs) {
                beginNs = nowNs;
                beginCount = completed(lanes);
            } else if (beginNs != 0 && endNs == 0 && nowNs - beginNs >= durationNs) {
                endNs = nowNs;
                endCount = completed(lanes);
            }
            int work = drain(workload, pair, lanes);
            for (final Lane lane : lanes) {
                work += lane.fill(endNs == 0);
            }
            if (endNs != 0 && isIdle(lanes)) {
                final long messages = endCount - beginCount;
                return new BandwidthResult(messages, messages * workload.sizeBytes(), endNs - beginNs);
            }
            if (work == 0) {
                watch.idle();
            } else {
                watch.progress();
            }
        }
    }

    private static int drain(final Workload workload, final LoopbackPair pair, final Lane[] lanes) {
        final CompletionReader sends = pair.first().sends();
        final int sent = sends.poll();
        for (int i = 0; i < sent; i++) {
            lanes[(int) sends.at(i).workRequestId()].onSent();
        }
        if (!workload.takesReceive()) {
            return sent;
        }
        final CompletionReader receives = pair.second().receives();
        final int received = receives.poll();
        for (int i = 0; i < received; i++) {
            final long id = receives.at(i).workRequestId();
            if (receives.at(i).byteLength() != workload.sizeBytes()) {
                throw new TransferFailure(workload + ": a message of " + receives.at(i).byteLength() + " bytes arrived");
            }
            lanes[(int) (id >>> Integer.SIZE)].onReceived((int) id);
        }
        return sent + received;
    }

    private static long completed(final Lane[] lanes) {
        long sum = 0;
        for (final Lane lane : lanes) {
            sum += lane.completed();
        }
        return sum;
    }

    private static boolean isIdle(final Lane[] lanes) {
        for (final Lane lane : lanes) {
            if (!lane.isIdle()) {
                return false;
            }
        }
        return true;
    }

    private void fillSource(final Workload workload, final SlotMemory memory) {
        if (workload.isAtomic()) {
            return;
        }
        final RegisteredBuffer source = workload.operation() == Operation.RDMA_READ ? memory.second() : memory.first();
        for (int lane = 0; lane < config.queuePairs(); lane++) {
            for (int slot = 0; slot < memory.slots(); slot++) {
                DataPattern.fill(source.bytes(), memory.offset(lane, slot), workload.sizeBytes(), slotSeed(lane));
            }
        }
    }

    private void check(final Workload workload, final SlotMemory memory, final Lane[] lanes) {
        final RegisteredBuffer target = workload.operation() == Operation.RDMA_READ ? memory.first() : memory.second();
        for (int lane = 0; lane < lanes.length; lane++) {
            if (workload.isAtomic()) {
                final long value = memory.secondLong(lane, 0);
                if (value != lanes[lane].posted()) {
                    throw new TransferFailure(workload + ", queue pair " + lane + ": " + lanes[lane].posted()
                        + " were done, but the memory holds " + value);
                }
                continue;
            }
            final int used = (int) Math.min(memory.slots(), lanes[lane].posted());
            for (int slot = 0; slot < used; slot++) {
                final int wrong =
                    DataPattern.mismatch(target.bytes(), memory.offset(lane, slot), workload.sizeBytes(), slotSeed(lane), 0);
                if (wrong >= 0) {
                    throw new TransferFailure(workload + ", queue pair " + lane + ", slot " + slot + ": byte " + wrong
                        + " of the message is not what was sent");
                }
            }
        }
    }

    // The same for all slots of a lane: with a shared receive order a message may land in any of them.
    private long slotSeed(final int lane) {
        return DataPattern.mix(config.seed() + lane);
    }
}
