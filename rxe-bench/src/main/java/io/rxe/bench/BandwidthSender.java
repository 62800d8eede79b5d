package io.rxe.bench;

import java.util.Arrays;

/**
 * The sending side of a {@link BandwidthMeasurement}: posts when sends complete, or when receives did that its window waits for. Counts
 * what completes in the measured time, which follows the warm-up.
 */
final class BandwidthSender implements ApplicationSide {
    private final Workload workload;
    private final ApplicationRun run;
    private LoopbackSide side;
    private QueuePairSender[] senders;
    private SenderQueue due;
    private long durationNs;
    private long warmUntilNs;
    private long beginNs;
    private long elapsedNs;

    BandwidthSender(Workload workload, ApplicationRun run) {
        this.workload = workload;
        this.run = run;
    }

    void attach(LoopbackSide own, QueuePairSender[] all, SenderQueue queue) {
        side = own;
        senders = all;
        due = queue;
    }

    /** The time begins. Posts to the first queue pair; the rest follows with the first poll. */
    void begin(long warmUpNs, long measuredNs) {
        warmUntilNs = System.nanoTime() + warmUpNs;
        durationNs = measuredNs;
        senders[0].fill(true);
    }

    BandwidthResult result() {
        long messages = Arrays.stream(senders).mapToLong(QueuePairSender::measured).sum();
        return new BandwidthResult(messages, messages * workload.sizeBytes(), elapsedNs);
    }

    @Override
    public void arm() {
        side.arm(false);
    }

    @Override
    public boolean poll() {
        CompletionReader sends = side.sends();
        int work = 0;
        for (int count = sends.poll(); count > 0; count = sends.poll()) {
            for (int i = 0; i < count; i++) {
                QueuePairSender sender = senders[(int) sends.at(i).workRequestId()];
                sender.onSent();
                due.add(sender);
            }
            work += count;
        }
        measure();
        boolean isOver = elapsedNs != 0;
        work += due.fill(!isOver);
        if (work == 0 && isOver && isIdle()) {
            run.end();
        }
        return work > 0;
    }

    /** Reads the clock, and marks begin or end of the measured time in every sender. */
    private void measure() {
        long nowNs = System.nanoTime();
        if (beginNs == 0) {
            if (nowNs - warmUntilNs >= 0) {
                beginNs = nowNs;
                for (QueuePairSender sender : senders) {
                    sender.markBegin();
                }
            }
        } else if (elapsedNs == 0 && nowNs - beginNs >= durationNs) {
            elapsedNs = nowNs - beginNs;
            for (QueuePairSender sender : senders) {
                sender.markEnd();
            }
        }
    }

    /** Whether nothing is in flight. */
    private boolean isIdle() {
        for (QueuePairSender sender : senders) {
            if (!sender.isIdle()) {
                return false;
            }
        }
        return true;
    }
}
