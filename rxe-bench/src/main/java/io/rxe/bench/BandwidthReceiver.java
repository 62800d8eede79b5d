package io.rxe.bench;

/** The receiving side of a {@link BandwidthMeasurement}: posts each receive again. An engine does so before it acknowledges the message. */
final class BandwidthReceiver implements ApplicationSide {
    private final Workload workload;
    private LoopbackSide side;
    private QueuePairReceiver[] receivers;
    private QueuePairSender[] senders;
    private SenderQueue due;

    BandwidthReceiver(Workload workload) {
        this.workload = workload;
    }

    /** @param queue of senders whose window waits for receives too; null if none does. */
    void attach(LoopbackSide own, QueuePairReceiver[] all, QueuePairSender[] partners, SenderQueue queue) {
        side = own;
        receivers = all;
        senders = partners;
        due = queue;
    }

    @Override
    public void arm() {
        side.arm(workload.takesReceive());
    }

    @Override
    public boolean poll() {
        CompletionReader receives = side.receives();
        int taken = 0;
        for (int count = receives.poll(); count > 0; count = receives.poll()) {
            for (int i = 0; i < count; i++) {
                int index = QueuePairReceiver.index(receives.at(i));
                receivers[index].take(receives.at(i));
                if (due != null) {
                    due.add(senders[index]);
                }
            }
            taken += count;
        }
        return taken > 0;
    }
}
