package io.rxe.bench;

import io.rxe.verbs.Device;
import java.util.concurrent.TimeUnit;

/**
 * The application of a {@link BandwidthTest} on the threads of the engines: the sending side posts when sends complete, the receiving
 * side posts receives again before its engine acknowledges what used them up.
 *
 * <p>The calling thread posts the first requests and then only waits. The engine may find some of them before all are posted; its part
 * of the application then waits for the lock, since a queue pair is posted to by one thread at a time.
 */
final class EngineBandwidth {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Workload workload;
    private final EngineRun run;
    private LoopbackPair pair;
    private Lane[] lanes;
    private LaneReceives[] laneReceives;
    private LaneQueue due;
    private MeasuredTime time;

    EngineBandwidth(Workload workload) {
        this.workload = workload;
        run = new EngineRun(workload);
    }

    LoopbackPair connect(Device first, Device second, PairConfig config) {
        pair = LoopbackPair.connect(first, second, config, run.channel(this::takeSends, () -> pair.first().arm(false)),
            run.channel(this::takeReceives, () -> pair.second().arm(true)));
        return pair;
    }

    BandwidthResult measure(Lane[] all, LaneReceives[] receives, long warmUpNs, long durationNs) {
        lanes = all;
        laneReceives = receives;
        due = new LaneQueue(all);
        time = new MeasuredTime(all, warmUpNs, durationNs);
        pair.second().arm(workload.takesReceive());
        pair.first().arm(false);
        synchronized (this) {
            // The rest is posted when the first of these complete, by the thread that owns it all from now on.
            all[0].fill(true);
        }
        run.await(warmUpNs + durationNs + STALL_NS);
        return time.result(workload);
    }

    private synchronized boolean takeSends() {
        CompletionReader sends = pair.first().sends();
        int taken = 0;
        for (int count = sends.poll(); count > 0; count = sends.poll()) {
            for (int i = 0; i < count; i++) {
                Lane lane = lanes[(int) sends.at(i).workRequestId()];
                lane.onSent();
                due.add(lane);
            }
            taken += count;
        }
        time.look();
        due.fill(!time.isOver());
        if (time.isOver() && time.isIdle()) {
            run.end();
        }
        return taken > 0;
    }

    private boolean takeReceives() {
        CompletionReader receives = pair.second().receives();
        int taken = 0;
        for (int count = receives.poll(); count > 0; count = receives.poll()) {
            for (int i = 0; i < count; i++) {
                laneReceives[LaneReceives.lane(receives.at(i))].take(receives.at(i));
            }
            taken += count;
        }
        return taken > 0;
    }
}
