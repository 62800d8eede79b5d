package io.rxe.device;

import io.rxe.port.QueuePairObserver;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.ReceiveWqe;
import io.rxe.qp.send.SendWqe;
import io.rxe.ring.Ring;
import io.rxe.ring.SharedEnd;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairCapabilities;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.Transport;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** The application's side of a queue pair: checks requests and puts them into the rings. Any thread. */
final class NicQueuePair implements QueuePair {
    private static final String NO_REQUEST = "the request is null: give one to copy";

    private final Nic nic;
    private final Engine engine;
    private final QueuePairTasks tasks;
    private final QueuePairContext context;
    private final QueuePairConfig config;
    private final NicProtectionDomain domain;
    private final Dependencies dependencies;
    private final RequestCheck check;
    private final boolean hasReceiveQueue;
    private final SharedEnd sends = new SharedEnd();
    private final SharedEnd receives = new SharedEnd();
    private final AtomicBoolean closed = new AtomicBoolean();

    NicQueuePair(Nic nic, Engine engine, QueuePairTasks tasks, QueuePairConfig config, NicProtectionDomain domain,
                 Dependencies dependencies) {
        this.nic = nic;
        this.engine = engine;
        this.tasks = tasks;
        this.context = tasks.context();
        this.config = config;
        this.domain = domain;
        this.dependencies = dependencies;
        this.check = new RequestCheck(nic, context, config, domain.regionCheck());
        this.hasReceiveQueue = config.sharedReceiveQueue() == null && config.type() != QueuePairType.XRC_SEND;
        context.owner(this);
    }

    @Override
    public int number() {
        return context.number();
    }

    @Override
    public QueuePairType type() {
        return context.type();
    }

    @Override
    public Object attachment() {
        return config.attachment();
    }

    @Override
    public QueuePairState state() {
        return context.state();
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        Objects.requireNonNull(attributes, "the attributes are null: give the new state and what to change");
        checkOpen();
        if (attributes.state() != QueuePairState.RESET && attributes.state() != QueuePairState.ERROR) {
            dependencies.checkOpen(name());
        }
        if (attributes.has(QueuePairAttribute.ADDRESS_VECTOR)) {
            nic.refuseBroadcast("ADDRESS_VECTOR destination", attributes.addressVector().destination());
        }
        if (attributes.has(QueuePairAttribute.ALTERNATE_PATH)) {
            nic.refuseBroadcast("ALTERNATE_PATH destination", attributes.alternatePath().addressVector().destination());
        }
        engine.thread().call(() -> engine.modify(tasks, attributes));
    }

    /** Runs calls for this queue pair as one command. */
    void run(Runnable calls) {
        engine.thread().call(calls);
    }

    @Override
    public QueuePairAttributes query() {
        checkNotClosed();
        QueuePairAttributes copy = QueuePairAttributes.to(QueuePairState.RESET);
        engine.thread().call(() -> copy.merge(context.attributes()));
        return copy;
    }

    @Override
    public QueuePairCapabilities capabilities() {
        boolean sends = type() != QueuePairType.XRC_RECV;
        return new QueuePairCapabilities(sends ? context.sendQueue().capacity() : 0,
            hasReceiveQueue ? context.receiveQueue().ring().capacity() : 0, sends ? config.maxSendElements() : 0,
            hasReceiveQueue ? config.maxReceiveElements() : 0, config.maxInlineBytes(), config.signalAll(),
            hasReceiveQueue && type() == QueuePairType.RC);
    }

    @Override
    public boolean postSend(WorkRequest request) {
        boolean posted = postSendDeferred(request);
        engine.ringDoorbell(tasks);
        return posted;
    }

    @Override
    public boolean bindWindow(WorkRequest request) {
        Objects.requireNonNull(request, NO_REQUEST);
        if (request.operation() != Operation.BIND_MW) {
            throw new IllegalArgumentException("bindWindow cannot post " + request.operation() + ": use postSend");
        }
        boolean posted = post(request, MemoryWindowType.TYPE_1);
        engine.ringDoorbell(tasks);
        return posted;
    }

    @Override
    public boolean postSendDeferred(WorkRequest request) {
        Objects.requireNonNull(request, NO_REQUEST);
        return post(request, MemoryWindowType.TYPE_2);
    }

    private boolean post(WorkRequest request, MemoryWindowType bound) {
        QueuePairState state = context.state();
        if (state != QueuePairState.RTS) {
            checkPostable(state, state == QueuePairState.INIT || state == QueuePairState.RTR, "RTS before posting sends");
        }
        check.check(request);
        boolean isLocal = request.operation().isLocal();
        if (isLocal) {
            LocalPost.check(nic, request, bound);
        }
        Ring<SendWqe> queue = context.sendQueue();
        sends.enter();
        try {
            SendWqe slot = queue.claim();
            if (slot == null) {
                return false;
            }
            slot.fill(request);
            if (isLocal) {
                LocalPost.fill(request, slot.local());
            }
            queue.publish();
        } finally {
            sends.leave();
        }
        request.onPosted();
        return true;
    }

    /** The slow part of a post: outside RTS it may be refused. */
    private void checkPostable(QueuePairState state, boolean isTooEarly, String wanted) {
        if (state == QueuePairState.RESET || isTooEarly) {
            checkOpen();
            throw new IllegalStateException(name() + " is in " + state + ": bring it to " + wanted);
        }
        if (state == QueuePairState.ERROR) {
            nic.state().check();
            dependencies.checkOpen(name());
        }
    }

    @Override
    public void ringDoorbell() {
        if (context.state() == QueuePairState.RESET) {
            checkOpen();
        }
        engine.ringDoorbell(tasks);
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
        Objects.requireNonNull(request, NO_REQUEST);
        if (!hasReceiveQueue) {
            throw new IllegalStateException(name() + (context.type() == QueuePairType.XRC_SEND ? " receives nothing: post the receive to"
                + " the peer's shared receive queue" : " uses a shared receive queue: post the receive there"));
        }
        QueuePairState state = context.state();
        if (state != QueuePairState.RTS) {
            checkPostable(state, false, "INIT before posting receives");
        }
        check.check(request);
        Ring<ReceiveWqe> queue = context.receiveQueue().ring();
        receives.enter();
        try {
            ReceiveWqe slot = queue.claim();
            if (slot == null) {
                return false;
            }
            slot.fill(request);
            queue.publish();
        } finally {
            receives.leave();
        }
        request.onPosted();
        VarHandle.fullFence();
        if (context.state() == QueuePairState.ERROR || context.receiveQueue().isCreditsLow()) {
            // Wakes the engine, which flushes the request, or grants the peer a credit for it.
            engine.ringDoorbell(tasks);
        }
        return true;
    }

    private String name() {
        return "queue pair 0x" + Integer.toHexString(number());
    }

    private void checkOpen() {
        nic.state().check();
        checkNotClosed();
    }

    private void checkNotClosed() {
        if (closed.get()) {
            nic.state().check();
            throw new IllegalStateException(name() + " is closed: create another");
        }
    }

    @Override
    public void attachMulticast(Gid group) {
        if (context.type() != QueuePairType.UD) {
            throw new IllegalArgumentException("a " + context.type() + " queue pair cannot join a multicast group: use UD");
        }
        checkGroup(group);
        checkOpen();
        nic.attachMulticast(engine, tasks, group);
    }

    private void checkGroup(Gid group) {
        Objects.requireNonNull(group, "the group is null: give its GID");
        if (!group.isMulticast()) {
            throw new IllegalArgumentException(group + " is not a multicast address: use 224.0.0.0/4 or ff00::/8");
        }
        if (group.isIpv4() != nic.gid().isIpv4()) {
            throw new IllegalArgumentException("group " + group + " is of another address family than the port's " + nic.gid());
        }
    }

    @Override
    public void detachMulticast(Gid group) {
        checkGroup(group);
        checkNotClosed();
        nic.detachMulticast(engine, tasks, group);
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    /** Sets the observer, see {@link Nic#observe}. */
    void observe(QueuePairObserver observer) {
        checkOpen();
        if (!engine.thread().call(() -> tasks.observe(observer))) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(number())
                + " belongs to a connection: create another, or disconnect and move it to RESET");
        }
    }

    void forget(QueuePairObserver observer) {
        engine.thread().call(() -> tasks.forget(observer));
    }

    void end(QueuePairObserver observer) {
        engine.thread().call(() -> {
            tasks.end(observer);
            engine.schedule(tasks);
        });
    }

    void awaitEnd(QueuePairObserver observer) {
        requestEnd(observer);
        engine.thread().awaitIteration();
        end(observer);
    }

    void requestEnd(QueuePairObserver observer) {
        tasks.requestEnd(observer);
        engine.ringDoorbell(tasks);
    }

    /** A queue it uses was closed. */
    void onClosed(String dependency) {
        engine.thread().call(() -> engine.fail(tasks, dependency + " was closed"));
    }

    @Override
    public int outstandingSends() {
        return context.sendQueue().size();
    }

    @Override
    public void drain() {
        checkNotClosed();
        engine.thread().call(() -> engine.drain(tasks));
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            nic.remove(engine, tasks);
            dependencies.remove(this);
            domain.forget(this);
        }
    }

    @Override
    public String toString() {
        String queued = context.sendQueue().size() + " of " + context.sendQueue().capacity() + " sends and ";
        Ring<ReceiveWqe> receiveQueue = context.receiveQueue().ring();
        return type() + " " + name() + (closed.get() ? " closed" : " " + state()) + ", peer " + context.peer() + ", " + queued
            + (hasReceiveQueue ? receiveQueue.size() + " of " + receiveQueue.capacity() + " receives queued"
                : type().transport() == Transport.XRC ? "no receive queue" : "a shared receive queue")
            + (config.attachment() == null ? "" : ", attachment " + config.attachment());
    }
}
