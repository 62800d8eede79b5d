package io.rxe.device;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.PacketSink;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.PeerWindow;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.RetryCounters;
import io.rxe.qp.RoundTrip;
import io.rxe.qp.SendWindow;
import io.rxe.qp.completer.Completer;
import io.rxe.qp.requester.Requester;
import io.rxe.qp.responder.Responder;

/** The three tasks of an RC queue pair, as in rxe: requester = TX, responder = RX, completer = ACK. */
final class ReliableTasks extends QueuePairTasks {
    private final SendWindow window = new SendWindow();
    private final RoundTrip roundTrip = new RoundTrip();
    private final RetryCounters retry = new RetryCounters();
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private final Engine engine;
    private PeerWindow.Share share;
    private boolean repliesWait;

    ReliableTasks(QueuePairContext context, NicConfig config, Engine engine) {
        super(context, config);
        this.engine = engine;
        this.requester = new Requester(context, send(), window, roundTrip, retry);
        this.completer = new Completer(context, send(), window, roundTrip, retry);
        this.responder = new Responder(context, engine.frames());
    }

    @Override
    void startReceiving() {
        responder.start(context().attributes().receivePsn(), context().attributes().maxDestRdAtomic());
    }

    @Override
    void startSending() {
        window.start(config().windowBytes(), context().mtu());
        roundTrip.start();
        joinPeerWindow();
        retry.configure(context().attributes());
        retry.stopTimer();
        retry.endWait();
        requester.start();
        completer.start();
    }

    private void joinPeerWindow() {
        leavePeerWindow();
        share = engine.peers().join(context().flow(), context().mtu(), () -> engine.schedule(this));
        requester.share(share);
    }

    private void leavePeerWindow() {
        if (share != null) {
            share.leave();
        }
    }

    @Override
    void startDraining() {
        requester.start();
    }

    @Override
    void changeWhileDrained() {
        joinPeerWindow();
        retry.configure(context().attributes());
    }

    @Override
    void stop() {
        responder.stop();
        retry.stopTimer();
        retry.endWait();
        leavePeerWindow();
    }

    @Override
    void onPacket(InboundPacket packet, long nowNs) {
        if (packet.opcode().isRequest()) {
            responder.onRequest(packet, nowNs);
        } else {
            completer.onResponse(packet, nowNs);
        }
    }

    /** Requests go first, so that an acknowledgement ends their batch instead of breaking it; but they never keep replies from leaving. */
    @Override
    int pollTasks(long nowNs, PacketSink sink) {
        int work = repliesWait ? responder.poll(nowNs, sink) : 0;
        if (completer.poll(nowNs)) {
            work++;
        }
        if (share != null) {
            work += pollRequester(nowNs, sink);
        }
        work += responder.poll(nowNs, sink);
        repliesWait = responder.isOwing();
        return work;
    }

    private int pollRequester(long nowNs, PacketSink sink) {
        share.settle(underWay(), nowNs);
        int work = requester.poll(nowNs, sink);
        if (completer.poll(nowNs)) {
            work++;
            share.settle(underWay(), nowNs);
        }
        if (!requester.isUnfinished()) {
            share.endTurn();
        }
        return work;
    }

    /** Packets that the peer has not answered and will not get again. */
    private long underWay() {
        return context().state().canSend() && !retry.isWaitingForReceiver() ? send().underWay() : 0;
    }

    @Override
    void showTasks(QueuePairCounters counters) {
        counters.show(QueuePairCell.EXPECTED_PSN, responder.expectedPsn());
        counters.show(QueuePairCell.REORDER_HELD, responder.heldRequests());
        counters.show(QueuePairCell.RETRIES_LEFT, retry.retriesLeft());
        counters.show(QueuePairCell.RNR_RETRIES_LEFT, retry.rnrRetriesLeft());
        counters.show(QueuePairCell.WINDOW, window.packets());
        counters.show(QueuePairCell.ROUND_TRIP_NS, roundTrip.smoothedNs());
        counters.show(QueuePairCell.ROUND_TRIP_MIN_NS, roundTrip.minimumNs());
    }

    @Override
    void flushReceiveInUse() {
        responder.flush();
    }

    @Override
    boolean isUnfinished() {
        return responder.isOwing() || requester.isUnfinished();
    }

    @Override
    long nextDeadlineNs() {
        long taskNs = Math.min(completer.deadlineNs(), responder.deadlineNs());
        return share == null ? taskNs : Math.min(taskNs, share.deadlineNs());
    }
}
