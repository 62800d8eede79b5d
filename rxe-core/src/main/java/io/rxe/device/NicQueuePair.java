package io.rxe.device;

import io.rxe.memory.ScatterGatherList;
import io.rxe.port.Flow;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.context.QueuePairContext;
import io.rxe.qp.context.ReceiveWqe;
import io.rxe.qp.send.SendWqe;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import io.rxe.wire.Psn;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/** The application's side of a queue pair: checks requests and puts them into the rings. */
final class NicQueuePair implements QueuePair {
    private final Nic nic;
    private final Engine engine;
    private final QueuePairTasks tasks;
    private final QueuePairContext context;
    private final QueuePairConfig config;
    private final NicProtectionDomain domain;
    private final AtomicBoolean closed = new AtomicBoolean();

    NicQueuePair(Nic nic, Engine engine, QueuePairTasks tasks, QueuePairConfig config, NicProtectionDomain domain) {
        this.nic = nic;
        this.engine = engine;
        this.tasks = tasks;
        this.context = tasks.context();
        this.config = config;
        this.domain = domain;
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
    public QueuePairState state() {
        return context.state();
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        nic.state().check();
        engine.thread().call(() -> engine.modify(tasks, attributes));
    }

    @Override
    public QueuePairAttributes query() {
        QueuePairAttributes copy = QueuePairAttributes.to(QueuePairState.RESET);
        engine.thread().call(() -> copy.merge(context.attributes()));
        return copy;
    }

    @Override
    public boolean postSend(WorkRequest request) {
        boolean posted = postSendDeferred(request);
        ringDoorbell();
        return posted;
    }

    @Override
    public boolean postSendDeferred(WorkRequest request) {
        QueuePairState state = context.state();
        if (state == QueuePairState.RESET || state == QueuePairState.INIT || state == QueuePairState.RTR) {
            checkOpen();
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(number()) + " is in " + state
                + ": bring it to RTS before posting sends");
        }
        if (state == QueuePairState.ERROR) {
            nic.state().check();
        }
        checkSend(request);
        SendWqe slot = context.sendQueue().claim();
        if (slot == null) {
            return false;
        }
        slot.fill(request);
        context.sendQueue().publish();
        return true;
    }

    @Override
    public void ringDoorbell() {
        engine.ringDoorbell(tasks);
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
        if (config.sharedReceiveQueue() != null) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(number())
                + " uses a shared receive queue: post the receive there");
        }
        if (context.state() == QueuePairState.RESET) {
            checkOpen();
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(number())
                + " is in RESET: bring it to INIT before posting receives");
        }
        if (context.state() == QueuePairState.ERROR) {
            nic.state().check();
        }
        ScatterGatherList list = request.scatterGather();
        if (list.count() > config.maxReceiveElements()) {
            throw new IllegalArgumentException("receive request with " + list.count() + " elements > maxReceiveElements "
                + config.maxReceiveElements() + ": use fewer, or create the queue pair with more");
        }
        ReceiveWqe slot = context.receiveQueue().ring().claim();
        if (slot == null) {
            return false;
        }
        slot.fill(request);
        context.receiveQueue().ring().publish();
        VarHandle.fullFence();
        if (context.state() == QueuePairState.ERROR) {
            // Wakes the engine, which flushes the request.
            ringDoorbell();
        }
        return true;
    }

    private void checkOpen() {
        nic.state().check();
        if (closed.get()) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(number()) + " is closed: create another");
        }
    }

    private void checkSend(WorkRequest request) {
        Operation operation = request.operation();
        if (!operation.isPostable() || context.type() != QueuePairType.RC && !isUnreliable(operation)) {
            throw new IllegalArgumentException("a " + context.type() + " queue pair cannot post " + operation);
        }
        if (context.type() == QueuePairType.UD) {
            checkDatagram(request);
        }
        if (request.isInline()) {
            checkInline(request);
            return;
        }
        ScatterGatherList list = request.scatterGather();
        if (list.count() > config.maxSendElements()) {
            throw new IllegalArgumentException("send request with " + list.count() + " elements > maxSendElements "
                + config.maxSendElements() + ": use fewer, or create the queue pair with more");
        }
        if (list.totalBytes() > ScatterGatherList.MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("message of " + list.totalBytes() + " bytes > "
                + ScatterGatherList.MAX_MESSAGE_BYTES + ": split it");
        }
        if (operation.isReadOrAtomic() && context.attributes().maxRdAtomic() == 0) {
            throw new IllegalArgumentException(operation + " on a queue pair with MAX_RD_ATOMIC 0 could never be sent:"
                + " set MAX_RD_ATOMIC to at least 1");
        }
        if (operation.isAtomic()) {
            checkAtomic(request);
        }
    }

    private boolean isUnreliable(Operation operation) {
        return operation == Operation.SEND || operation == Operation.SEND_WITH_IMMEDIATE
            || operation.isWrite() && context.type() == QueuePairType.UC;
    }

    private void checkDatagram(WorkRequest request) {
        if (request.addressHandle() == null) {
            throw new IllegalArgumentException("a datagram needs a destination: set it with to(...)");
        }
        Flow flow = request.addressHandle().flow();
        if (flow.source() != nic.gid() && !flow.source().equals(nic.gid()) || flow.sourcePort() != nic.udpPort()) {
            throw new IllegalArgumentException("the address handle for " + flow + " belongs to another device than the queue pair's "
                + nic.gid() + " port " + nic.udpPort() + ": create it in a protection domain of this one");
        }
        if (request.remoteQpn() < 1 || request.remoteQpn() > Psn.MASK) {
            throw new IllegalArgumentException("destination QPN 0x" + Integer.toHexString(request.remoteQpn())
                + " is not in 1..0xffffff");
        }
        long bytes = request.isInline() ? request.inlineData().remaining() : request.scatterGather().totalBytes();
        if (bytes > nic.portMtu().bytes()) {
            throw new IllegalArgumentException("datagram of " + bytes + " bytes > port MTU " + nic.portMtu().bytes()
                + ": a UD message is a single packet; send less, or raise the interface MTU");
        }
    }

    @Override
    public void attachMulticast(Gid group) {
        if (context.type() != QueuePairType.UD) {
            throw new IllegalArgumentException("a " + context.type() + " queue pair cannot join a multicast group: use UD");
        }
        if (!group.isMulticast()) {
            throw new IllegalArgumentException(group + " is not a multicast address: use 224.0.0.0/4 or ff00::/8");
        }
        if (group.isIpv4() != nic.gid().isIpv4()) {
            throw new IllegalArgumentException("group " + group + " is of another address family than the port's " + nic.gid());
        }
        nic.state().check();
        nic.attachMulticast(engine, tasks, group);
    }

    @Override
    public void detachMulticast(Gid group) {
        nic.detachMulticast(engine, tasks, group);
    }

    private void checkInline(WorkRequest request) {
        int bytes = request.inlineData().remaining();
        if (bytes > config.maxInlineBytes()) {
            throw new IllegalArgumentException("inline data of " + bytes + " bytes > maxInlineBytes " + config.maxInlineBytes()
                + ": use registered memory, or create the queue pair with more");
        }
        if (request.operation().isReadOrAtomic()) {
            throw new IllegalArgumentException(request.operation() + " brings data back and cannot be inline: add a memory region");
        }
    }

    private static void checkAtomic(WorkRequest request) {
        if ((request.remoteAddress() & 7) != 0) {
            throw new IllegalArgumentException(request.operation() + " at remote address 0x"
                + Long.toHexString(request.remoteAddress()) + ": atomics need 8 byte alignment");
        }
        if (request.scatterGather().totalBytes() < Long.BYTES) {
            throw new IllegalArgumentException(request.operation() + " into " + request.scatterGather().totalBytes()
                + " bytes: the old value needs 8");
        }
    }

    boolean belongsTo(Nic other) {
        return nic == other;
    }

    /** Sets the listener that runs once, on the engine's thread, at the next packet from the peer. */
    void onArrival(Runnable listener) {
        engine.thread().call(() -> tasks.onArrival(listener));
    }

    @Override
    public int outstandingSends() {
        return context.sendQueue().size();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            nic.remove(engine, tasks);
            domain.forget(this);
        }
    }
}
