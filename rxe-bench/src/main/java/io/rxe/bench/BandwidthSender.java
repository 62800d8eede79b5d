package io.rxe.bench;

/** The sending side of a {@link BandwidthMeasurement}: posts when sends complete, or when receives did that its window waits for. */
final class BandwidthSender implements ApplicationSide {
    private final Workload workload;
    private final ApplicationRun run;
    private LoopbackSide side;
    private QueuePairSender[] senders;
    private SenderQueue due;
    private MeasuredTime time;

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
    void begin(long warmUpNs, long durationNs) {
        time = new MeasuredTime(senders, warmUpNs, durationNs);
        senders[0].fill(true);
    }

    BandwidthResult result() {
        return time.result(workload);
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
        time.update();
        work += due.fill(!time.isOver());
        if (work == 0 && time.isOver() && time.isIdle()) {
            run.end();
        }
        return work > 0;
    }
}
