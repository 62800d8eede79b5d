package io.rxe.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEventChannel;
import io.rxe.cm.ConnectionService;
import io.rxe.cm.PortSpace;
import io.rxe.counters.Drops;
import io.rxe.counters.NicCounter;
import io.rxe.device.Engine;
import io.rxe.device.Nic;
import io.rxe.device.TestConfig;
import io.rxe.port.Flow;
import io.rxe.port.MulticastPort;
import io.rxe.port.PacketSink;
import io.rxe.port.SameThread;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
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
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import io.rxe.wire.HeaderValidator;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A NIC with an RC, a UC and a UD queue pair, all with receives posted and requests in flight, and with connection management listening.
 * Its registered memory lies between two areas that must not change. Counts the packets it sends.
 */
final class Victim implements PacketSink {
    static final int PSN = 0x100;
    static final int QUEUE_KEY = 0x1111_1111;
    static final int READ_PLACES = 4;
    private static final int BYTES = 1 << 16;
    private static final int RECEIVES = 32;

    private final Random random = new Random(5);
    private final Gid gid;
    private final Gid peer;
    final Flow fromPeer;
    private final Nic nic;
    private final Engine engine;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(3 * BYTES);
    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(HeaderValidator.MAX_LENGTH));
    private final UnsafeBuffer datagram = new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 1024));
    private final Icrc icrc = new Icrc();
    private final WorkCompletion completion = new WorkCompletion();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    final MemoryRegion region;
    final QueuePair reliable;
    final QueuePair unreliable;
    final QueuePair datagrams;
    private long nowNs = 1_000_000;
    private int claimed;
    private long sentPackets;
    private int delivered;

    private Victim(String address, String peerAddress) {
        gid = Gid.parse(address);
        peer = Gid.parse(peerAddress);
        fromPeer = new Flow(peer, gid, 0xC000, 4791);
        nic = new Nic(TestConfig.of(gid, 4791, PathMtu.MTU_4096, 1), random::nextInt, List.of(SameThread.INLINE), MulticastPort.NONE, null);
        engine = nic.engine(0);
        domain = nic.allocateProtectionDomain();
        queue = nic.createCompletionQueue(1024);
        region = domain.register(memory.slice(BYTES, BYTES), AccessFlags.ALL);
        reliable = open(QueuePairType.RC);
        unreliable = open(QueuePairType.UC);
        datagrams = open(QueuePairType.UD);
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, pattern(i));
        }
        ConnectionService service = ConnectionService.open(nic);
        CmEventChannel events = new CmEventChannel(64);
        service.listen(events, PortSpace.TCP, 7174);
        service.listen(events, PortSpace.UDP, 7174);
        run();
        sentPackets = 0;
    }

    static Victim overIpv4() {
        return new Victim("10.0.0.1", "10.0.0.2");
    }

    /** Over IPv6, every wrong ICRC is detected: there is no identification to recover. */
    static Victim overIpv6() {
        return new Victim("fd99::1", "fd99::2");
    }

    private static byte pattern(int index) {
        return (byte) (index * 31 + (index >> 8));
    }

    private QueuePair open(QueuePairType type) {
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(type, queue, queue));
        connect(pair);
        return pair;
    }

    private void connect(QueuePair pair) {
        boolean isReliable = pair.type() == QueuePairType.RC;
        if (pair.type() == QueuePairType.UD) {
            pair.modify(QueuePairAttributes.to(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(QUEUE_KEY));
            pair.modify(QueuePairAttributes.to(QueuePairState.RTR));
        } else {
            pair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_WRITE
                | (isReliable ? AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC : 0)));
            QueuePairAttributes rtr = QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(peer))
                .pathMtu(PathMtu.MTU_1024).destinationQpn(0x777).receivePsn(PSN);
            pair.modify(isReliable ? rtr.maxDestRdAtomic(READ_PLACES).minRnrTimer(1) : rtr);
        }
        pair.modify(isReliable ? QueuePairAttributes.toReadyToSend(PSN) : QueuePairAttributes.to(QueuePairState.RTS).sendPsn(PSN));
        for (int i = 0; i < RECEIVES; i++) {
            pair.postReceive(new ReceiveRequest().id(i).add(region, i * 1024L, 1024));
        }
        if (isReliable) {
            pair.postSend(new WorkRequest().id(1000).read(0x10_0000, 0x99).add(region, 0, 3000));
            pair.postSend(new WorkRequest().id(1001).fetchAndAdd(0x10_0000, 0x99, 1).add(region, 0, 8));
            pair.postSend(new WorkRequest().id(1002).send().add(region, 0, 5000));
        }
    }

    /** Receives a datagram; {@code seal} overwrites its last four bytes with the right ICRC. */
    void receive(byte[] bytes, Flow flow, boolean seal) {
        datagram.putBytes(0, bytes);
        if (seal && bytes.length >= Icrc.LENGTH) {
            int covered = bytes.length - Icrc.LENGTH;
            if (covered >= Bth.LENGTH) {
                Icrc.write(datagram, covered, icrc.compute(datagram, 0, covered, flow.icrcSeed(), flow.isIpv4(), delivered & 0xFFFF));
            }
        }
        delivered++;
        nowNs += 10;
        engine.onPacket(datagram, 0, bytes.length, flow, nowNs);
    }

    /** Runs until the engine is idle. */
    void run() {
        int idle = 0;
        for (int i = 0; idle < 2; i++) {
            assertTrue(i < 1000, "the engine is never idle");
            nowNs += 10;
            idle = engine.poll(nowNs, this) == 0 ? idle + 1 : 0;
        }
    }

    /** Takes completions and events, and reconnects queue pairs that failed. */
    void revive() {
        while (queue.poll(completion)) {
            assertTrue(completion.byteLength() <= BYTES, completion::toString);
        }
        while (nic.pollAsyncEvent() != null) {
            // The event is expected.
        }
        for (QueuePair pair : List.of(reliable, unreliable, datagrams)) {
            if (pair.state() == QueuePairState.ERROR) {
                pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
                connect(pair);
            }
        }
    }

    long dropped() {
        return Drops.of(engine.counters());
    }

    long dropped(DropReason reason) {
        return engine.counters().get(reason);
    }

    long accepted() {
        return engine.counters().get(NicCounter.RCVD_PKTS);
    }

    long sentPackets() {
        return sentPackets;
    }

    /** Checks that nothing was accepted, written, completed or reported. */
    void expectNothingHappened() {
        run();
        assertEquals(0, sentPackets);
        assertEquals(0, accepted());
        assertTrue(!queue.poll(completion), completion::toString);
        assertEquals(null, nic.pollAsyncEvent());
        expectUntouched(0, memory.capacity());
        for (QueuePair pair : List.of(reliable, unreliable, datagrams)) {
            assertEquals(QueuePairState.RTS, pair.state());
        }
    }

    /** Checks that memory outside the region is unchanged. */
    void expectBoundsKept() {
        expectUntouched(0, BYTES);
        expectUntouched(2 * BYTES, BYTES);
    }

    private void expectUntouched(int from, int length) {
        for (int i = from; i < from + length; i++) {
            if (memory.get(i) != pattern(i)) {
                assertEquals(pattern(i), memory.get(i), "memory changed at " + (i - BYTES) + " of the region of " + BYTES);
            }
        }
    }

    @Override
    public int claim(Flow flow, int lengthBytes) {
        assertEquals(gid, flow.source());
        claimed = lengthBytes;
        return 0;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return frame;
    }

    @Override
    public void commit() {
        sentPackets++;
        DirectBuffer sent = frame;
        assertEquals(DropReason.NONE, HeaderValidator.check(sent, 0, claimed));
        Opcode opcode = Opcode.of(Bth.opcode(sent, 0));
        assertTrue(HeaderValidator.payloadLength(sent, 0, claimed, opcode) <= 4096, opcode::toString);
    }
}
