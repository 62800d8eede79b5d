package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.rxe.counters.NicCounter;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.NicConfig;
import io.rxe.fault.VerbFaults;
import io.rxe.guard.KernelSafety;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The rig of the rule tests: one real NIC in virtual time with one connected queue pair, and a scripted peer that sends raw packets.
 * A test reads like a trace:
 *
 * <pre>
 *   trace.posts(send(64));            trace.expect(sendOnly(0x100).ackReq());
 *   trace.peerSends(ackOf(0x100));    trace.expectCompletion(1, SUCCESS);
 * </pre>
 *
 * <p>Send requests get the ids 1, 2, 3 ..., receive requests 100, 101, 102 ... {@link KernelSafety} checks every frame
 * that our side sends.
 */
final class Trace {
    static final long BASE = 0x1_0000L;
    static final int KEY = 0x1122_3344;
    static final int QPN = 0x42;
    static final int PEER_QPN = 0x777;
    static final Gid OUR_GID = Gid.parse("10.0.0.1");
    static final Gid PEER_GID = Gid.parse("10.0.0.2");
    static final Gid OUR_OTHER_GID = Gid.parse("10.1.0.1");
    static final Gid PEER_OTHER_GID = Gid.parse("10.1.0.2");
    static final Flow FROM_OTHER_PORT = new Flow(PEER_OTHER_GID, OUR_OTHER_GID, 0xC123, 4791);
    static final Flow FROM_PEER = new Flow(PEER_GID, OUR_GID, 0xC123, 4791);

    final TraceSetup setup;
    final Nic nic;
    final Engine engine;
    final ProtectionDomain domain;
    final CompletionQueue completionQueue;
    final QueuePair pair;
    final ByteBuffer memory;
    final MemoryRegion region;
    final RecordingSink sink;
    private final ArrayDeque<Integer> entropy = new ArrayDeque<>(List.of(KEY, QPN));
    private final Random random = new Random(1);
    private final ArrayDeque<SentFrame> sent = new ArrayDeque<>();
    private final KernelSafety safety;
    private long nowNs = 1_000_000_000L;
    private int ipId = 100;
    private long nextSendId = 1;
    private long nextReceiveId = 100;

    Trace(TraceSetup setup) {
        this.setup = setup;
        List<Gid> ports = setup.twoPorts ? List.of(OUR_GID, OUR_OTHER_GID) : List.of(OUR_GID);
        nic = new Nic(new NicConfig(ports, 4791, PathMtu.MTU_4096, 1, NicConfig.DEFAULT_WINDOW_BYTES, Set.of(), setup.reorderBytes,
            NicConfig.DEFAULT_PATH_BYTES, setup.partitionKeys, setup.ecn, setup.congestion, VerbFaults.NONE), this::nextInt,
            List.of(setup.thread), MulticastPort.NONE, null);
        engine = nic.engine(0);
        domain = nic.allocateProtectionDomain();
        memory = ByteBuffer.allocateDirect(setup.memoryBytes).order(ByteOrder.nativeOrder());
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, memoryByte(i));
        }
        region = domain.register(setup.regionAccess, BASE, memory);
        completionQueue = nic.createCompletionQueue(setup.completions);
        pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completionQueue, completionQueue)
            .withRequests(setup.sends, setup.receives).withElements(32, 32).withInline(512).withSignalAll(setup.signalAll)
            .withCongestion(setup.ownCongestion));
        assertEquals(KEY, region.rKey());
        assertEquals(QPN, pair.number());
        safety = new KernelSafety(setup.mtu.bytes());
        sink = new RecordingSink(this::nowNs, this::onFrame);
        connect();
    }

    /** A queue pair in RTS. */
    static TraceSetup inRts() {
        return new TraceSetup();
    }

    /** A queue pair in RTR: it can respond and cannot send requests. */
    static TraceSetup inRtr() {
        return new TraceSetup().in(QueuePairState.RTR);
    }

    /** The initial contents of the memory. */
    static byte memoryByte(int index) {
        return (byte) (index * 7 + (index >> 8) * 13 + 5);
    }

    static byte[] memoryBytes(int from, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = memoryByte(from + i);
        }
        return bytes;
    }

    private int nextInt() {
        return entropy.isEmpty() ? random.nextInt() : entropy.poll();
    }

    /** Sets the next keys and queue pair numbers that the NIC draws. */
    void nextDraws(int... values) {
        for (int value : values) {
            entropy.add(value);
        }
    }

    private void connect() {
        if (setup.state == QueuePairState.RESET) {
            return;
        }
        pair.modify(QueuePairAttributes.toInit(setup.access).partitionKeyIndex(setup.partitionKeyIndex));
        if (setup.state == QueuePairState.INIT) {
            return;
        }
        pair.modify(toRtr());
        if (setup.state == QueuePairState.RTR) {
            return;
        }
        pair.modify(toRts());
        if (setup.state != QueuePairState.RTS) {
            pair.modify(QueuePairAttributes.to(setup.state));
        }
    }

    QueuePairAttributes toRtr() {
        return QueuePairAttributes.toReadyToReceive(AddressVector.to(PEER_GID), setup.mtu, PEER_QPN, setup.receivePsn)
            .maxDestRdAtomic(setup.maxDestRdAtomic).minRnrTimer(setup.minRnrTimer);
    }

    QueuePairAttributes toRts() {
        return QueuePairAttributes.toReadyToSend(setup.sendPsn).timeout(setup.timeout).retryCount(setup.retryCount)
            .rnrRetry(setup.rnrRetry).maxRdAtomic(setup.maxRdAtomic).rxeRetryCompatibility(setup.rxeRetryCompatibility)
            .keepAliveNs(setup.keepAliveNs);
    }

    private void onFrame(SentFrame frame) {
        sent.add(frame);
        if (setup.kernelPeer) {
            safety.onEmitted(frame.buffer(), 0, frame.bytes().length);
        }
        assertEquals(PEER_QPN, frame.destinationQpn());
        if (!setup.twoPorts || !PEER_OTHER_GID.equals(frame.flow().destination())) {
            assertEquals(PEER_GID, frame.flow().destination());
        }
    }

    long nowNs() {
        return nowNs;
    }

    /** Polls until the engine is idle at this time. */
    Trace run() {
        int idle = 0;
        for (int i = 0; idle < 2; i++) {
            assertTrue(i < 100_000, "the engine is never idle");
            idle = engine.poll(nowNs, sink) == 0 ? idle + 1 : 0;
        }
        return this;
    }

    /** Lets time pass, stopping at every deadline of the engine. */
    Trace advance(long amount, TimeUnit unit) {
        return advanceNs(unit.toNanos(amount));
    }

    Trace advanceNs(long ns) {
        long end = nowNs + ns;
        run();
        while (true) {
            long deadline = engine.nextDeadlineNs();
            if (deadline > nowNs && deadline > end) {
                break;
            }
            long next = deadline > nowNs ? deadline : nowNs + 100_000;
            if (next > end) {
                break;
            }
            nowNs = next;
            run();
        }
        nowNs = end;
        return run();
    }

    /** The peer's packets arrive one by one; the engine is polled after each. */
    Trace peerSends(PeerPacket... packets) {
        for (PeerPacket packet : packets) {
            deliver(packet, FROM_PEER);
            run();
        }
        return this;
    }

    /** The peer's packets arrive in one batch, and only then is anything sent. */
    Trace peerSendsTogether(PeerPacket... packets) {
        for (PeerPacket packet : packets) {
            deliver(packet, FROM_PEER);
        }
        return run();
    }

    /** The same packet from another address. */
    Trace sends(Flow flow, PeerPacket packet) {
        deliver(packet, flow);
        return run();
    }

    /** As {@link #sends}, without a poll behind it. */
    Trace arrives(Flow flow, PeerPacket packet) {
        deliver(packet, flow);
        return this;
    }

    private void deliver(PeerPacket packet, Flow flow) {
        byte[] bytes = packet.encode(QPN, flow, ++ipId & 0xFFFF);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[bytes.length + 32]);
        buffer.putBytes(16, bytes);
        if (setup.kernelPeer && packet.isGood() && flow.source().equals(FROM_PEER.source())
            && flow.destination().equals(FROM_PEER.destination())) {
            safety.onDelivered(buffer, 16, bytes.length);
        }
        engine.onPacket(buffer, 16, bytes.length, flow, nowNs);
    }

    /** Our application posts, and the engine sends what it can. */
    Trace posts(WorkRequest... requests) {
        for (WorkRequest request : requests) {
            assertTrue(pair.postSend(request.id(nextSendId++)), "the send queue is full");
            safety.onPosted(request.operation());
        }
        return run();
    }

    /** Our application posts receive requests of these lengths, all at the start of the memory. */
    Trace postsReceives(int... lengths) {
        for (int length : lengths) {
            assertTrue(pair.postReceive(new ReceiveRequest().id(nextReceiveId++).add(BASE, length, KEY)), "the receive queue is full");
        }
        return run();
    }

    Trace postsReceive(ReceiveRequest request) {
        assertTrue(pair.postReceive(request.id(nextReceiveId++)), "the receive queue is full");
        return run();
    }

    static WorkRequest send(int length) {
        return length == 0 ? new WorkRequest().send() : new WorkRequest().send().add(BASE, length, KEY);
    }

    static WorkRequest write(int length) {
        return new WorkRequest().write(0x5000_0000L, 0x99).add(BASE, length, KEY);
    }

    static WorkRequest read(int length) {
        return new WorkRequest().read(0x5000_0000L, 0x99).add(BASE, length, KEY);
    }

    static WorkRequest fetchAdd(long addend) {
        return new WorkRequest().fetchAndAdd(0x5000_0000L, 0x99, addend).add(BASE, 8, KEY);
    }

    /** Expects these frames next, in this order. */
    Trace expect(FrameExpectation... expectations) {
        for (FrameExpectation expectation : expectations) {
            SentFrame frame = sent.poll();
            assertNotNull(frame, () -> "expected " + expectation + " but nothing more was sent");
            String mismatch = expectation.mismatch(frame);
            if (mismatch != null) {
                fail(mismatch + (sent.isEmpty() ? "" : ", then " + sent));
            }
        }
        return this;
    }

    /** Takes the next frame. */
    SentFrame next() {
        SentFrame frame = sent.poll();
        assertNotNull(frame, "nothing more was sent");
        return frame;
    }

    /** Takes every frame sent so far. */
    List<SentFrame> takeAll() {
        List<SentFrame> all = List.copyOf(sent);
        sent.clear();
        return all;
    }

    Trace expectNothing() {
        run();
        assertTrue(sent.isEmpty(), () -> "expected nothing but sent " + sent);
        return this;
    }

    WorkCompletion expectCompletion(long id, CompletionStatus status) {
        WorkCompletion completion = new WorkCompletion();
        assertTrue(completionQueue.poll(completion), () -> "no completion of " + id);
        assertEquals(id, completion.workRequestId(), completion::toString);
        assertEquals(status, completion.status(), completion::toString);
        assertEquals(QPN, completion.queuePairNumber());
        return completion;
    }

    Trace expectNoCompletion() {
        WorkCompletion completion = new WorkCompletion();
        assertTrue(!completionQueue.poll(completion), completion::toString);
        return this;
    }

    AsyncEvent expectEvent(AsyncEvent.Type type) {
        AsyncEvent event = nic.pollAsyncEvent();
        assertNotNull(event, () -> "no event, expected " + type);
        assertEquals(type, event.type(), event::toString);
        return event;
    }

    Trace expectNoEvent() {
        AsyncEvent event = nic.pollAsyncEvent();
        assertNull(event, () -> "an event too many: " + event);
        return this;
    }

    Trace expectState(QueuePairState state) {
        assertEquals(state, pair.state());
        return this;
    }

    /** Checks a part of our memory. */
    Trace expectMemory(int offset, byte[] expected) {
        byte[] actual = new byte[expected.length];
        memory.get(offset, actual);
        assertEquals(-1, Arrays.mismatch(expected, actual), () -> "memory differs behind offset " + offset);
        return this;
    }

    Trace expectUntouched(int offset, int length) {
        return expectMemory(offset, memoryBytes(offset, length));
    }

    /** Another queue pair to the same peer, with the same completion queue. */
    QueuePair secondInRts() {
        QueuePair second = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completionQueue, completionQueue));
        second.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
        second.modify(toRtr());
        second.modify(toRts());
        return second;
    }

    long counter(NicCounter counter) {
        return nic.counter(counter);
    }

    long dropped(DropReason reason) {
        return nic.counter(reason);
    }
}
