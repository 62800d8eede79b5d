package io.rxe.device;

import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.AttributeLimits;
import io.rxe.qp.FramePool;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.RetryCounters;
import io.rxe.qp.RoundTrip;
import io.rxe.qp.SendState;
import io.rxe.qp.SendWindow;
import io.rxe.qp.TransitionTable;
import io.rxe.qp.completer.Completer;
import io.rxe.qp.requester.Requester;
import io.rxe.qp.responder.Responder;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Gid;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A queue pair as its engine sees it: the three tasks of rxe (requester = TX, responder = RX, completer = ACK) and when to run them.
 *
 * <p>Owned by the engine thread, but for the doorbell.
 */
final class QueuePairTasks extends DeadlineQueue.Entry {
    private final QueuePairContext context;
    private final NicConfig config;
    private final SendState send;
    private final SendWindow window = new SendWindow();
    private final RoundTrip roundTrip = new RoundTrip();
    private final RetryCounters retry = new RetryCounters();
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private final AtomicBoolean doorbell = new AtomicBoolean();
    private boolean ready;
    private boolean removed;

    QueuePairTasks(QueuePairContext context, NicConfig config, FramePool pool) {
        this.context = context;
        this.config = config;
        this.send = new SendState(context.sendQueue());
        this.requester = new Requester(context, send, window, roundTrip, retry);
        this.completer = new Completer(context, send, window, roundTrip, retry);
        this.responder = new Responder(context, pool);
    }

    QueuePairContext context() {
        return context;
    }

    SendState send() {
        return send;
    }

    Responder responder() {
        return responder;
    }

    /** Application: true when the engine has to be told; false when it was told and has not looked yet. */
    boolean ring() {
        return !doorbell.getAndSet(true);
    }

    void answerDoorbell() {
        doorbell.set(false);
    }

    boolean isReady() {
        return ready;
    }

    void ready(boolean isReady) {
        ready = isReady;
    }

    boolean isRemoved() {
        return removed;
    }

    void remove() {
        removed = true;
        context.state(QueuePairState.RESET);
    }

    /** Carries out a change of state and attributes, or refuses it whole. */
    void modify(QueuePairAttributes change) {
        QueuePairState from = context.state();
        QueuePairState to = change.state();
        TransitionTable.check(context.type(), from, change);
        AttributeLimits.check(change, config.gid(), config.portMtu());
        if (to == QueuePairState.RESET) {
            reset();
            return;
        }
        if (to == QueuePairState.ERROR) {
            context.fail();
            return;
        }
        context.attributes().merge(change);
        if (change.has(QueuePairAttribute.ADDRESS_VECTOR) || change.has(QueuePairAttribute.PATH_MTU)) {
            connect(context.attributes());
        }
        if (from == QueuePairState.INIT && to == QueuePairState.RTR) {
            responder.start(context.attributes().receivePsn(), context.attributes().maxDestRdAtomic());
        } else if (from == QueuePairState.RTR && to == QueuePairState.RTS) {
            startSending();
        } else if (from == QueuePairState.RTS && to == QueuePairState.SQD) {
            requester.start();
        } else if (from == QueuePairState.SQD) {
            retry.configure(context.attributes());
        }
        context.state(to);
    }

    private void connect(QueuePairAttributes attributes) {
        Gid peer = attributes.addressVector().destination();
        Flow flow = new Flow(config.gid(), peer, config.udpPort(), attributes.addressVector().udpPort());
        context.connect(flow, attributes.pathMtu().bytes());
    }

    private void startSending() {
        send.start(context.attributes().sendPsn());
        window.start(config.windowBytes(), context.mtu());
        roundTrip.start();
        retry.configure(context.attributes());
        retry.stopTimer();
        retry.endWait();
        requester.start();
        completer.start();
    }

    /** Everything queued is forgotten without a completion. */
    private void reset() {
        responder.stop();
        retry.stopTimer();
        retry.endWait();
        context.sendQueue().release(context.sendQueue().producerIndex());
        if (!context.receiveQueue().isShared()) {
            context.receiveQueue().ring().release(context.receiveQueue().ring().producerIndex());
        }
        send.abandon(context.sendQueue().consumerIndex());
        context.attributes().merge(QueuePairAttributes.to(QueuePairState.RESET));
        context.state(QueuePairState.RESET);
    }

    /** A packet that was checked as far as its ICRC. */
    void onPacket(InboundPacket packet, long nowNs) {
        if (packet.opcode().isRequest()) {
            responder.onRequest(packet, nowNs);
        } else {
            completer.onResponse(packet, nowNs);
        }
    }

    /**
     * Runs the tasks once.
     *
     * @return packets sent and other things done.
     */
    int poll(long nowNs, PacketSink sink) {
        int work = responder.poll(nowNs, sink);
        if (completer.poll(nowNs)) {
            work++;
        }
        work += requester.poll(nowNs, sink);
        if (completer.poll(nowNs)) {
            work++;
        }
        if (context.state() == QueuePairState.ERROR) {
            responder.flush();
            context.flush();
        }
        return work;
    }

    /** Whether it wants to be polled again although nothing new came: the sink was full or a budget used up. */
    boolean isUnfinished() {
        return responder.isOwing() || requester.isUnfinished();
    }

    /** When it has to be polled even if nothing comes, or {@link DeadlineQueue#NONE}. */
    long nextDeadlineNs() {
        return Math.min(completer.deadlineNs(), responder.deadlineNs());
    }
}
