package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, one at a time, between two threads that poll all the time, one at each device, as programs do that spin in
 * {@code ibv_poll_cq}. With devices whose engines the polling threads drive, no message changes threads on its way.
 *
 * <pre>
 *   thread of A   post, poll ..... receive completion, post, poll ..... receive completion
 *                    \           /                        \           /
 *   thread of B   poll receive completion, post, poll ... receive completion, post, poll
 * </pre>
 */
public final class PolledLatencyMeasurement {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);
    /** Empty polls between two looks at the clock and at the other thread. */
    private static final int LOOK_MASK = (1 << 12) - 1;

    private final Device first;
    private final Device second;
    private final PairConfig config;

    /**
     * @param first  another device than {@code second}.
     * @param config path MTU and seed; its number of queue pairs is ignored, one is used.
     */
    public PolledLatencyMeasurement(Device first, Device second, PairConfig config) {
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
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config);
            SlotMemory memory = SlotMemory.allocate(pair, workload.sizeBytes(), 1, 2)) {
            Ends ends = new Ends();
            End here = new End(ends, workload, pair.first(), workload.request(memory.first(), 0, memory.second(), memory.strideBytes(), 0),
                workload.receive(memory.first(), memory.strideBytes()));
            End there = new End(ends, workload, pair.second(), workload.request(memory.second(), 0, memory.first(), memory.strideBytes(),
                0), workload.receive(memory.second(), memory.strideBytes()));
            Thread peer = new Thread(there::answerAll, "rxe-bench-peer");
            peer.setDaemon(true);
            peer.start();
            try {
                return measure(here, warmUpNs, durationNs);
            } finally {
                ends.over = true;
                join(peer);
            }
        }
    }

    private static Histogram measure(End here, long warmUpNs, long durationNs) {
        Histogram histogram = new Histogram(1, LONGEST_NS, 3);
        long measureFromNs = System.nanoTime() + warmUpNs;
        long postedNs;
        long completedNs;
        do {
            postedNs = System.nanoTime();
            here.roundTrip();
            completedNs = System.nanoTime();
            if (postedNs - measureFromNs >= 0) {
                histogram.recordValue(Math.min(completedNs - postedNs, LONGEST_NS));
            }
        } while (completedNs - measureFromNs < durationNs || histogram.getTotalCount() == 0);
        return histogram;
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What both threads see. */
    private static final class Ends {
        private final AtomicReference<TransferFailure> failure = new AtomicReference<>();
        private volatile boolean over;
    }

    /** One side, and its thread. */
    private static final class End {
        private final Ends ends;
        private final Workload workload;
        private final LoopbackSide side;
        private final WorkRequest request;
        private final ReceiveRequest receive;
        private int outstanding;
        private long stallsAtNs;

        End(Ends ends, Workload workload, LoopbackSide side, WorkRequest request, ReceiveRequest receive) {
            this.ends = ends;
            this.workload = workload;
            this.side = side;
            this.request = request;
            this.receive = receive;
            if (workload.takesReceive()) {
                LatencyQueues.postReceives(side, receive);
            }
        }

        /** Posts, and polls until the answer is there, or the completion where nothing answers. */
        void roundTrip() {
            post();
            boolean answered = poll();
            for (int polls = 1; !answered; polls++) {
                look(polls);
                answered = poll();
            }
            if (workload.takesReceive()) {
                side.queuePair(0).postReceive(receive);
            }
        }

        /** Posts for each message that arrives; only drives its device where nothing is to be answered. */
        void answerAll() {
            try {
                while (!ends.over) {
                    if (poll() && workload.takesReceive()) {
                        post();
                        side.queuePair(0).postReceive(receive);
                    }
                }
            } catch (TransferFailure e) {
                ends.failure.compareAndSet(null, e);
            }
        }

        private void post() {
            // A send completes with the answer or soon after it.
            for (int polls = 1; outstanding > LatencyQueues.RECEIVES; polls++) {
                outstanding -= side.sends().poll();
                look(polls);
            }
            if (!side.queuePair(0).postSend(request)) {
                throw new TransferFailure(workload + ": the send queue is full with " + outstanding + " messages in flight");
            }
            outstanding++;
        }

        private boolean poll() {
            if (!workload.takesReceive()) {
                int completed = side.sends().poll();
                outstanding -= completed;
                return completed > 0;
            }
            if (side.receives().poll() > 0) {
                return true;
            }
            // Once for each message is enough.
            if (outstanding > 1) {
                outstanding -= side.sends().poll();
            }
            return false;
        }

        /** Fails when the other thread has failed, or nothing arrives. */
        private void look(int polls) {
            if ((polls & LOOK_MASK) == 0) {
                TransferFailure failed = ends.failure.get();
                if (failed != null) {
                    throw failed;
                }
                if (ends.over) {
                    throw new TransferFailure(workload + ": the other thread has ended");
                }
                if (polls == LOOK_MASK + 1) {
                    stallsAtNs = System.nanoTime() + STALL_NS;
                } else if (System.nanoTime() - stallsAtNs > 0) {
                    throw new TransferFailure("nothing happened for " + STALL_NS / 1_000_000_000L + " s while waiting for completions of "
                        + workload);
                }
            }
        }
    }
}
