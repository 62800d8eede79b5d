package io.rxe.bench;

import java.util.concurrent.TimeUnit;

/** The application of a {@link BandwidthTest} on a thread of its own, which polls the completion queues of both sides. */
final class PolledBandwidth {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Workload workload;
    private final LoopbackPair pair;
    private final Lane[] lanes;
    private final LaneReceives[] laneReceives;
    private final LaneQueue due;
    private final StallWatch watch;

    PolledBandwidth(Workload workload, LoopbackPair pair, Lane[] lanes, LaneReceives[] laneReceives) {
        this.workload = workload;
        this.pair = pair;
        this.lanes = lanes;
        this.laneReceives = laneReceives;
        due = new LaneQueue(lanes);
        watch = new StallWatch(STALL_NS, () -> "completions of " + workload);
    }

    BandwidthResult measure(long warmUpNs, long durationNs) {
        MeasuredTime time = new MeasuredTime(lanes, warmUpNs, durationNs);
        while (true) {
            time.look();
            int work = drain() + due.fill(!time.isOver());
            if (work > 0) {
                watch.progress();
            } else if (time.isOver() && time.isIdle()) {
                return time.result(workload);
            } else {
                watch.idle();
            }
        }
    }

    private int drain() {
        CompletionReader sends = pair.first().sends();
        int sent = sends.poll();
        for (int i = 0; i < sent; i++) {
            Lane lane = lanes[(int) sends.at(i).workRequestId()];
            lane.onSent();
            due.add(lane);
        }
        return workload.takesReceive() ? sent + drainReceives() : sent;
    }

    private int drainReceives() {
        CompletionReader receives = pair.second().receives();
        int received = receives.poll();
        for (int i = 0; i < received; i++) {
            int lane = LaneReceives.lane(receives.at(i));
            laneReceives[lane].take(receives.at(i));
            due.add(lanes[lane]);
        }
        return received;
    }
}
