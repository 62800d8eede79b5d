package io.rxe.bench;

import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.Device;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The application of a {@link BandwidthTest} on the threads of the engines: the sending side posts when sends complete, the receiving
 * side posts receives again before its engine acknowledges what used them up.
 *
 * <p>The calling thread posts the first requests and then only waits.
 */
final class EngineBandwidth {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Workload workload;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile TransferFailure failure;
    private LoopbackPair pair;
    private Lane[] lanes;
    private LaneQueue due;
    private MeasuredTime time;

    EngineBandwidth(final Workload workload) {
        this.workload = workload;
    }

    LoopbackPair connect(final Device first, final Device second, final PairConfig config) {
        pair = LoopbackPair.connect(first, second, config, CompletionChannel.calling(queue -> onSends()),
            CompletionChannel.calling(queue -> onReceives()));
        return pair;
    }

    BandwidthResult measure(final Lane[] all, final long warmUpNs, final long durationNs) {
        lanes = all;
        due = new LaneQueue(all);
        time = new MeasuredTime(all, warmUpNs, durationNs);
        pair.second().arm(workload.takesReceive());
        pair.first().arm(false);
        // The rest is posted when the first of these complete, by the thread that owns it all from now on.
        all[0].fill(true);
        await(warmUpNs + durationNs + STALL_NS);
        return time.result(workload);
    }

    private void await(final long limitNs) {
        try {
            if (!over.await(limitNs, TimeUnit.NANOSECONDS)) {
                throw new TransferFailure("nothing happened for a long time while waiting for completions of " + workload);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransferFailure("interrupted while waiting for completions of " + workload);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void end(final TransferFailure reason) {
        failure = reason;
        over.countDown();
    }

    private void onSends() {
        try {
            do {
                takeSends();
                pair.first().arm(false);
            } while (takeSends() > 0);
        } catch (final TransferFailure e) {
            end(e);
        }
    }

    private int takeSends() {
        final CompletionReader sends = pair.first().sends();
        int taken = 0;
        for (int count = sends.poll(); count > 0; count = sends.poll()) {
            for (int i = 0; i < count; i++) {
                final Lane lane = lanes[(int) sends.at(i).workRequestId()];
                lane.onSent();
                due.add(lane);
            }
            taken += count;
        }
        time.look();
        due.fill(!time.isOver());
        if (time.isOver() && time.isIdle()) {
            end(null);
        }
        return taken;
    }

    private void onReceives() {
        try {
            do {
                takeReceives();
                pair.second().arm(true);
            } while (takeReceives() > 0);
        } catch (final TransferFailure e) {
            end(e);
        }
    }

    private int takeReceives() {
        final CompletionReader receives = pair.second().receives();
        int taken = 0;
        for (int count = receives.poll(); count > 0; count = receives.poll()) {
            for (int i = 0; i < count; i++) {
                Lane.take(receives.at(i), lanes);
            }
            taken += count;
        }
        return taken;
    }
}
