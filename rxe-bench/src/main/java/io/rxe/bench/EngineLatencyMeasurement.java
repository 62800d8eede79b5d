package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, one at a time, with the application on the engines' threads: the engine that makes a completion posts the
 * reply, and no other thread has to wake up. {@link LatencyMeasurement} measures the same with a thread of its own.
 *
 * <pre>
 *   engine of A   post ..... receive completion, post ..... receive completion, post
 *                    \           /                  \           /
 *   engine of B       receive completion, post       receive completion, post
 * </pre>
 */
public final class EngineLatencyMeasurement {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Device first;
    private final Device second;
    private final PairConfig config;

    /**
     * @param first  another device than {@code second}, with a thread of its own that calls completion channels.
     * @param config path MTU and seed; its number of queue pairs is ignored, one is used.
     */
    public EngineLatencyMeasurement(Device first, Device second, PairConfig config) {
        this.first = first;
        this.second = second;
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
        Timing timing = new Timing(workload, warmUpNs, durationNs);
        Side here = new Side(timing, true);
        Side there = new Side(timing, false);
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config, timing.run.channel(here::poll, here::arm),
                timing.run.channel(there::poll, there::arm));
            SlotMemory memory = SlotMemory.allocate(pair, workload.sizeBytes(), 1, 2)) {
            there.attach(pair.second(), memory.second(), memory.first(), memory.strideBytes());
            here.attach(pair.first(), memory.first(), memory.second(), memory.strideBytes());
            here.post();
            timing.run.await(warmUpNs + durationNs + STALL_NS);
            return timing.roundTrips;
        }
    }

    /** Shared by both sides. */
    private static final class Timing {
        private final Workload workload;
        private final long measureFromNs;
        private final long endNs;
        private final Histogram roundTrips = new Histogram(1, LONGEST_NS, 3);
        private final EngineRun run;

        Timing(Workload workload, long warmUpNs, long durationNs) {
            this.workload = workload;
            run = new EngineRun(workload);
            measureFromNs = System.nanoTime() + warmUpNs;
            endNs = measureFromNs + durationNs;
        }
    }

    /** One side. After {@link #attach} and the first {@link #post} everything runs on its engine's thread. */
    private static final class Side {
        private final Timing timing;
        private final boolean isInitiator;
        private final boolean takesReceive;
        private LoopbackSide side;
        private WorkRequest request;
        private ReceiveRequest receive;
        private long postedNs;

        Side(Timing timing, boolean isInitiator) {
            this.timing = timing;
            this.isInitiator = isInitiator;
            this.takesReceive = timing.workload.takesReceive();
        }

        void attach(LoopbackSide own, RegisteredBuffer memory, RegisteredBuffer peers, int strideBytes) {
            side = own;
            request = timing.workload.request(memory, 0, peers, strideBytes, 0);
            receive = timing.workload.receive(memory, strideBytes);
            if (takesReceive) {
                LatencyQueues.postReceives(side, receive);
            }
            arm();
        }

        void post() {
            postedNs = System.nanoTime();
            if (!side.queuePair(0).postSend(request)) {
                throw new TransferFailure(timing.workload + ": the send queue is full with one message in flight");
            }
        }

        void arm() {
            side.arm(takesReceive);
        }

        boolean poll() {
            int sent = side.sends().poll();
            int received = takesReceive ? side.receives().poll() : 0;
            for (int i = 0; i < (takesReceive ? received : sent); i++) {
                onMessage();
            }
            return sent + received > 0;
        }

        private void onMessage() {
            if (takesReceive) {
                side.queuePair(0).postReceive(receive);
            }
            if (isInitiator) {
                long nowNs = System.nanoTime();
                if (nowNs >= timing.measureFromNs) {
                    timing.roundTrips.recordValue(Math.min(nowNs - postedNs, LONGEST_NS));
                }
                if (nowNs >= timing.endNs) {
                    timing.run.end();
                    return;
                }
            }
            post();
        }
    }
}
