package io.rxe.device;

import io.rxe.counters.EngineCounters;
import io.rxe.counters.EventRing;
import io.rxe.counters.NicCounter;
import io.rxe.counters.QueuePairCounters;
import io.rxe.memory.KeyCache;
import io.rxe.memory.KeyTable;
import io.rxe.port.CounterSpace;
import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.port.EngineThread;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.qp.CompletionNotices;
import io.rxe.qp.FramePool;
import io.rxe.qp.InboundPacket;
import io.rxe.qp.PeerWindow;
import io.rxe.qp.QueuePairContext;
import io.rxe.time.DeadlineQueue;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.IcrcVerdict;
import io.rxe.wire.Opcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * The core of the NIC for one thread: finds the queue pair of each packet, and lets queue pairs that have something to do take turns.
 *
 * <p>Four kinds of methods: the input {@link #onPacket}, the output {@link #poll}, commands (through {@link EngineThread#call} and the
 * doorbell), and getters. One thread drives an engine; time is an argument and never goes back. An idle queue pair costs nothing: it
 * is in no list.
 */
public final class Engine {
    /** The default partition key without its membership bit. */
    private static final int DEFAULT_PARTITION = 0x7FFF;
    /** Destination of datagrams to a group. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;
    /** Requests kept out of order at once, by all queue pairs together; some 17 MB. */
    private static final int MAX_KEPT_FRAMES = 4096;
    /** Queue pairs served in one poll. */
    private static final int TURNS = 256;
    /** Done in one poll, about: then answers are looked for. */
    private static final int WORK = 256;

    private final NicConfig config;
    private final EngineThread thread;
    private final CounterSpace space;
    private final CounterSpace.Owner owner;
    private final EngineCounters counters;
    private final EventRing events = new EventRing();
    private final QueuePairTable queuePairs;
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final ArrayDeque<QueuePairTasks> ready = new ArrayDeque<>();
    private final MpscUnboundedArrayQueue<QueuePairTasks> doorbells = new MpscUnboundedArrayQueue<>(1024);
    private final KeyCache keys;
    private final CompletionNotices notices = new CompletionNotices();
    private final PeerWindow.Peers peers;
    private final FramePool frames = new FramePool(MAX_KEPT_FRAMES);
    private final Icrc icrc = new Icrc();
    private final IpIdTracker ipIds = new IpIdTracker();
    private final InboundPacket packet = new InboundPacket();
    private final Map<Gid, List<QueuePairTasks>> groups = new HashMap<>();
    private final GeneralServices services;
    private long nowNs;

    Engine(NicConfig config, int index, EngineThread thread, CounterSpace space, KeyTable keys) {
        this.config = config;
        this.thread = thread;
        this.space = space;
        this.owner = new CounterSpace.Owner(config.gid(), config.udpPort(), index);
        this.counters = new EngineCounters(space, owner);
        this.keys = new KeyCache(keys);
        this.peers = new PeerWindow.Peers(config.peerWindowBytes());
        this.services = new GeneralServices(config, counters, events);
        this.queuePairs = new QueuePairTable(index, config.engines());
    }

    /** The way onto the thread that drives it. */
    public EngineThread thread() {
        return thread;
    }

    QueuePairTable queuePairs() {
        return queuePairs;
    }

    /** The memory registered with the device. */
    KeyCache keys() {
        return keys;
    }

    /** Completion queues whose channels are to be told. */
    CompletionNotices notices() {
        return notices;
    }

    /** Room for requests that arrive out of order. */
    FramePool frames() {
        return frames;
    }

    /** What may be under way to each peer. */
    PeerWindow.Peers peers() {
        return peers;
    }

    /** Command: puts an agent in charge of queue pair 1; null takes it away. */
    public void manage(ManagementAgent agent) {
        services.agent(agent);
    }

    /** Counters of this engine; readable from any thread. */
    public EngineCounters counters() {
        return counters;
    }

    /** Counters for a new queue pair of this engine. */
    QueuePairCounters openCounters(int number, QueuePairType type) {
        return QueuePairCounters.open(counters, events, space, owner, number, type.ordinal());
    }

    /** Command: who hears of events, {@link EngineObserver#NONE} for nobody. */
    public void observe(EngineObserver observer) {
        events.observer(observer);
    }

    /** The last events; to be read on the engine's thread. */
    public EventRing events() {
        return events;
    }

    /** The time of the last input or poll. */
    public long nowNs() {
        return nowNs;
    }

    /**
     * Takes one received datagram and consumes it before it returns. Nothing changes unless its ICRC is right (rule R16).
     *
     * @param buffer with the UDP payload.
     * @param offset of the BTH.
     * @param length bytes of the UDP payload, with the ICRC.
     * @param flow   the way it came: source is the peer.
     * @param now    nanoseconds, any origin.
     */
    public void onPacket(DirectBuffer buffer, int offset, int length, Flow flow, long now) {
        nowNs = now;
        events.now(now);
        DropReason reason = HeaderValidator.check(buffer, offset, length);
        if (reason != DropReason.NONE) {
            drop(0, reason);
            return;
        }
        packet.wrap(buffer, offset, length, flow);
        if (packet.destinationQpn() == GeneralServices.QPN) {
            onManagement(now);
            return;
        }
        if (packet.destinationQpn() == MULTICAST_QPN) {
            onMulticast(now);
            return;
        }
        QueuePairTasks queuePair = queuePairs.find(packet.destinationQpn());
        reason = queuePair == null ? DropReason.UNKNOWN_QUEUE_PAIR : checkAddressing(queuePair.context());
        if (reason == DropReason.NONE) {
            reason = checkIcrc();
        }
        if (reason != DropReason.NONE) {
            drop(packet.destinationQpn(), reason);
            return;
        }
        accept(queuePair, now);
    }

    private void drop(int qpn, DropReason reason) {
        counters.drop(reason);
        events.record(EngineEvent.DROP, qpn, 0, reason.id());
    }

    private void accept(QueuePairTasks queuePair, long now) {
        QueuePairCounters own = queuePair.context().counters();
        own.count(NicCounter.RCVD_PKTS);
        own.count(NicCounter.RCVD_BYTES, packet.length());
        queuePair.onPacket(packet, now);
        queuePair.reportArrival();
        schedule(queuePair);
    }

    private void onManagement(long now) {
        DropReason reason = services.check(packet);
        if (reason == DropReason.NONE) {
            reason = checkPartition();
        }
        if (reason == DropReason.NONE) {
            reason = checkIcrc();
        }
        if (reason != DropReason.NONE) {
            drop(packet.destinationQpn(), reason);
            return;
        }
        counters.count(NicCounter.RCVD_PKTS);
        counters.count(NicCounter.RCVD_BYTES, packet.length());
        services.onPacket(packet, now);
    }

    /** A datagram to a group reaches every member that would take it from anybody. */
    private void onMulticast(long now) {
        List<QueuePairTasks> members = groups.getOrDefault(packet.flow().destination(), List.of());
        DropReason reason = members.isEmpty() ? DropReason.UNKNOWN_QUEUE_PAIR : checkIcrc();
        if (reason != DropReason.NONE) {
            drop(packet.destinationQpn(), reason);
            return;
        }
        for (QueuePairTasks member : members) {
            DropReason refusal = checkTransport(member.context());
            if (refusal == DropReason.NONE) {
                accept(member, now);
            } else {
                drop(member.context().number(), refusal);
            }
        }
    }

    /** rxe: hdr_check, check_type_state, check_keys, check_addr. */
    private DropReason checkAddressing(QueuePairContext context) {
        DropReason reason = checkTransport(context);
        if (reason != DropReason.NONE) {
            return reason;
        }
        if (context.type() != QueuePairType.UD && !packet.flow().source().equals(context.flow().destination())) {
            return DropReason.WRONG_SOURCE_ADDRESS;
        }
        return packet.flow().destination().equals(config.gid()) ? DropReason.NONE : DropReason.WRONG_DESTINATION_ADDRESS;
    }

    private DropReason checkTransport(QueuePairContext context) {
        Opcode opcode = packet.opcode();
        if (opcode.transport().ordinal() != context.type().ordinal()) {
            return DropReason.WRONG_TRANSPORT;
        }
        QueuePairState state = context.state();
        if (opcode.isRequest() ? !state.canReceive() : !state.canSend()) {
            return state == QueuePairState.ERROR ? DropReason.QUEUE_PAIR_ERROR_STATE : DropReason.QUEUE_PAIR_NOT_READY;
        }
        return checkPartition();
    }

    private DropReason checkPartition() {
        boolean ours = (Bth.partitionKey(packet.buffer(), packet.offset()) & DEFAULT_PARTITION) == DEFAULT_PARTITION;
        return ours ? DropReason.NONE : DropReason.WRONG_PARTITION_KEY;
    }

    private DropReason checkIcrc() {
        Flow flow = packet.flow();
        if (!flow.isIpv4()) {
            if (!icrc.isValidIpv6(packet.buffer(), packet.offset(), packet.length(), flow.icrcSeed())) {
                return DropReason.BAD_ICRC;
            }
            counters.count(NicCounter.ICRC_FULL);
            return DropReason.NONE;
        }
        int id = icrc.recoverIpId(packet.buffer(), packet.offset(), packet.length(), flow.icrcSeed());
        if (id < 0) {
            return DropReason.BAD_ICRC;
        }
        boolean full = ipIds.judge(flow.source(), id) == IcrcVerdict.FULL;
        counters.count(full ? NicCounter.ICRC_FULL : NicCounter.ICRC_INFERRED);
        return DropReason.NONE;
    }

    /**
     * Lets queue pairs with something to do take turns.
     *
     * @param now  nanoseconds, not less than at any call before.
     * @param sink takes the packets.
     * @return how much was done; 0 = nothing, and nothing will be before an input, a doorbell or {@link #nextDeadlineNs}.
     */
    public int poll(long now, PacketSink sink) {
        nowNs = now;
        events.now(now);
        notices.tell();
        QueuePairTasks rung = doorbells.relaxedPoll();
        while (rung != null) {
            rung.answerDoorbell();
            schedule(rung);
            rung = doorbells.relaxedPoll();
        }
        DeadlineQueue.Entry due = deadlines.pollDue(now);
        while (due != null) {
            schedule((QueuePairTasks) due);
            due = deadlines.pollDue(now);
        }
        int work = services.poll(now, sink) + giveTurns(now, sink);
        if (notices.isWaiting()) {
            notices.tell();
            work++;
        }
        return work;
    }

    /** As many turns as the bounds on one poll allow; who gets none is first the next time. */
    private int giveTurns(long now, PacketSink sink) {
        int work = 0;
        int waiting = ready.size();
        int turns = 0;
        while (turns < Math.min(TURNS, waiting) && work < WORK) {
            turns++;
            QueuePairTasks queuePair = ready.poll();
            queuePair.ready(false);
            if (!queuePair.isRemoved()) {
                work += queuePair.poll(now, sink);
                afterPoll(queuePair);
            }
        }
        if (turns == waiting && ready.size() > 1) {
            // Everybody had a turn, but who comes first may leave no room in the sink for the others.
            ready.add(ready.poll());
        }
        return work;
    }

    private void afterPoll(QueuePairTasks queuePair) {
        if (queuePair.isUnfinished()) {
            schedule(queuePair);
        }
        // A deadline that moved back is found out when the old one comes: moving it at every packet would cost more.
        long deadline = queuePair.nextDeadlineNs();
        if (deadline < queuePair.deadlineNs()) {
            deadlines.set(queuePair, deadline);
        }
    }

    /** When {@link #poll} has to be called even if nothing comes; {@link Long#MAX_VALUE} = never; the past = at once. */
    public long nextDeadlineNs() {
        return ready.isEmpty() && !notices.isWaiting() ? Math.min(deadlines.earliestNs(), services.nextDeadlineNs()) : nowNs;
    }

    /** Has a queue pair polled. */
    void schedule(QueuePairTasks queuePair) {
        if (!queuePair.isReady() && !queuePair.isRemoved()) {
            queuePair.ready(true);
            ready.add(queuePair);
        }
    }

    /** Application: something was posted. */
    void ringDoorbell(QueuePairTasks queuePair) {
        if (thread.isCurrent()) {
            schedule(queuePair);
            thread.wake();
        } else if (queuePair.ring()) {
            doorbells.add(queuePair);
            thread.wake();
        }
    }

    /** Command. */
    void modify(QueuePairTasks queuePair, QueuePairAttributes change) {
        if (queuePair.isRemoved()) {
            throw new IllegalStateException("the queue pair is closed: create another");
        }
        queuePair.modify(change);
        schedule(queuePair);
    }

    /** Command. */
    void attach(QueuePairTasks queuePair, Gid group) {
        groups.computeIfAbsent(group, gid -> new ArrayList<>()).add(queuePair);
    }

    /** Command. */
    void detach(QueuePairTasks queuePair, Gid group) {
        List<QueuePairTasks> members = groups.getOrDefault(group, new ArrayList<>());
        members.remove(queuePair);
        if (members.isEmpty()) {
            groups.remove(group);
        }
    }

    /** Command. */
    void remove(QueuePairTasks queuePair) {
        deadlines.remove(queuePair);
        queuePairs.remove(queuePair, nowNs);
        queuePair.remove();
        queuePair.context().counters().close();
    }
}
