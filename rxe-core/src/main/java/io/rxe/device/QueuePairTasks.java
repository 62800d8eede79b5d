package io.rxe.device;

import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.AttributeLimits;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.QueuePairContext;
import io.rxe.qp.SendState;
import io.rxe.qp.TransitionTable;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Psn;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A queue pair as its engine sees it: its state machines and when to run them. One subclass for the reliable transport, one for the
 * unreliable ones.
 *
 * <p>Owned by the engine thread, but for the doorbell.
 */
abstract class QueuePairTasks extends DeadlineQueue.Entry {
    /** The completion queue's fill is looked at in one poll of so many. */
    private static final int COMPLETION_SAMPLES = 63;

    private final QueuePairContext context;
    private final NicConfig config;
    private final SendState send;
    private final AtomicBoolean doorbell = new AtomicBoolean();
    private boolean ready;
    private boolean removed;
    private boolean flushed;
    private Runnable arrival;
    private int polls;

    QueuePairTasks(QueuePairContext context, NicConfig config) {
        this.context = context;
        this.config = config;
        this.send = new SendState(context.sendQueue());
    }

    /** The tasks of a new queue pair. */
    static QueuePairTasks of(QueuePairContext context, NicConfig config, Engine engine) {
        return switch (context.type()) {
            case RC -> new ReliableTasks(context, config, engine);
            case UC, UD -> new UnreliableTasks(context, config);
        };
    }

    final QueuePairContext context() {
        return context;
    }

    final NicConfig config() {
        return config;
    }

    final SendState send() {
        return send;
    }

    /** Application: true when the engine has to be told; false when it was told and has not looked yet. */
    final boolean ring() {
        return !doorbell.getAndSet(true);
    }

    final void answerDoorbell() {
        doorbell.set(false);
    }

    final boolean isReady() {
        return ready;
    }

    final void ready(boolean isReady) {
        ready = isReady;
    }

    final boolean isRemoved() {
        return removed;
    }

    final void remove() {
        removed = true;
        reset();
    }

    /** Command: what runs once, with the next packet from the peer; null for nothing. */
    final void onArrival(Runnable listener) {
        arrival = listener;
    }

    /** A packet has been taken. */
    final void reportArrival() {
        if (arrival != null) {
            Runnable listener = arrival;
            arrival = null;
            listener.run();
        }
    }

    /** Carries out a change of state and attributes, or refuses it whole. */
    final void modify(QueuePairAttributes change) {
        QueuePairState from = context.state();
        QueuePairState to = change.state();
        TransitionTable.check(context.type(), from, change);
        AttributeLimits.check(change, config.gid(), config.portMtu());
        if (to == QueuePairState.RESET) {
            reset();
            return;
        }
        if (to == QueuePairState.ERROR) {
            context.attributes().merge(change);
            context.state(QueuePairState.ERROR);
            return;
        }
        context.attributes().merge(change);
        connect(change);
        if (from == QueuePairState.INIT && to == QueuePairState.RTR) {
            startReceiving();
        } else if (from == QueuePairState.RTR && to == QueuePairState.RTS) {
            send.start(context.attributes().sendPsn());
            startSending();
        } else if (from == QueuePairState.RTS && to == QueuePairState.SQD) {
            // Asked for anew each time (rule Q13).
            context.attributes().drainedNotification(change.isDrainedNotification());
            startDraining();
        } else if (from == QueuePairState.SQD) {
            changeWhileDrained();
        }
        flushed = false;
        context.state(to);
    }

    private void connect(QueuePairAttributes change) {
        QueuePairAttributes attributes = context.attributes();
        if (change.has(QueuePairAttribute.ADDRESS_VECTOR) || change.has(QueuePairAttribute.PATH_MTU)) {
            Flow flow = new Flow(config.gid(), attributes.addressVector().destination(), config.udpPort(),
                attributes.addressVector().udpPort());
            context.connect(flow, attributes.pathMtu().bytes());
        } else if (!attributes.has(QueuePairAttribute.ADDRESS_VECTOR)) {
            context.connect(null, config.portMtu().bytes());
        }
    }

    /** Everything queued is forgotten without a completion. */
    private void reset() {
        stop();
        context.sendQueue().release(context.sendQueue().producerIndex());
        if (!context.receiveQueue().isShared()) {
            context.receiveQueue().ring().release(context.receiveQueue().ring().producerIndex());
        }
        send.abandon(context.sendQueue().consumerIndex());
        context.attributes().merge(QueuePairAttributes.to(QueuePairState.RESET));
        context.state(QueuePairState.RESET);
    }

    /**
     * Runs the tasks once, and in ERROR flushes what is queued.
     *
     * @return packets sent and other things done.
     */
    final int poll(long nowNs, PacketSink sink) {
        int work = pollTasks(nowNs, sink);
        if (context.state() == QueuePairState.ERROR) {
            flushReceiveInUse();
            context.flush();
            if (!flushed && context.receiveQueue().isShared()) {
                context.raise(AsyncEvent.Type.QP_LAST_WQE_REACHED, "");
            }
            flushed = true;
        }
        if (context.counters().isShown()) {
            show(context.counters());
        }
        return work;
    }

    private void show(QueuePairCounters counters) {
        counters.show(QueuePairCell.NEXT_PSN, send.nextSeq() & Psn.MASK);
        counters.show(QueuePairCell.ACKED_PSN, send.ackedSeq() & Psn.MASK);
        counters.show(QueuePairCell.OUTSTANDING, send.nextSeq() - send.ackedSeq());
        int queued = context.sendQueue().size();
        counters.show(QueuePairCell.SENDS_QUEUED, queued);
        counters.mark(QueuePairCell.SEND_QUEUE_HIGH_WATER, queued);
        if ((polls++ & COMPLETION_SAMPLES) == 0) {
            // The application's index is in its own cache: looking at it every time would slow both sides down.
            context.markQueues();
        }
        showTasks(counters);
    }

    /** INIT to RTR. */
    abstract void startReceiving();

    /** RTR to RTS. */
    abstract void startSending();

    /** RTS to SQD. */
    abstract void startDraining();

    /** An attribute may have changed in SQD, or on the way back to RTS. */
    abstract void changeWhileDrained();

    /** To RESET. */
    abstract void stop();

    /** A packet that was checked as far as its ICRC. */
    abstract void onPacket(InboundPacket packet, long nowNs);

    abstract int pollTasks(long nowNs, PacketSink sink);

    /** Shows where the tasks stand. */
    abstract void showTasks(QueuePairCounters counters);

    /** In ERROR: flushes the receive request that a message had begun to use. */
    abstract void flushReceiveInUse();

    /** Whether it wants to be polled again although nothing new came: the sink was full or a budget used up. */
    abstract boolean isUnfinished();

    /** When it has to be polled even if nothing comes, or {@link DeadlineQueue#NONE}. */
    abstract long nextDeadlineNs();
}
