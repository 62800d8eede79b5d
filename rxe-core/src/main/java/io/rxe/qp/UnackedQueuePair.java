package io.rxe.qp;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.PacketSink;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.requester.UnreliableRequester;
import io.rxe.qp.responder.DatagramResponder;
import io.rxe.qp.responder.UnackedResponder;
import io.rxe.qp.responder.UnreliableResponder;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.QueuePairType;

/** The two tasks of a UC or UD queue pair. Nothing is acknowledged, so there is no completer and no timer. */
final class UnackedQueuePair extends QueuePairTasks {
    private final UnreliableRequester requester;
    private final UnackedResponder responder;

    UnackedQueuePair(QueuePairContext context, QueuePairHost host) {
        super(context, host);
        this.requester = new UnreliableRequester(context, host.gracePeriods(), send());
        this.responder = context.type() == QueuePairType.UD ? new DatagramResponder(context) : new UnreliableResponder(context);
    }

    @Override
    void startReceiving() {
        responder.start();
    }

    @Override
    void startSending() {
        requester.start();
    }

    @Override
    void startDraining() {
        requester.start();
    }

    @Override
    void changeWhileDrained(boolean isNewPath) {
        // The tasks keep no attribute.
    }

    @Override
    void stop() {
        responder.stop();
    }

    @Override
    public void onPacket(InboundPacket packet, long nowNs) {
        if (context().path().isWatching()) {
            // A PSN tells nothing: a message may begin with any.
            context().path().onPacket(packet, true);
        }
        responder.onRequest(packet);
    }

    @Override
    int pollTasks(long nowNs, PacketSink sink) {
        return requester.poll(sink);
    }

    @Override
    void showTasks(QueuePairCounters counters) {
        counters.show(QueuePairCell.EXPECTED_PSN, responder.expectedPsn());
    }

    @Override
    void flushTasks() {
        responder.flush();
    }

    @Override
    public boolean isUnfinished() {
        return requester.isUnfinished();
    }

    @Override
    public long nextDeadlineNs() {
        return DeadlineQueue.NONE;
    }

    @Override
    public String timers() {
        return "no timer runs";
    }
}
