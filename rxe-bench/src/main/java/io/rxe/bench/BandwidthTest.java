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
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config)) {
            return run(pair, workload, warmUpNs, durationNs);
        }
    }

    /** Measures one workload on queue pairs that exist; their number and depth are those of the pair. */
    BandwidthResult run(final LoopbackPair pair, final Workload workload, final long warmUpNs, final long durationNs) {
        final int lanes = config.queuePairs();
        final int size = workload.sizeBytes();
        final int depth = depth(size);
        final int chunk = Math.max(1, depth / 4);
        final int window = depth / chunk * chunk;
        final int slots = (int) Math.max(1, Math.min(window, SLOT_MEMORY_BYTES / ((long) SlotMemory.stride(size) * lanes)));
        try (SlotMemory memory = SlotMemory.allocate(pair, size, lanes, slots)) {
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
        final LaneQueue due = new LaneQueue(lanes);
        final long startNs = System.nanoTime();
        long beginNs = 0;
        long endNs = 0;
        while (true) {
            final long nowNs = System.nanoTime();
            if (beginNs == 0 && nowNs - startNs >= warmUpNs) {
                beginNs = nowNs;
                for (final Lane lane : lanes) {
                    lane.markBegin();
                }
            } else if (beginNs != 0 && endNs == 0 && nowNs - beginNs >= durationNs) {
                endNs = nowNs;
                for (final Lane lane : lanes) {
                    lane.markEnd();
                }
            }
            final int work = drain(workload, pair, lanes, due) + due.fill(endNs == 0);
            if (work > 0) {
                watch.progress();
            } else if (endNs != 0 && isIdle(lanes)) {
                return result(workload, lanes, endNs - beginNs);
            } else {
                watch.idle();
            }
        }
    }

    private static BandwidthResult result(final Workload workload, final Lane[] lanes, final long elapsedNs) {
        long messages = 0;
        double squares = 0;
        for (final Lane lane : lanes) {
            messages += lane.measured();
            squares += (double) lane.measured() * lane.measured();
        }
        final double fairness = squares == 0 ? 1 : (double) messages * messages / (lanes.length * squares);
        return new BandwidthResult(messages, messages * workload.sizeBytes(), elapsedNs, fairness);
    }

    private static int drain(final Workload workload, final LoopbackPair pair, final Lane[] lanes, final LaneQueue due) {
        final CompletionReader sends = pair.first().sends();
        final int sent = sends.poll();
        for (int i = 0; i < sent; i++) {
            final Lane lane = lanes[(int) sends.at(i).workRequestId()];
            lane.onSent();
            due.add(lane);
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
            final Lane lane = lanes[(int) (id >>> Integer.SIZE)];
            lane.onReceived((int) id);
            due.add(lane);
        }
        return sent + received;
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
