package io.rxe.device;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.PacketSink;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.requester.UnreliableRequester;
import io.rxe.qp.responder.DatagramResponder;
import io.rxe.qp.responder.MessageResponder;
import io.rxe.qp.responder.UnreliableResponder;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.QueuePairType;

/** The two tasks of a UC or UD queue pair: nothing is answered, so there is no completer and no timer. */
final class UnreliableTasks extends QueuePairTasks {
    private final UnreliableRequester requester;
    private final MessageResponder responder;

    UnreliableTasks(QueuePairContext context, NicConfig config) {
        super(context, config);
        this.requester = new UnreliableRequester(context, send());
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
    void changeWhileDrained() {
        // Nothing the tasks remember.
    }

    @Override
    void stop() {
        responder.stop();
    }

    @Override
    void onPacket(InboundPacket packet, long nowNs) {
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
    void flushReceiveInUse() {
        responder.flush();
    }

    @Override
    boolean isUnfinished() {
        return requester.isUnfinished();
    }

    @Override
    long nextDeadlineNs() {
        return DeadlineQueue.NONE;
    }
}
