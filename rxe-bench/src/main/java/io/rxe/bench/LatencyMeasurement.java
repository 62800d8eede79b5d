package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, one at a time. Operations that take a receive request are answered with a message of the same size
 * (ping-pong). The others are timed from the post to the completion, which is a round trip on the wire as well.
 *
 * <pre>
 *   first    post ..... receive completion, post ..... receive completion, post
 *               \           /                  \           /
 *   second       receive completion, post       receive completion, post
 * </pre>
 */
public final class LatencyMeasurement {
    /** Longest wait for a completion. */
    public static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    /** Receives that each side keeps posted. */
    private static final int RECEIVES = 4;
    /** A lost acknowledgement may leave some sends incomplete while answers arrive. */
    private static final int DEPTH = 64;

    private final Device first;
    private final Device second;
    private final PairConfig config;
    private final Application application;
    private final long stallNs;

    /**
     * @param first       may be the same device as {@code second}, which then sends to itself, if the caller runs the application.
     * @param config      path MTU and seed; its number of queue pairs is ignored, one is used.
     * @param stallNs     longest wait for a completion, in nanoseconds.
     */
    public LatencyMeasurement(Device first, Device second, PairConfig config, Application application, long stallNs) {
        this.first = first;
        this.second = second;
        this.config = new PairConfig(config.pathMtu(), 1, DEPTH, config.seed());
        this.application = application;
        this.stallNs = stallNs;
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
        ApplicationRun run = new ApplicationRun(application, workload, stallNs);
        Answering there = new Answering(workload);
        Timing here = new Timing(workload, run);
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config, run.channel(here), run.channel(there));
            SlotMemory memory = SlotMemory.allocate(pair, workload.sizeBytes(), 1, 2)) {
            there.attach(pair.second(), memory.second(), memory.first(), memory.strideBytes());
            here.attach(pair.first(), memory.first(), memory.second(), memory.strideBytes());
            run.await(here, there, () -> here.begin(warmUpNs, durationNs), warmUpNs + durationNs);
            StallWatch watch = new StallWatch(stallNs, () -> "the last completions of " + workload);
            while (application == Application.CALLER && !(here.isIdle() && there.isIdle())) {
                watch.idle();
            }
            return here.roundTrips;
        }
    }

    /** Answers each message; only drives its device where nothing is to be answered. */
    private static class Answering implements ApplicationSide {
        private final Workload workload;
        private final boolean takesReceive;
        private LoopbackSide side;
        private WorkRequest request;
        private ReceiveRequest receive;
        private int unfinished;

        Answering(Workload workload) {
            this.workload = workload;
            takesReceive = workload.takesReceive();
        }

        final void attach(LoopbackSide own, RegisteredBuffer memory, RegisteredBuffer peers, int strideBytes) {
            side = own;
            request = workload.request(memory, 0, peers, strideBytes, 0);
            receive = workload.receive(memory, strideBytes);
            for (int i = 0; takesReceive && i < RECEIVES; i++) {
                side.queuePair(0).postReceive(receive);
            }
        }

        @Override
        public final void arm() {
            side.arm(takesReceive);
        }

        @Override
        public final boolean poll() {
            int arrived = takesReceive ? side.receives().poll() : side.sends().poll();
            for (int i = 0; i < arrived; i++) {
                if (takesReceive) {
                    side.queuePair(0).postReceive(receive);
                }
                onMessage();
            }
            // A failed send explains why nothing is received.
            if (takesReceive && (arrived == 0 || unfinished > RECEIVES)) {
                unfinished -= side.sends().poll();
            }
            return arrived > 0;
        }

        /** Whether nothing is in flight. */
        final boolean isIdle() {
            unfinished -= unfinished > 0 ? side.sends().poll() : 0;
            return unfinished == 0;
        }

        /** An answer arrived, or the completion where nothing answers. */
        void onMessage() {
            post();
        }

        final void post() {
            if (!side.queuePair(0).postSend(request)) {
                throw new TransferFailure(workload + ": the send queue is full with " + unfinished + " messages in flight");
            }
            unfinished += takesReceive ? 1 : 0;
        }
    }

    /** The side that begins, and measures. */
    private static final class Timing extends Answering {
        private final Histogram roundTrips = new Histogram(1, LONGEST_NS, 3);
        private final ApplicationRun run;
        private long measureFromNs;
        private long endNs;
        private long postedNs;

        Timing(Workload workload, ApplicationRun run) {
            super(workload);
            this.run = run;
        }

        void begin(long warmUpNs, long durationNs) {
            postedNs = System.nanoTime();
            measureFromNs = postedNs + warmUpNs;
            endNs = measureFromNs + durationNs;
            post();
        }

        @Override
        void onMessage() {
            long nowNs = System.nanoTime();
            if (nowNs - measureFromNs >= 0) {
                roundTrips.recordValue(Math.min(nowNs - postedNs, LONGEST_NS));
            }
            if (nowNs - endNs >= 0) {
                run.end();
                return;
            }
            postedNs = System.nanoTime();
            post();
        }
    }
}
