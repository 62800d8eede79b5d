package io.rxe.bench;

import java.util.concurrent.TimeUnit;

/** The application of a {@link BandwidthMeasurement} on the calling thread, which polls the completion queues of both sides. */
final class PolledBandwidth {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final Workload workload;
    private final LoopbackPair pair;
    private final QueuePairSender[] senders;
    private final QueuePairReceiver[] receivers;
    private final SenderQueue due;
    private final StallWatch watch;

    PolledBandwidth(Workload workload, LoopbackPair pair, QueuePairSender[] senders, QueuePairReceiver[] receivers) {
        this.workload = workload;
        this.pair = pair;
        this.senders = senders;
        this.receivers = receivers;
        due = new SenderQueue(senders);
        watch = new StallWatch(STALL_NS, () -> "completions of " + workload);
    }

    BandwidthResult measure(long warmUpNs, long durationNs) {
        MeasuredTime time = new MeasuredTime(senders, warmUpNs, durationNs);
        while (true) {
            time.update();
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
            QueuePairSender sender = senders[(int) sends.at(i).workRequestId()];
            sender.onSent();
            due.add(sender);
        }
        return workload.takesReceive() ? sent + drainReceives() : sent;
    }

    private int drainReceives() {
        CompletionReader receives = pair.second().receives();
        int received = receives.poll();
        for (int i = 0; i < received; i++) {
            int index = QueuePairReceiver.index(receives.at(i));
            receivers[index].take(receives.at(i));
            due.add(senders[index]);
        }
        return received;
    }
}
