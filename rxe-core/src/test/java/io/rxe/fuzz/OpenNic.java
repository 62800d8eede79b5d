package io.rxe.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.counters.Drops;
import io.rxe.counters.NicCounter;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.NicInspection;
import io.rxe.device.TestConfig;
import io.rxe.guard.KernelSafety;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.FlushLevel;
import io.rxe.verbs.FlushType;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A NIC with all services open and the checks that hold for every input: an RC queue pair that receives from a shared receive queue and
 * has requests in flight, a UC and a UD queue pair, an initiator with requests in flight and a target of XRC, and connection management.
 *
 * <p>Its region lies between two stretches of memory that nothing may change. Everything is drawn from fixed seeds.
 */
final class OpenNic implements PacketSink {
    static final int PSN = 0x100;
    static final int PEER_QPN = 0x777;
    static final int QUEUE_KEY = 0x1111_1111;
    /** The shared receive queue of the peer. */
    static final int PEER_QUEUE = 0x5A5;
    static final int MTU = 1024;
    static final Gid OWN = Gid.parse("10.99.0.2");
    static final Gid PEER = Gid.parse("10.99.0.3");
    static final Gid THIRD_PARTY = Gid.parse("10.99.0.66");
    static final int CM_PORT = 7174;

    private static final int TARGET_ACCESS = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
        | AccessFlags.FLUSH_GLOBAL;
    private static final int REGION_BYTES = 1 << 14;
    private static final int RECEIVES = 16;
    /** A request kept behind a gap needs at most the longest frame, and one for a page of the index. */
    private static final long FRAME_AND_PAGE_BYTES = 4096 + 128 + 1024 + 128;
    /** More polls than this without coming to rest is a loop. */
    private static final int MAX_POLLS = 2000;
    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(3 * REGION_BYTES);
    private static final ByteBuffer PATTERN = pattern();

    private final Random random = new Random(5);
    private final Gid own;
    private final Gid peer;
    private final Nic nic;
    private final Engine engine;
    private final UnsafeBuffer frame = new UnsafeBuffer(new byte[HeaderValidator.MAX_LENGTH]);
    private final UnsafeBuffer datagram = new UnsafeBuffer(new byte[1 << 16]);
    private final Icrc icrc = new Icrc();
    private final WorkCompletion completion = new WorkCompletion();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final Set<Gid> addressed = new HashSet<>();
    private final SharedReceiveQueue shared;
    private final XrcDomain xrcDomain;
    private final SharedReceiveQueue named;
    private final SharedReceiveQueue empty;
    private KernelSafety guard = new KernelSafety(MTU, PSN);
    private PeerHistory history = new PeerHistory(MTU, PSN);
    private int claimed;
    private Flow claimedFlow;
    private int delivered;
    private long nowNs = 1_000_000;
    private long sentPackets;
    private MemoryRegion region;
    final QueuePair reliable;
    final QueuePair unreliable;
    final QueuePair datagrams;
    final QueuePair initiator;
    final QueuePair target;
    final ConnectionService service;
    final CmEventChannel events = new CmEventChannel(64);

    /** One whose peer is {@link #PEER}. */
    OpenNic() {
        this(OWN, PEER);
    }

    OpenNic(Gid own, Gid peer) {
        this.own = own;
        this.peer = peer;
        nic = new Nic(TestConfig.of(own, 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(SameThread.INLINE), MulticastPort.NONE, null);
        engine = nic.engine(0);
        domain = nic.allocateProtectionDomain();
        queue = nic.createCompletionQueue(1024);
        addressed.add(peer);
        MEMORY.clear();
        MEMORY.put(PATTERN.duplicate());
        region = domain.register(MEMORY.slice(REGION_BYTES, REGION_BYTES), AccessFlags.ALL);
        shared = domain.createSharedReceiveQueue(RECEIVES, 2);
        reliable = domain.createQueuePair(config(QueuePairType.RC).withSharedReceiveQueue(shared));
        unreliable = domain.createQueuePair(config(QueuePairType.UC));
        datagrams = domain.createQueuePair(config(QueuePairType.UD));
        xrcDomain = nic.openXrcDomain();
        named = domain.createSharedReceiveQueue(xrcDomain, queue, RECEIVES, 2);
        empty = nic.allocateProtectionDomain().createSharedReceiveQueue(xrcDomain, queue, RECEIVES, 2);
        initiator = domain.createQueuePair(config(QueuePairType.XRC_SEND));
        target = xrcDomain.createQueuePair();
        queuePairs().forEach(this::connect);
        service = ConnectionService.open(nic);
        rest();
    }

    private static ByteBuffer pattern() {
        ByteBuffer pattern = ByteBuffer.allocateDirect(3 * REGION_BYTES);
        for (int i = 0; i < pattern.capacity(); i++) {
            pattern.put(i, (byte) (i * 31 + (i >> 8)));
        }
        return pattern;
    }

    private QueuePairConfig config(QueuePairType type) {
        return QueuePairConfig.of(type, queue, queue).withRequests(RECEIVES, RECEIVES);
    }

    List<QueuePair> queuePairs() {
        return List.of(reliable, unreliable, datagrams, initiator, target);
    }

    /** A new queue pair for connection management to connect. */
    QueuePair queuePair(QueuePairType type) {
        QueuePair pair = domain.createQueuePair(config(type));
        ConnectionService.prepare(pair);
        return pair;
    }

    private void connect(QueuePair pair) {
        if (pair.type() == QueuePairType.UD) {
            pair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(QUEUE_KEY));
            pair.modify(QueuePairAttributes.to(QueuePairState.RTR));
            pair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(PSN));
        } else if (pair == target) {
            pair.modify(QueuePairAttributes.toInit(TARGET_ACCESS));
            pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peer), PathMtu.MTU_1024, PEER_QPN, PSN).minRnrTimer(1));
            pair.modify(QueuePairAttributes.to(QueuePairState.RTS).timeout(14).sendPsn(PSN));
        } else if (pair == initiator) {
            pair.modify(QueuePairAttributes.toInit(0));
            pair.modify(QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(peer)).pathMtu(PathMtu.MTU_1024)
                .destinationQpn(PEER_QPN).receivePsn(0));
            pair.modify(QueuePairAttributes.toReadyToSend(PSN));
            postRequests(pair);
        } else {
            boolean isReliable = pair.type() == QueuePairType.RC;
            pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE
                | (isReliable ? AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC : 0)));
            QueuePairAttributes rtr = QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(peer))
                .pathMtu(PathMtu.MTU_1024).destinationQpn(PEER_QPN).receivePsn(PSN);
            pair.modify(isReliable ? rtr.maxDestRdAtomic(4).minRnrTimer(1) : rtr);
            pair.modify(isReliable ? QueuePairAttributes.toReadyToSend(PSN) : QueuePairAttributes.to(QueuePairState.RTS).sendPsn(PSN));
        }
        if (pair == reliable) {
            guard = new KernelSafety(MTU, PSN);
            history = new PeerHistory(MTU, PSN);
            postRequests(pair);
        }
        postReceives(pair);
    }

    void postReceives(QueuePair pair) {
        for (int i = 0; i < RECEIVES; i++) {
            ReceiveRequest request = new ReceiveRequest().id(i).add(region, i * 1024L, 1024);
            if (pair == reliable) {
                shared.postReceive(request);
            } else if (pair == target) {
                named.postReceive(request);
            } else if (pair != initiator) {
                pair.postReceive(request);
            }
        }
    }

    /** One request of each kind that has a response of its own, and a SEND of several packets. */
    void postRequests(QueuePair pair) {
        post(pair, new WorkRequest().id(1000).read(0x10_0000, 0x99).add(region, 0, 3000));
        post(pair, new WorkRequest().id(1001).fetchAndAdd(0x10_0000, 0x99, 1).add(region, 0, 8));
        post(pair, new WorkRequest().id(1002).send().add(region, 0, 5000));
        if (pair == initiator) {
            post(pair, new WorkRequest().id(1004).atomicWrite(0x10_0000, 0x99).add(region, 0, 8));
            post(pair, new WorkRequest().id(1005).flush(0x10_0000, 0x99, 8, FlushType.GLOBAL, FlushLevel.RANGE));
        }
    }

    private static void post(QueuePair pair, WorkRequest request) {
        pair.postSend(pair.type() == QueuePairType.XRC_SEND ? request.toSharedReceiveQueue(PEER_QUEUE) : request);
    }

    /** A WRITE that a peer which does not answer makes us retransmit. */
    void postWrite(QueuePair pair) {
        post(pair, new WorkRequest().id(1003).write(0x10_0000, 0x99).add(region, 0, 3000));
    }

    /** Packets may leave for this address: it sent one itself, or the application connects to it. */
    void expectTrafficTo(Gid address) {
        addressed.add(address);
    }

    /** Number of the XRC shared receive queue that has receives, or of the one without, whose domain has no memory. */
    int queueNumber(boolean withReceives) {
        return (withReceives ? named : empty).number();
    }

    int key() {
        return region.rKey();
    }

    long address() {
        return region.address();
    }

    /** Deregisters the memory and registers it again under another key. */
    void replaceRegion() {
        region.close();
        region = domain.register(MEMORY.slice(REGION_BYTES, REGION_BYTES), AccessFlags.ALL);
    }

    /**
     * A datagram arrives; it must be counted once, as received or as dropped.
     *
     * @param seal whether its last four bytes become the right ICRC.
     */
    void receive(byte[] bytes, Gid source, boolean seal) {
        Flow flow = new Flow(source, own, 0xC000, 4791);
        datagram.putBytes(0, bytes);
        if (seal && bytes.length >= HeaderValidator.MIN_LENGTH) {
            int covered = bytes.length - Icrc.LENGTH;
            Icrc.write(datagram, covered, icrc.compute(datagram, 0, covered, flow.icrcSeed(), flow.isIpv4(), delivered & 0xFFFF));
        }
        delivered++;
        nowNs += 10;
        long before = accepted();
        long counted = before + dropped();
        engine.onPacket(datagram, 0, bytes.length, flow, nowNs);
        long isAccepted = accepted() - before;
        assertTrue(accepted() + dropped() > counted, "a datagram is neither received nor dropped");
        if (isAccepted > 0 && Bth.destinationQpn(datagram, 0) == reliable.number()) {
            history.add(datagram);
            guard.onDelivered(datagram, 0, bytes.length);
        }
    }

    /** Whether the ICRC of a datagram from the peer is right; for IPv6, where nothing of it is unknown. */
    boolean isSealed(byte[] bytes) {
        int covered = bytes.length - Icrc.LENGTH;
        datagram.putBytes(0, bytes);
        int seed = new Flow(peer, own, 0xC000, 4791).icrcSeed();
        return covered >= Bth.LENGTH && icrc.compute(datagram, 0, covered, seed, false, 0) == Icrc.read(datagram, covered);
    }

    long accepted() {
        return engine.counters().get(NicCounter.RCVD_PKTS);
    }

    long dropped() {
        return Drops.of(engine.counters());
    }

    /** Polls until the engine has nothing to do. */
    void rest() {
        int polls = 0;
        while (engine.poll(nowNs, this) > 0) {
            nowNs += 10;
            assertTrue(++polls < MAX_POLLS, "the engine never comes to rest");
        }
        long deadlineNs = engine.nextDeadlineNs();
        assertTrue(deadlineNs > nowNs, () -> "idle, but the deadline passed " + (nowNs - deadlineNs) + " ns ago");
    }

    /** Lets time pass, with a poll at each deadline. */
    void advance(long durationNs) {
        long endNs = nowNs + durationNs;
        for (int i = 0; i < MAX_POLLS && engine.nextDeadlineNs() <= endNs; i++) {
            nowNs = Math.max(nowNs, engine.nextDeadlineNs());
            rest();
        }
        nowNs = Math.max(nowNs, endNs);
        rest();
    }

    /** Takes completions and events, and connects again what a packet has broken. */
    void revive() {
        takeCompletions();
        for (QueuePair pair : queuePairs()) {
            if (pair.state() == QueuePairState.ERROR) {
                reconnect(pair);
            }
        }
    }

    void reconnect(QueuePair pair) {
        pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        connect(pair);
    }

    void takeCompletions() {
        while (queue.poll(completion)) {
            assertTrue(completion.byteLength() <= REGION_BYTES, completion::toString);
        }
        while (nic.pollAsyncEvent() != null) {
            // Reported is enough.
        }
    }

    /** Takes the NIC down and checks what must hold at the end. */
    void close() {
        rest();
        takeCompletions();
        assertTrue(NicInspection.reorderBytesInUse(nic) <= delivered * FRAME_AND_PAGE_BYTES, "more kept than came");
        service.close();
        for (int i = 0; i < MAX_POLLS && service.core().exchanges() > 0 && engine.nextDeadlineNs() < Long.MAX_VALUE; i++) {
            nowNs = Math.max(nowNs, engine.nextDeadlineNs());
            engine.poll(nowNs, this);
        }
        assertEquals(0, service.core().exchanges(), "exchanges left after the service was closed");
        queuePairs().forEach(QueuePair::close);
        xrcDomain.close();
        rest();
        assertEquals(0, NicInspection.reorderBytesInUse(nic), "frames kept for closed queue pairs");
        expectUntouched(0);
        expectUntouched(2 * REGION_BYTES);
    }

    /** Nothing was written, sent, received or completed. */
    void expectNothingHappened() {
        long before = sentPackets;
        rest();
        assertEquals(before, sentPackets, "packets sent");
        assertTrue(!queue.poll(completion), completion::toString);
        assertEquals(null, nic.pollAsyncEvent());
        expectUntouched(0);
        expectUntouched(REGION_BYTES);
        expectUntouched(2 * REGION_BYTES);
        queuePairs().forEach(pair -> assertEquals(QueuePairState.RTS, pair.state()));
    }

    private static void expectUntouched(int from) {
        int difference = MEMORY.slice(from, REGION_BYTES).mismatch(PATTERN.slice(from, REGION_BYTES));
        if (difference >= 0) {
            throw new AssertionError("memory changed at " + (from + difference - REGION_BYTES) + " of the region of " + REGION_BYTES);
        }
    }

    @Override
    public int claim(Flow flow, int lengthBytes) {
        assertEquals(own, flow.source());
        assertTrue(addressed.contains(flow.destination()), () -> "a packet for " + flow.destination() + ", which never sent one");
        assertTrue(lengthBytes <= HeaderValidator.MAX_LENGTH);
        claimed = lengthBytes;
        claimedFlow = flow;
        return 0;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return frame;
    }

    @Override
    public void commit() {
        sentPackets++;
        if (Bth.destinationQpn(frame, 0) == PEER_QPN && claimedFlow.destination().equals(peer) && isReliable() && history.isConsistent()) {
            guard.onEmitted(frame, 0, claimed);
        } else {
            assertEquals(DropReason.NONE, HeaderValidator.check(frame, 0, claimed), "a malformed frame");
        }
    }

    private boolean isReliable() {
        return Opcode.of(Bth.opcode(frame, 0)).transport().ordinal() == QueuePairType.RC.ordinal();
    }
}
