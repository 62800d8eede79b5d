package io.rxe.qp;

import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCell;
import io.rxe.counters.QueuePairCounters;
import io.rxe.port.PacketSink;
import io.rxe.port.QueuePairObserver;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.send.SendState;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A queue pair as its engine sees it: its state machines, and when to run them. One subclass for the reliable transport, one for the
 * unreliable ones.
 *
 * <p>Owned by the engine thread, except the doorbell and the request to end.
 */
public abstract sealed class QueuePairTasks extends DeadlineQueue.Entry permits RcQueuePair, UnackedQueuePair {
    /** The fill of the completion queue is sampled in one of 64 polls. */
    private static final int SAMPLE_MASK = 63;

    private final QueuePairContext context;
    private final QueuePairHost host;
    private final SendState send;
    private final QueuePairTransition transition;
    private final Doorbells.Doorbell<QueuePairTasks> doorbell = new Doorbells.Doorbell<>(this);
    /** The observer that asked for ERROR; null for none. */
    private final AtomicReference<QueuePairObserver> endRequest = new AtomicReference<>();
    private boolean ready;
    private QueuePairTasks nextReady;
    private boolean removed;
    private boolean flushed;
    /** What a task threw; null while the queue pair is sound. */
    private Throwable fault;
    private boolean faultReported;
    /** Null for none. */
    private QueuePairObserver observer;
    /** The observer while it waits for the first packet of the peer. */
    private QueuePairObserver arrival;
    private boolean endRequestSeen;
    private int polls;

    QueuePairTasks(QueuePairContext context, QueuePairHost host) {
        this.context = context;
        this.host = host;
        this.send = new SendState(context.queues().sends());
        this.transition = new QueuePairTransition(this, host.ports());
    }

    public static QueuePairTasks of(QueuePairContext context, QueuePairHost host) {
        return switch (context.type()) {
            case RC -> new RcQueuePair(context, host);
            case XRC_SEND, XRC_RECV -> new XrcQueuePair(context, host);
            case UC, UD -> new UnackedQueuePair(context, host);
        };
    }

    public final QueuePairContext context() {
        return context;
    }

    final QueuePairHost host() {
        return host;
    }

    public final SendState send() {
        return send;
    }

    /** What an application rings after it has posted. */
    public final Doorbells.Doorbell<QueuePairTasks> doorbell() {
        return doorbell;
    }

    public final boolean isReady() {
        return ready;
    }

    final void ready(boolean isReady) {
        ready = isReady;
    }

    /** The queue pair behind this one in its {@link ReadyQueue}; null for none. */
    final QueuePairTasks nextReady() {
        return nextReady;
    }

    final void nextReady(QueuePairTasks next) {
        nextReady = next;
    }

    public final boolean isRemoved() {
        return removed;
    }

    /** Whether it was removed; then what was posted meanwhile is dropped too. */
    public final boolean dropIfRemoved() {
        if (removed) {
            context.queues().drop();
        }
        return removed;
    }

    public final void remove() {
        removed = true;
        reset();
    }

    /** Command: sets the observer; false while there is another. */
    public final boolean observe(QueuePairObserver newObserver) {
        if (observer != null) {
            return false;
        }
        observer = newObserver;
        arrival = newObserver;
        if (removed) {
            reportEnd("it was closed");
        }
        return true;
    }

    /** Command: undoes {@link #observe}; no effect with another observer. */
    public final void forget(QueuePairObserver former) {
        if (observer == former) {
            observer = null;
            arrival = null;
        }
    }

    /** Any thread: has a poll soon run {@link #end}, after what has arrived is received and answered. */
    public final void requestEnd(QueuePairObserver by) {
        endRequest.set(by);
    }

    /** Command: moves the queue pair to ERROR for its observer; no effect for another one, whose connection is an older one. */
    public final void end(QueuePairObserver by) {
        if (observer == by) {
            context.enterError();
        }
    }

    /** The first poll only takes note: what arrived before the request is received until the next one. */
    private void takeEndRequest() {
        if (endRequestSeen) {
            end(endRequest.getAndSet(null));
        } else {
            host.schedule(this);
        }
        endRequestSeen = !endRequestSeen;
    }

    private void reportEnd(String cause) {
        if (observer != null) {
            observer.onEnd(cause);
            observer = null;
            arrival = null;
        }
    }

    /** A packet from the peer was accepted. */
    public final void reportArrival() {
        if (arrival != null) {
            QueuePairObserver waiting = arrival;
            arrival = null;
            waiting.onArrival();
        }
    }

    /**
     * A task threw: the queue pair goes to ERROR. Its tasks stopped in the middle of something, so they do not run again before a reset;
     * {@link #poll} only flushes. May throw again while memory is used up: poll tries again.
     */
    public final void onFault(Throwable thrown) {
        if (fault == null && context.state() != QueuePairState.RESET) {
            fault = thrown;
            context.fail();
            context.failure(describe(thrown));
        }
    }

    /** Where memory is used up, without the name of what was thrown. */
    private static String describe(Throwable thrown) {
        try {
            return "its tasks threw " + thrown;
        } catch (Throwable noMemory) {
            return "its tasks threw, and no memory was left to say what";
        }
    }

    /** Whether a task threw since the last reset. */
    public final boolean isFaulty() {
        return fault != null;
    }

    /** After a fault: flushes what is queued, and reports the fault once. Returns whether there was anything to report. */
    public final boolean flushFaulty() {
        context.enterError();
        flush();
        if (faultReported) {
            return false;
        }
        stop();
        context.raise(AsyncEvent.Type.QP_FATAL, describe(fault));
        faultReported = true;
        publishCounters();
        return true;
    }

    private void publishCounters() {
        if (context.counters().isShown()) {
            show(context.counters());
            context.counters().publish();
        }
    }

    /** Fails a queue pair that is connected or being connected, and says why. */
    public final void fail(String why) {
        if (context.state() != QueuePairState.RESET && context.state() != QueuePairState.ERROR) {
            context.fail();
            context.raise(AsyncEvent.Type.QP_FATAL, why);
        }
    }

    /** Goes to ERROR and flushes what is queued at once; does nothing in RESET. */
    public final void drain() {
        if (fault != null) {
            flushFaulty();
        } else if (context.state() != QueuePairState.RESET) {
            context.enterError();
            flush();
        }
    }

    /** Changes state and attributes, or throws and changes nothing. */
    public final void modify(QueuePairAttributes change) {
        transition.modify(change);
    }

    /** Drops everything queued, without completions. */
    final void reset() {
        stop();
        context.queues().drop();
        send.abandon(context.queues().sends().consumerIndex());
        fault = null;
        faultReported = false;
        // The only attribute that a new connection may leave out.
        context.attributes().merge(QueuePairAttributes.to(QueuePairState.RESET).keepAliveNs(0));
        context.path().reset();
        context.state(QueuePairState.RESET);
        reportEnd(removed ? "it was closed" : "it was moved to RESET");
    }

    /**
     * Runs the tasks once. In ERROR, flushes what is queued.
     *
     * @return the number of packets sent and timers handled; 0 = idle.
     */
    public final int poll(long nowNs, PacketSink sink) {
        if (fault != null) {
            return flushFaulty() ? 1 : 0;
        }
        int work = pollTasks(nowNs, sink);
        if (endRequest.get() != null) {
            takeEndRequest();
            work++;
        }
        if (context.state() == QueuePairState.ERROR) {
            // The observer may cause more work, for a later poll of the engine.
            work += observer == null ? 0 : 1;
            flush();
        }
        publishCounters();
        return work;
    }

    /** The queue pair goes to a state in which it works: what is queued from now on is flushed with an event again. */
    final void onWorking() {
        flushed = false;
    }

    private void flush() {
        flushTasks();
        context.queues().flush();
        send.abandon(context.queues().sends().consumerIndex());
        if (!flushed && context.queues().receives().isShared()) {
            context.raise(AsyncEvent.Type.QP_LAST_WQE_REACHED, "");
        }
        flushed = true;
        reportEnd(context.failure() == null ? "it was moved to ERROR" : context.failure());
    }

    private void show(QueuePairCounters counters) {
        counters.show(QueuePairCell.NEXT_PSN, send.nextSeq() & Psn.MASK);
        counters.show(QueuePairCell.ACKED_PSN, send.ackedSeq() & Psn.MASK);
        counters.show(QueuePairCell.OUTSTANDING, send.nextSeq() - send.ackedSeq());
        int queued = context.queues().sends().size();
        counters.show(QueuePairCell.SENDS_QUEUED, queued);
        counters.mark(QueuePairCell.SEND_QUEUE_HIGH_WATER, queued);
        if ((polls++ & SAMPLE_MASK) == 0) {
            // Reading the application's index takes its cache line, which would slow both sides down in every poll.
            context.queues().mark();
        }
        showTasks(counters);
    }

    /** INIT to RTR. */
    abstract void startReceiving();

    /** RTR to RTS. */
    abstract void startSending();

    /** RTS to SQD. */
    abstract void startDraining();

    /**
     * SQD to SQD, once drained: an attribute of the send side may have changed.
     *
     * @param isNewPath whether the address vector has.
     */
    abstract void changeWhileDrained(boolean isNewPath);

    /** The time of the keep-alive has changed. */
    void changeKeepAlive() {
        // Only the reliable transport has one.
    }

    /** To ERROR, as the application asks. */
    void abandonReads() {
        // Only the reliable transports answer READs.
    }

    /** To RESET. */
    abstract void stop();

    /** Processes a packet. Its headers, addressing and ICRC are checked already. */
    public abstract void onPacket(InboundPacket packet, long nowNs);

    /**
     * A packet was accepted that a router had marked; after {@link #onPacket}. No rxe says that routers may mark packets which never carry
     * payload.
     */
    public void onMarked(Opcode opcode, long nowNs) {
        context.counters().count(NicCounter.NP_ECN_MARKED_ROCE_PACKETS);
    }

    /** The peer notified this side of congestion on the way to it, with a CNP. */
    public void onNotified(long nowNs) {
        context.counters().count(NicCounter.RP_CNP_IGNORED);
    }

    abstract int pollTasks(long nowNs, PacketSink sink);

    /** Shows PSNs, windows and retries in the counter file. */
    abstract void showTasks(QueuePairCounters counters);

    /** In ERROR: flushes the receive request that a message in progress uses. Nothing is sent any more. */
    abstract void flushTasks();

    /** Whether to poll again although nothing new arrived: the sink was full or a budget used up. */
    public abstract boolean isUnfinished();

    /** When it has to be polled even if nothing arrives, or {@link DeadlineQueue#NONE}. */
    public abstract long nextDeadlineNs();

    /** Which timers run and when each expires, for debuggers and failure reports. */
    public abstract String timers();

    @Override
    public final String toString() {
        return "QPN 0x" + Integer.toHexString(context.number()) + " " + context.type() + " " + context.state() + ": " + timers();
    }
}
