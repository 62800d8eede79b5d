package io.rxe.bench;

import io.rxe.verbs.Device;
import java.util.concurrent.TimeUnit;

/**
 * The application of a {@link BandwidthMeasurement} on the threads of the engines: the sending side posts when sends complete; the
 * receiving side posts each receive again before its engine acknowledges the message that consumed it.
 *
 * <p>The calling thread posts the first requests and then only waits. The engine may complete some of them before all are posted; its
 * callback then waits for the lock, since only one thread at a time may post to a queue pair.
 */
final class EngineBandwidth {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Workload workload;
    private final EngineRun run;
    private LoopbackPair pair;
    private QueuePairSender[] senders;
    private QueuePairReceiver[] receivers;
    private SenderQueue due;
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

    BandwidthResult measure(QueuePairSender[] allSenders, QueuePairReceiver[] allReceivers, long warmUpNs, long durationNs) {
        senders = allSenders;
        receivers = allReceivers;
        due = new SenderQueue(allSenders);
        time = new MeasuredTime(allSenders, warmUpNs, durationNs);
        pair.second().arm(workload.takesReceive());
        pair.first().arm(false);
        synchronized (this) {
            // The engine's thread posts the rest when the first of these complete, and owns all senders from then on.
            allSenders[0].fill(true);
        }
        run.await(warmUpNs + durationNs + STALL_NS);
        return time.result(workload);
    }

    private synchronized boolean takeSends() {
        CompletionReader sends = pair.first().sends();
        int taken = 0;
        for (int count = sends.poll(); count > 0; count = sends.poll()) {
            for (int i = 0; i < count; i++) {
                QueuePairSender sender = senders[(int) sends.at(i).workRequestId()];
                sender.onSent();
                due.add(sender);
            }
            taken += count;
        }
        time.update();
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
                receivers[QueuePairReceiver.index(receives.at(i))].take(receives.at(i));
            }
            taken += count;
        }
        return taken > 0;
    }
}
