package io.rxe.bench;

/** The time of a bandwidth test: a warm-up, then the measured time. Owned by the thread that posts. */
final class MeasuredTime {
    private final QueuePairSender[] senders;
    private final long warmUpNs;
    private final long durationNs;
    private final long startNs = System.nanoTime();
    private long beginNs;
    private long elapsedNs;

    MeasuredTime(QueuePairSender[] senders, long warmUpNs, long durationNs) {
        this.senders = senders;
        this.warmUpNs = warmUpNs;
        this.durationNs = durationNs;
    }

    /** Reads the clock, and marks begin or end of the measured time in every sender. */
    void update() {
        long nowNs = System.nanoTime();
        if (beginNs == 0) {
            if (nowNs - startNs >= warmUpNs) {
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

    boolean isOver() {
        return elapsedNs != 0;
    }

    /** Whether nothing is in flight. */
    boolean isIdle() {
        for (QueuePairSender sender : senders) {
            if (!sender.isIdle()) {
                return false;
            }
        }
        return true;
    }

    BandwidthResult result(Workload workload) {
        long messages = 0;
        double squares = 0;
        for (QueuePairSender sender : senders) {
            messages += sender.measured();
            squares += (double) sender.measured() * sender.measured();
        }
        double fairness = squares == 0 ? 1 : (double) messages * messages / (senders.length * squares);
        return new BandwidthResult(messages, messages * workload.sizeBytes(), elapsedNs, fairness);
    }
}
