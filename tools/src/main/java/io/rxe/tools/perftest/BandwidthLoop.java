package io.rxe.tools.perftest;

import io.rxe.verbs.QueuePairType;

/** Moves the messages of one size: sends, receives, or does both, until the count or the time is reached. */
final class BandwidthLoop {
    private final PerftestPlan plan;
    private final int sizeBytes;
    private final Sender sender;
    private final Receiver receiver;
    private final SampleWindow window;
    private final PeerWatch watch;
    private boolean incomplete;

    /** Posts the receives, if this side receives. */
    BandwidthLoop(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, int sizeBytes) {
        this.plan = plan;
        this.sizeBytes = sizeBytes;
        sender = plan.sends() ? new Sender(plan, endpoint, sizeBytes) : null;
        receiver = plan.receives() ? new Receiver(plan, endpoint, handshake.peer(), sizeBytes) : null;
        window = new SampleWindow(plan.amount().durationSeconds());
        watch = new PeerWatch(plan.stallNs(), handshake, () -> state(handshake.peer()));
    }

    /** Runs until the count or the time is reached. */
    void run() {
        long idleSinceNs = System.nanoTime();
        while (true) {
            int work = receiver == null ? 0 : receiver.step();
            if (sender != null && !waitsForPeer()) {
                work += sender.step();
            }
            long nowNs = System.nanoTime();
            if (sender != null && sender.hasBegun() || receiver != null && receiver.received() > 0) {
                window.begin(nowNs);
            }
            window.update(nowNs, count());
            if (window.isTimed() ? window.isOver(nowNs) : isDone()) {
                return;
            }
            if (work > 0) {
                watch.progress();
                idleSinceNs = nowNs;
            } else if (mayGiveUp() && nowNs - idleSinceNs > plan.stallNs()) {
                incomplete = true;
                return;
            } else {
                watch.idle();
            }
        }
    }

    // In a bidirectional test the server starts when the client's first message shows that the client is ready.
    private boolean waitsForPeer() {
        return receiver != null && plan.isServer() && receiver.received() == 0;
    }

    // On UC and UD messages may be lost: the receiver cannot know whether more will arrive.
    private boolean mayGiveUp() {
        return sender == null && plan.transport() != QueuePairType.RC && receiver.received() > 0;
    }

    private boolean isDone() {
        return (sender == null || sender.isDone()) && (receiver == null || receiver.isDone());
    }

    private long count() {
        return (sender == null ? 0 : sender.completed()) + (receiver == null ? 0 : receiver.received());
    }

    /** Whether the receiver stopped waiting for lost messages. */
    boolean isIncomplete() {
        return incomplete;
    }

    BandwidthReport report(boolean isGigabits) {
        if (window.isTimed()) {
            return BandwidthReport.of(sizeBytes, window.count(), window.elapsedNs(), isGigabits);
        }
        return sender == null ? BandwidthReport.of(sizeBytes, receiver.received(), receiver.elapsedNs(), isGigabits)
            : BandwidthReport.of(sizeBytes, sender.completed(), sender.elapsedNs(), isGigabits);
    }

    private String state(String peer) {
        StringBuilder text = new StringBuilder(120);
        if (sender != null) {
            text.append("completions of ").append(plan.verb().title()).append(" to ").append(peer).append(" (")
                .append(sender.completed()).append(" so far)");
        }
        if (receiver != null) {
            text.append(sender == null ? "" : " and ").append("messages from ").append(peer).append(" (").append(receiver.received())
                .append(" so far)");
        }
        return text.append(": is it still running, with the same options? Does a firewall drop UDP ").append(plan.peerUdpPort())
            .append('?').toString();
    }
}
