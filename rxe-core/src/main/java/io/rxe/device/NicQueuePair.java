package io.rxe.device;

import io.rxe.fault.Verb;
import io.rxe.port.QueuePairObserver;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.ring.Ring;
import io.rxe.ring.StackRoom;
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
import io.rxe.verbs.RequestBatch;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.Transport;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/** The application's side of a queue pair: checks requests and puts them into the rings. Any thread. */
final class NicQueuePair implements QueuePair, QueuePairs.Observed {
    private static final String NO_REQUEST = "the request is null: give one to copy";

    private final Nic nic;
    private final Engine engine;
    private final QueuePairTasks tasks;
    private final QueuePairContext context;
    private final QueuePairConfig config;
    private final NicProtectionDomain domain;
    private final Dependencies dependencies;
    private final QueuePairUse use;
    private final RequestCheck check;
    private final SendEnd sends;
    /** Null when it has no receive queue of its own. */
    private final ReceiveEnd receives;

    NicQueuePair(Nic nic, Engine engine, QueuePairTasks tasks, QueuePairConfig config, NicProtectionDomain domain,
                 Dependencies dependencies) {
        this.nic = nic;
        this.engine = engine;
        this.tasks = tasks;
        this.context = tasks.context();
        this.config = config;
        this.domain = domain;
        this.dependencies = dependencies;
        this.check = nic.faults().concerns(Verb.POST_SEND) || nic.faults().concerns(Verb.POST_RECV)
            ? new FaultyRequestCheck(nic, context, config, domain.regionCheck())
            : new RequestCheck(nic, context, config, domain.regionCheck());
        this.use = new QueuePairUse(nic.state(), context, dependencies);
        this.sends = new SendEnd(nic, engine, tasks, use, check);
        this.receives = config.sharedReceiveQueue() == null && config.type() != QueuePairType.XRC_SEND ? new OwnReceives() : null;
        context.owner(this);
        if (nic.faults().concerns(Verb.POST_RECV) || nic.faults().concerns(Verb.POST_SRQ_RECV)) {
            context.receiveFaults(nic.faults());
        }
    }

    @Override
    public int number() {
        return context.number();
    }

    /** Whether it uses a shared receive queue. */
    boolean isShared() {
        return config.sharedReceiveQueue() != null;
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
        use.checkOpen(Verb.MODIFY_QP);
        if (attributes.state() != QueuePairState.RESET && attributes.state() != QueuePairState.ERROR) {
            use.checkQueuesOpen();
        }
        if (attributes.has(QueuePairAttribute.ADDRESS_VECTOR)) {
            nic.refuseBroadcast("ADDRESS_VECTOR destination", attributes.addressVector().destination());
        }
        if (attributes.has(QueuePairAttribute.ALTERNATE_PATH)) {
            nic.refuseBroadcast("ALTERNATE_PATH destination", attributes.alternatePath().addressVector().destination());
        }
        if (attributes.state() == QueuePairState.RESET || attributes.state() == QueuePairState.ERROR) {
            beginPosted();
        }
        engine.thread().call(() -> engine.modify(tasks, attributes));
    }

    @Override
    public void run(Runnable calls) {
        engine.thread().call(calls);
    }

    @Override
    public QueuePairAttributes query() {
        use.checkNotClosed();
        nic.faults().onCall(Verb.QUERY_QP, 0);
        QueuePairAttributes copy = QueuePairAttributes.to(QueuePairState.RESET);
        engine.thread().call(() -> copy.merge(context.attributes()));
        return copy;
    }

    @Override
    public QueuePairCapabilities capabilities() {
        boolean isSender = type() != QueuePairType.XRC_RECV;
        return new QueuePairCapabilities(isSender ? context.queues().sends().capacity() : 0,
            receives != null ? context.queues().receives().ring().capacity() : 0, isSender ? config.maxSendElements() : 0,
            receives != null ? config.maxReceiveElements() : 0, config.maxInlineBytes(), config.signalAll(),
            receives != null && type() == QueuePairType.RC);
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
        nic.faults().onCall(Verb.BIND_MW, 0);
        boolean posted = sends.post(request, MemoryWindowType.TYPE_1);
        engine.ringDoorbell(tasks);
        return posted;
    }

    @Override
    public boolean postSendDeferred(WorkRequest request) {
        Objects.requireNonNull(request, NO_REQUEST);
        return sends.post(request, MemoryWindowType.TYPE_2);
    }

    @Override
    public RequestBatch<WorkRequest> beginSends() {
        checkUsable();
        return sends.begin();
    }

    @Override
    public void ringDoorbell() {
        checkUsable();
        StackRoom.require();
        engine.ringDoorbell(tasks);
    }

    /** Costs a queue pair in use one comparison: one that was closed is in RESET. */
    private void checkUsable() {
        if (context.state() == QueuePairState.RESET) {
            use.checkOpen();
        }
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
        checkReceiveQueue();
        return receives.post(request);
    }

    @Override
    public RequestBatch<ReceiveRequest> beginReceives() {
        checkReceiveQueue();
        checkUsable();
        return receives.begin();
    }

    private void checkReceiveQueue() {
        if (receives == null) {
            throw new IllegalStateException(use.name() + (context.type() == QueuePairType.XRC_SEND
                ? " receives nothing: post the receive to the peer's shared receive queue"
                : " uses a shared receive queue: post the receive there"));
        }
    }

    final class OwnReceives extends ReceiveEnd {
        OwnReceives() {
            super(context.queues().receives());
        }

        @Override
        void check(ReceiveRequest request) {
            use.checkReceive();
            check.check(request);
        }

        @Override
        void onPosted() {
            VarHandle.fullFence();
            if (context.state() == QueuePairState.ERROR || context.queues().receives().isCreditsLow()) {
                // Wakes the engine, which flushes the request, or grants the peer a credit for it.
                engine.ringDoorbell(tasks);
            }
        }
    }

    @Override
    public void attachMulticast(Gid group) {
        if (context.type() != QueuePairType.UD) {
            throw new IllegalArgumentException("a " + context.type() + " queue pair cannot join a multicast group: use UD");
        }
        checkGroup(group);
        use.checkOpen(Verb.ATTACH_MCAST);
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
    public boolean detachMulticast(Gid group) {
        checkGroup(group);
        use.checkNotClosed();
        domain.checkFree(Verb.DETACH_MCAST);
        return nic.detachMulticast(engine, tasks, group);
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    @Override
    public void observe(QueuePairObserver observer) {
        use.checkOpen();
        if (!engine.thread().call(() -> tasks.observe(observer))) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(number())
                + " belongs to a connection: create another, or disconnect and move it to RESET");
        }
    }

    @Override
    public void forget(QueuePairObserver observer) {
        engine.thread().call(() -> tasks.forget(observer));
    }

    @Override
    public void end(QueuePairObserver observer) {
        beginPosted();
        engine.thread().call(() -> {
            engine.schedule(tasks);
            tasks.end(observer);
        });
    }

    @Override
    public void awaitEnd(QueuePairObserver observer) {
        requestEnd(observer);
        engine.thread().awaitIteration();
        end(observer);
    }

    @Override
    public void requestEnd(QueuePairObserver observer) {
        StackRoom.require();
        tasks.requestEnd(observer);
        engine.ringDoorbell(tasks);
    }

    /** A queue it uses was closed. */
    void onClosed(String dependency) {
        fail(dependency + " was closed");
    }

    /** Goes to ERROR with QP_FATAL, unless it failed before or does nothing yet. */
    void fail(String why) {
        engine.thread().call(() -> engine.fail(tasks, why));
    }

    @Override
    public int outstandingSends() {
        return context.queues().sends().size();
    }

    @Override
    public void drain() {
        use.checkNotClosed();
        engine.thread().call(() -> engine.drain(tasks));
    }

    @Override
    public void close() {
        StackRoom.require(CloseEach.FRAMES);
        if (!use.isClosed()) {
            domain.checkFree(Verb.DESTROY_QP);
        }
        use.close(() -> {
            try {
                beginPosted();
            } finally {
                nic.remove(engine, tasks);
                dependencies.remove(this);
                domain.forget(this);
            }
        });
    }

    /** Command: engine, queues and domain know it from now on; none of them does where there is no memory for all. */
    void join() {
        try {
            engine.add(tasks);
            dependencies.add(this);
            domain.add(this);
        } catch (Throwable e) {
            dependencies.remove(this);
            domain.forget(this);
            engine.remove(tasks);
            throw e;
        }
    }

    /** What was posted begins to leave, as an adapter begins at once: programs end a queue pair right after an unsignaled request. */
    private void beginPosted() {
        int left = Integer.MAX_VALUE;
        while (state() == QueuePairState.RTS && outstandingSends() > 0 && outstandingSends() < left) {
            left = outstandingSends();
            nic.progress().awaitIteration(engine.thread());
        }
    }

    @Override
    public String toString() {
        String queued = context.queues().sends().size() + " of " + context.queues().sends().capacity() + " sends and ";
        Ring<ReceiveRequest> receiveQueue = context.queues().receives().ring();
        return type() + " " + use.name() + (use.isClosed() ? " closed" : " " + state()) + ", peer " + context.peer() + ", " + queued
            + (receives != null ? receiveQueue.size() + " of " + receiveQueue.capacity() + " receives queued"
                : type().transport() == Transport.XRC ? "no receive queue" : "a shared receive queue")
            + (config.attachment() == null ? "" : ", attachment " + config.attachment());
    }
}
