package io.rxe.bench;

import io.rxe.verbs.Device;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips, one at a time, with the application on the engines' threads: a completion is answered where it is made, and no
 * other thread has to wake up. What {@link LatencyTest} measures with a thread of its own.
 *
 * <pre>
 *   engine of A   post ..... receive completion, post ..... receive completion, post
 *                    \           /                  \           /
 *   engine of B       receive completion, post       receive completion, post
 * </pre>
 */
public final class EngineLatencyTest {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Device first;
    private final Device second;
    private final PairConfig config;

    /**
     * @param first  another device than {@code second}, with a thread of its own that calls listeners.
     * @param config path MTU and seed; one queue pair is used, whatever it says.
     */
    public EngineLatencyTest(Device first, Device second, PairConfig config) {
        this.first = first;
        this.second = second;
        this.config = PingRequests.pair(config);
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
        Game game = new Game(workload, warmUpNs, durationNs);
        Player here = new Player(game, true);
        Player there = new Player(game, false);
        try (LoopbackPair pair = LoopbackPair.connect(first, second, config, game.run.channel(here::take, here::arm),
                game.run.channel(there::take, there::arm));
            SlotMemory memory = SlotMemory.allocate(pair, workload.sizeBytes(), 1, 2)) {
            there.sit(pair.second(), memory.second(), memory.first(), memory.strideBytes());
            here.sit(pair.first(), memory.first(), memory.second(), memory.strideBytes());
            here.serve();
            game.run.await(warmUpNs + durationNs + STALL_NS);
            return game.trips;
        }
    }

    /** What both sides know. */
    private static final class Game {
        private final Workload workload;
        private final long warmNs;
        private final long endNs;
        private final Histogram trips = new Histogram(1, LONGEST_NS, 3);
        private final EngineRun run;

        Game(Workload workload, long warmUpNs, long durationNs) {
            this.workload = workload;
            run = new EngineRun(workload);
            warmNs = System.nanoTime() + warmUpNs;
            endNs = warmNs + durationNs;
        }
    }

    /** One side. After {@link #sit} and the first {@link #serve} everything happens on its engine's thread. */
    private static final class Player {
        private final Game game;
        private final boolean isServing;
        private final boolean answers;
        private Endpoint endpoint;
        private WorkRequest request;
        private ReceiveRequest receive;
        private long beganNs;

        Player(Game game, boolean isServing) {
            this.game = game;
            this.isServing = isServing;
            this.answers = game.workload.takesReceive();
        }

        void sit(Endpoint own, RegisteredBuffer memory, RegisteredBuffer peers, int strideBytes) {
            endpoint = own;
            request = PingRequests.request(game.workload, memory, peers, strideBytes);
            receive = PingRequests.receive(game.workload, memory, strideBytes);
            if (answers) {
                PingRequests.postReceives(endpoint, receive);
            }
            arm();
        }

        void serve() {
            beganNs = System.nanoTime();
            if (!endpoint.queuePair(0).postSend(request)) {
                throw new TransferFailure(game.workload + ": the send queue is full with one message under way");
            }
        }

        void arm() {
            endpoint.arm(answers);
        }

        boolean take() {
            int sent = endpoint.sends().poll();
            int received = answers ? endpoint.receives().poll() : 0;
            for (int i = 0; i < (answers ? received : sent); i++) {
                onBall();
            }
            return sent + received > 0;
        }

        private void onBall() {
            if (answers) {
                endpoint.queuePair(0).postReceive(receive);
            }
            if (isServing) {
                long nowNs = System.nanoTime();
                if (nowNs >= game.warmNs) {
                    game.trips.recordValue(Math.min(nowNs - beganNs, LONGEST_NS));
                }
                if (nowNs >= game.endNs) {
                    game.run.end();
                    return;
                }
            }
            serve();
        }
    }
}
