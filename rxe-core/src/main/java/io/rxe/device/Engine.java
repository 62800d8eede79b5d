package io.rxe.device;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.EngineEvents;
import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCounters;
import io.rxe.memory.KeyCache;
import io.rxe.memory.KeyTable;
import io.rxe.port.CounterSpace;
import io.rxe.port.DrivenEngine;
import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.Doorbells;
import io.rxe.qp.PortSettings;
import io.rxe.qp.QueuePairHost;
import io.rxe.qp.QueuePairTasks;
import io.rxe.qp.ReadyQueue;
import io.rxe.qp.context.FramePool;
import io.rxe.qp.context.GracePeriods;
import io.rxe.qp.context.InboundPacket;
import io.rxe.qp.context.PendingNotifications;
import io.rxe.qp.send.Peers;
import io.rxe.time.DeadlineQueue;
import io.rxe.time.HostDelay;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Opcode;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The core of the NIC for one thread: hands each packet to its queue pair and schedules the queue pairs that have work, round robin.
 *
 * <p>Four kinds of methods: the input {@link #onPacket}, the output {@link #poll}, commands (through {@link EngineThread#call} and the
 * doorbell), and getters. One thread drives an engine; time is an argument and never goes back. An idle queue pair costs nothing,
 * because it is in no list.
 */
public final class Engine implements QueuePairHost, DrivenEngine {
    /** Most queue pairs that get a timeslice in one poll. */
    private static final int MAX_TIMESLICES = 256;
    /** Packets and other work after which a poll starts no further timeslice, so that the loop can receive acknowledgements. */
    private static final int MAX_WORK = 256;
    /** Most doorbells that one poll answers: threads that post without a pause ring as fast. */
    private static final int MAX_DOORBELLS = 4096;
    /** Until a queue pair that could not be flushed is tried again. */
    private static final long FLUSH_RETRY_NS = 10_000_000;

    private final PortSettings ports;
    private final EngineThread thread;
    private final CounterSpace counterSpace;
    private final CounterSpace.Owner owner;
    private final EngineCounters counters;
    private final EngineEvents events = new EngineEvents();
    private final QueuePairTable queuePairs;
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final ReadyQueue ready = new ReadyQueue();
    private final Doorbells<QueuePairTasks> doorbells = new Doorbells<>();
    private final KeyCache keys;
    private final PendingNotifications notifications;
    private final Peers peers;
    private final HostDelay hostDelay = new HostDelay();
    private final FramePool frames;
    private final PacketAdmission admission;
    private final InboundPacket packet = new InboundPacket();
    private final GroupMembers groups = new GroupMembers();
    private final Gsi gsi;
    private final DeviceState device;
    private final EngineFailure failure;
    private final GracePeriods gracePeriods;
    private long nowNs;

    /** @param all the engines of the device, with this one when it is used. */
    Engine(DeviceState device, NicConfig config, int index, EngineThread thread, CounterSpace counterSpace, KeyTable keys,
           List<Engine> all) {
        this.device = device;
        this.ports = new PortSettings(config.gids(), config.udpPort(), config.portMtu(), config.pathBytes(), config.partitionKeys(),
            config.ecn(), config.congestion());
        this.thread = thread;
        this.notifications = new PendingNotifications(thread);
        this.counterSpace = counterSpace;
        this.owner = new CounterSpace.Owner(config.gid(), config.udpPort(), index);
        this.counters = new EngineCounters(counterSpace, owner);
        this.keys = new KeyCache(keys);
        this.frames = new FramePool(config.engineReorderBytes());
        this.peers = new Peers(config.peerWindowBytes(), config.pathBytes());
        this.admission = new PacketAdmission(config, counters);
        this.gsi = new Gsi(config, counters, events);
        this.queuePairs = new QueuePairTable(index, config.engines());
        this.failure = new EngineFailure(device, "engine " + index + " of the NIC at " + config.gid(), queuePairs, notifications);
        this.gracePeriods = new EngineGracePeriods(all, this);
    }

    /** The thread that drives this engine. Any thread may call. */
    public EngineThread thread() {
        return thread;
    }

    QueuePairTable queuePairs() {
        return queuePairs;
    }

    KeyCache keys() {
        return keys;
    }

    /** Completion queues with completions that their channels have not been notified of. Engine thread. */
    PendingNotifications pendingNotifications() {
        return notifications;
    }

    @Override
    public PortSettings ports() {
        return ports;
    }

    @Override
    public FramePool frames() {
        return frames;
    }

    @Override
    public Peers peers() {
        return peers;
    }

    @Override
    public HostDelay hostDelay() {
        return hostDelay;
    }

    @Override
    public GracePeriods gracePeriods() {
        return gracePeriods;
    }

    @Override
    public void offload(QueuePairTasks queuePair, Runnable work) {
        thread.offload(() -> {
            try {
                work.run();
            } finally {
                ringDoorbell(queuePair);
            }
        });
    }

    /**
     * Command: sets the agent that handles the datagrams of queue pair 1.
     *
     * @throws IllegalStateException when there is one, or the device is closed or failed.
     */
    public void manage(ManagementAgent agent) {
        device.check();
        gsi.agent(agent);
    }

    /** Counters of this engine; readable from any thread. */
    public EngineCounters counters() {
        return counters;
    }

    QueuePairCounters openCounters(int number, QueuePairType type) {
        return QueuePairCounters.open(counters, events, counterSpace, owner, number, type.ordinal());
    }

    /** Command: sets the observer that is notified of every event; {@link EngineObserver#NONE} for none. */
    public void observe(EngineObserver observer) {
        events.observer(observer);
    }

    /** The time of the last input or poll. */
    public long nowNs() {
        return nowNs;
    }

    /** No queue pair changes unless the ICRC is right (rule R16). */
    @Override
    public void onPacket(DirectBuffer buffer, int offset, int length, Flow flow, long nowNs) {
        this.nowNs = nowNs;
        events.now(nowNs);
        DropReason reason = HeaderValidator.check(buffer, offset, length);
        if (reason != DropReason.NONE) {
            drop(0, reason);
            return;
        }
        packet.wrap(buffer, offset, length, flow);
        if (packet.destinationQpn() == Gsi.QPN) {
            onManagement(nowNs);
            return;
        }
        if (packet.destinationQpn() == Bth.MULTICAST_QPN) {
            onMulticast(nowNs);
            return;
        }
        QueuePairTasks queuePair = queuePairs.find(packet.destinationQpn());
        reason = queuePair == null ? DropReason.UNKNOWN_QUEUE_PAIR : admission.checkUnicast(packet, queuePair.context());
        if (reason != DropReason.NONE) {
            drop(packet.destinationQpn(), reason);
            return;
        }
        accept(queuePair, nowNs);
    }

    private void drop(int qpn, DropReason reason) {
        if (reason == DropReason.WRONG_PARTITION_KEY) {
            PacketAdmission.reportPartition(packet, queuePairs.find(qpn), events);
        }
        counters.drop(reason);
        events.report(EngineEvent.DROP, qpn, 0, reason.id());
    }

    private void accept(QueuePairTasks queuePair, long nowNs) {
        QueuePairCounters own = queuePair.context().counters();
        own.count(NicCounter.RCVD_PKTS);
        own.count(NicCounter.RCVD_BYTES, packet.length());
        boolean isMarked = packet.flow().isCongestionExperienced();
        Opcode opcode = packet.opcode();
        try {
            if (opcode.isNotification()) {
                queuePair.onNotified(nowNs);
                return;
            }
            queuePair.onPacket(packet, nowNs);
            if (isMarked) {
                queuePair.onMarked(opcode, nowNs);
            }
        } catch (Throwable fault) {
            onFault(queuePair, fault);
        }
        try {
            queuePair.reportArrival();
        } catch (Throwable fault) {
            thread.report("a listener for the first packet of a queue pair", fault);
        }
        schedule(queuePair);
    }

    /** A task threw. That queue pair fails and the others go on. */
    private void onFault(QueuePairTasks queuePair, Throwable fault) {
        boolean isFirst = !queuePair.isFaulty();
        try {
            queuePair.onFault(fault);
        } catch (Throwable second) {
            // Memory is used up. The flush below completes what is missing, now or later.
        }
        if (isFirst) {
            schedule(queuePair);
            EngineFailure.report(thread, queuePair, fault);
        } else {
            deadlines.set(queuePair, nowNs + FLUSH_RETRY_NS);
        }
    }

    /**
     * Fails the device, because its surroundings can no longer drive this engine or it threw something that no queue pair caused. Every
     * queue pair of the device goes to ERROR, what is outstanding is flushed, and DEVICE_FATAL is raised. Later verbs throw
     * IllegalStateException with the reason; polling completion queues, and closing, still work. What lacks memory is done by later polls
     * or calls. Never throws. Engine thread, or any after it ended.
     */
    @Override
    public void fail(Throwable fault) {
        failure.begin(fault);
        failure.proceed(nowNs);
    }

    private void onManagement(long nowNs) {
        DropReason reason = gsi.check(packet);
        if (reason == DropReason.NONE) {
            reason = admission.checkManagement(packet);
        }
        if (reason != DropReason.NONE) {
            drop(packet.destinationQpn(), reason);
            return;
        }
        counters.count(NicCounter.RCVD_PKTS);
        counters.count(NicCounter.RCVD_BYTES, packet.length());
        try {
            gsi.onPacket(packet, nowNs);
        } catch (Throwable fault) {
            onManagementFault(fault);
        }
    }

    /** Hands a multicast datagram to every member of its group; each member that cannot take it counts a drop of its own. */
    private void onMulticast(long nowNs) {
        List<QueuePairTasks> members = groups.members(packet.flow().destination());
        DropReason reason = members.isEmpty() ? DropReason.UNKNOWN_QUEUE_PAIR : admission.checkIcrc(packet);
        if (reason != DropReason.NONE) {
            drop(packet.destinationQpn(), reason);
            return;
        }
        for (QueuePairTasks member : members) {
            DropReason memberReason = admission.checkTransport(packet, member.context());
            if (memberReason == DropReason.NONE) {
                accept(member, nowNs);
            } else {
                drop(member.context().number(), memberReason);
            }
        }
    }

    /**
     * Sends what is due: notifies completion channels, schedules queue pairs with a doorbell or a deadline, then gives scheduled queue
     * pairs a timeslice each.
     */
    @Override
    public int poll(long nowNs, PacketSink sink) {
        this.nowNs = nowNs;
        events.now(nowNs);
        keys.pass();
        if (failure.isDue(nowNs)) {
            failure.proceed(nowNs);
        }
        notifications.notifyBeforeAcknowledging();
        int answered = 0;
        for (QueuePairTasks rung = doorbells.poll(); rung != null; rung = ++answered < MAX_DOORBELLS ? doorbells.poll() : null) {
            schedule(rung);
        }
        DeadlineQueue.Entry due = deadlines.pollDue(nowNs);
        while (due != null) {
            schedule((QueuePairTasks) due);
            due = deadlines.pollDue(nowNs);
        }
        int work = pollManagement(nowNs, sink) + runTimeslices(nowNs, sink) + answered / MAX_DOORBELLS;
        if (notifications.isWaiting()) {
            // Received messages are acknowledged, unless the sink is full, timeslices are used up or the acknowledgement waits.
            notifications.notifyChannels();
            work++;
        }
        counters.publish();
        return work;
    }

    /** Packets to a destination are lost because of this host: connection management gives up what it began there, see its agent. */
    @Override
    public void onSendFailed(Gid destination, String why) {
        gsi.onSendFailed(destination, why);
    }

    private int pollManagement(long nowNs, PacketSink sink) {
        try {
            return gsi.poll(nowNs, sink);
        } catch (Throwable fault) {
            onManagementFault(fault);
            return 0;
        }
    }

    /** Without memory connection management loses events and timers, and who waits for those would wait for ever: the device fails. */
    private void onManagementFault(Throwable fault) {
        thread.report("connection management", fault);
        if (fault instanceof OutOfMemoryError) {
            fail(fault);
        }
    }

    /** Gives scheduled queue pairs a timeslice each, within the bounds of one poll. The others come first in the next poll. */
    private int runTimeslices(long nowNs, PacketSink sink) {
        int work = 0;
        int scheduled = ready.size();
        int timeslices = 0;
        while (timeslices < Math.min(MAX_TIMESLICES, scheduled) && work < MAX_WORK) {
            timeslices++;
            QueuePairTasks queuePair = ready.poll();
            if (!queuePair.isRemoved()) {
                work += runTasks(queuePair, nowNs, sink);
            }
        }
        if (timeslices == scheduled && ready.size() > 1) {
            // Every queue pair had its timeslice. Rotate, since the first one may fill the sink and leave the others no room.
            ready.add(ready.poll());
        }
        return work;
    }

    private int runTasks(QueuePairTasks queuePair, long nowNs, PacketSink sink) {
        try {
            int work = queuePair.poll(nowNs, sink);
            afterPoll(queuePair);
            return work;
        } catch (Throwable fault) {
            onFault(queuePair, fault);
            return 1;
        }
    }

    private void afterPoll(QueuePairTasks queuePair) {
        if (queuePair.isFaulty()) {
            return;
        }
        if (queuePair.isUnfinished()) {
            schedule(queuePair);
        }
        // A deadline that moved later stays in the queue: the queue pair is polled at the old one, which sets the new one. Moving it at
        // every packet would cost more.
        long deadline = queuePair.nextDeadlineNs();
        if (deadline < queuePair.deadlineNs()) {
            deadlines.set(queuePair, deadline);
        }
    }

    @Override
    public long nextDeadlineNs() {
        return ready.isEmpty() && !notifications.isWaiting()
            ? Math.min(nextTimerNs(), failure.nextDeadlineNs()) : nowNs;
    }

    @Override
    public long nextTimerNs() {
        return Math.min(deadlines.earliestNs(), gsi.nextDeadlineNs());
    }

    @Override
    public void schedule(QueuePairTasks queuePair) {
        if (!queuePair.dropIfRemoved()) {
            ready.add(queuePair);
        }
    }

    /** Notifies the engine of requests posted to a queue pair. Any thread. */
    void ringDoorbell(QueuePairTasks queuePair) {
        if (thread.isCurrent()) {
            schedule(queuePair);
            thread.wake();
        } else if (doorbells.ring(queuePair.doorbell())) {
            thread.wake();
        }
    }

    /** Command: takes a new queue pair, and makes the room its timers need, since there may be no memory later. */
    void add(QueuePairTasks queuePair) {
        deadlines.reserve(queuePairs.size() + 1);
        queuePairs.add(queuePair);
    }

    /** Command: carries out a change of state and attributes, or rejects it as a whole. */
    void modify(QueuePairTasks queuePair, QueuePairAttributes change) {
        checkPresent(queuePair);
        // First: where it throws for want of memory, it may be in ERROR, and has to be flushed.
        schedule(queuePair);
        queuePair.modify(change);
    }

    /** Command: fails a queue pair that cannot go on, unless it failed before or does nothing yet. */
    void fail(QueuePairTasks queuePair, String why) {
        if (!queuePair.isRemoved()) {
            schedule(queuePair);
            queuePair.fail(why);
        }
    }

    /** Command: moves a queue pair to ERROR and completes everything queued, before it returns. */
    void drain(QueuePairTasks queuePair) {
        checkPresent(queuePair);
        schedule(queuePair);
        queuePair.drain();
    }

    /** Command: delivers datagrams of a multicast group to a queue pair; false when it is a member already. */
    boolean attach(QueuePairTasks queuePair, Gid group) {
        checkPresent(queuePair);
        return groups.attach(queuePair, group);
    }

    /** Command: undoes {@link #attach}; false when it was no member. */
    boolean detach(QueuePairTasks queuePair, Gid group) {
        return groups.detach(queuePair, group);
    }

    private static void checkPresent(QueuePairTasks queuePair) {
        if (queuePair.isRemoved()) {
            throw new IllegalStateException("queue pair 0x" + Integer.toHexString(queuePair.context().number())
                + " is closed: create another");
        }
    }

    /**
     * Command: resets a queue pair and takes it out of the engine; its number is not reused for a while.
     *
     * @return the multicast groups it was a member of.
     */
    List<Gid> remove(QueuePairTasks queuePair) {
        List<Gid> left = queuePair.context().type() == QueuePairType.UD ? groups.detach(queuePair) : List.of();
        deadlines.remove(queuePair);
        queuePairs.remove(queuePair, nowNs);
        queuePair.remove();
        queuePair.context().counters().close();
        return left;
    }
}
