package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, one at a time. Operations that take a receive request are answered with a message of the same size
 * (ping-pong). The others are timed from the post to the completion, which is a round trip on the wire as well.
 */
public final class LatencyMeasurement {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Device first;
    private final Device second;
    private final PairConfig config;
    private final long stallNs;

    /** @param config path MTU and seed; its number of queue pairs is ignored, one is used. */
    public LatencyMeasurement(Device first, Device second, PairConfig config) {
        this(first, second, config, STALL_NS);
    }

    /**
     * @param first   may be the same device as {@code second}, which then sends to itself.
     * @param config  path MTU and seed; its number of queue pairs is ignored, one is used.
     * @param stallNs longest wait for a completion, in nanoseconds.
     */
    public LatencyMeasurement(Device first, Device second, PairConfig config, long stallNs) {
        this.first = first;
        this.second = second;
        this.stallNs = stallNs;
        this.config = LatencyQueues.pair(config);
    }

    /**
     * Measures one workload on a fresh queue pair.
     *
     * @param warmUpNs   time before the measurement, in nanoseconds.
     * @param durationNs time measured, in nanoseconds.
     * @return round trips in nanoseconds.
     * @throws TransferFailure for an error completion or a stall.
     */
    public Histogram run(Workload workload, long warmUpNs, long durationNs) {
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config);
            SlotMemory memory = SlotMemory.allocate(pair, workload.sizeBytes(), 1, 2)) {
            RoundTrip trip = new RoundTrip(workload, pair, memory, stallNs);
            Histogram histogram = new Histogram(1, LONGEST_NS, 3);
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < warmUpNs) {
                trip.once();
            }
            long measureStartNs = System.nanoTime();
            do {
                histogram.recordValue(Math.min(trip.once(), LONGEST_NS));
            } while (System.nanoTime() - measureStartNs < durationNs);
            return histogram;
        }
    }

    /** The requests of one workload, and one round trip. */
    private static final class RoundTrip {
        private final Workload workload;
        private final LoopbackSide here;
        private final LoopbackSide there;
        private final WorkRequest forth;
        private final WorkRequest back;
        private final ReceiveRequest receiveHere;
        private final ReceiveRequest receiveThere;
        private final StallWatch watch;
        private int sent;

        RoundTrip(Workload workload, LoopbackPair pair, SlotMemory memory, long stallNs) {
            this.workload = workload;
            here = pair.first();
            there = pair.second();
            watch = new StallWatch(stallNs, () -> "completions of " + workload);
            forth = workload.request(memory.first(), 0, memory.second(), memory.strideBytes(), 0);
            back = workload.request(memory.second(), 0, memory.first(), memory.strideBytes(), 0);
            receiveHere = workload.receive(memory.first(), memory.strideBytes());
            receiveThere = workload.receive(memory.second(), memory.strideBytes());
            if (workload.takesReceive()) {
                LatencyQueues.postReceives(here, receiveHere);
                LatencyQueues.postReceives(there, receiveThere);
            }
        }

        /** Makes one round trip and leaves nothing outstanding. Returns its time in nanoseconds. */
        long once() {
            long startNs = System.nanoTime();
            sent = 0;
            post(here, forth);
            if (!workload.takesReceive()) {
                awaitSent(1);
                return System.nanoTime() - startNs;
            }
            awaitReceived(there);
            post(there, back);
            awaitReceived(here);
            long elapsedNs = System.nanoTime() - startNs;
            here.queuePair(0).postReceive(receiveHere);
            there.queuePair(0).postReceive(receiveThere);
            awaitSent(2);
            return elapsedNs;
        }

        private void awaitReceived(LoopbackSide side) {
            while (side.receives().poll() == 0) {
                // A failed send explains why nothing is received.
                pollSent();
                watch.idle();
            }
            watch.progress();
        }

        private void awaitSent(int count) {
            pollSent();
            while (sent < count) {
                watch.idle();
                pollSent();
            }
            watch.progress();
        }

        private void pollSent() {
            sent += here.sends().poll() + there.sends().poll();
        }

        private void post(LoopbackSide from, WorkRequest request) {
            while (!from.queuePair(0).postSend(request)) {
                watch.idle();
            }
        }
    }
}
