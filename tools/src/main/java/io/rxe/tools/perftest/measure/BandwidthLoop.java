package io.rxe.tools.perftest.measure;

import io.rxe.tools.perftest.handshake.BandwidthReport;
import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.verbs.QueuePairType;

/** Moves the messages of one size: sends, receives, or does both, until the count or the time is reached. */
public final class BandwidthLoop {
    private final PerftestPlan plan;
    private final SendingSide sender;
    private final ReceivingSide receiver;
    private final SampleWindow window;
    private final PeerWatch watch;
    private boolean incomplete;

    /**
     * @param sender   null if this side only receives.
     * @param receiver null if this side only sends.
     */
    public BandwidthLoop(PerftestPlan plan, SendingSide sender, ReceivingSide receiver, PerftestHandshake handshake) {
        this.plan = plan;
        this.sender = sender;
        this.receiver = receiver;
        window = new SampleWindow(plan.amount().durationSeconds());
        watch = new PeerWatch(plan.stallNs(), handshake, () -> state(handshake.peer()));
    }

    /** Runs until the count or the time is reached. */
    public void run() {
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
        return sender == null && plan.path().transport() != QueuePairType.RC && receiver.received() > 0;
    }

    private boolean isDone() {
        return (sender == null || sender.isDone()) && (receiver == null || receiver.isDone());
    }

    private long count() {
        return (sender == null ? 0 : sender.completed()) + (receiver == null ? 0 : receiver.received());
    }

    /** Whether the receiver stopped waiting for lost messages. */
    public boolean isIncomplete() {
        return incomplete;
    }

    /** The result; its peak is 0 if {@code peak} is null. */
    public BandwidthReport report(int sizeBytes, PeakFinder peak, boolean isGigabits) {
        if (window.isTimed()) {
            return BandwidthReport.of(sizeBytes, window.count(), window.elapsedNs(), 0, isGigabits);
        }
        if (sender != null) {
            return BandwidthReport.of(sizeBytes, sender.completed(), sender.elapsedNs(), peak == null ? 0 : peak.leastNs(),
                isGigabits);
        }
        return BandwidthReport.of(sizeBytes, receiver.received(), receiver.elapsedNs(), 0, isGigabits);
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
        return text.append(": is it still running, with the same options? Does a firewall drop UDP ").append(plan.path().peerUdpPort())
            .append('?').toString();
    }
}
