package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionChannel;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.Device;
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
import java.nio.ByteBuffer;
import java.util.Random;

/** One end of an RC connection with a memory region. */
public final class QueuePairLink {
    private static final int REGION_BYTES = 1 << 18;
    private static final long TIMEOUT_NS = 30_000_000_000L;
    /** 1.07 s; eight transmissions make a dead peer, so that a busy machine that stops a thread for a second does not look like one. */
    private static final int ACK_TIMEOUT = 18;

    public final ByteBuffer memory;
    public final MemoryRegion region;
    public final QueuePair queuePair;
    private final Device device;
    private final CompletionQueue completions;
    private final ProtectionDomain domain;
    private int partitionKeyIndex;
    private int ackTimeout = ACK_TIMEOUT;

    public QueuePairLink(Device device, int regionBytes) {
        this(device, ByteBuffer.allocateDirect(regionBytes), null);
    }

    /** @param channel of the completion queue, which is armed; null for none. */
    QueuePairLink(Device device, ByteBuffer memory, CompletionChannel channel) {
        this.device = device;
        this.memory = memory;
        completions = device.createCompletionQueue(256, channel);
        if (channel != null) {
            completions.requestNotification(false);
        }
        domain = device.allocateProtectionDomain();
        region = domain.register(memory, AccessFlags.ALL);
        queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, completions, completions));
    }

    /** With another P_Key than the first; before it is connected. */
    QueuePairLink in(int index) {
        partitionKeyIndex = index;
        return this;
    }

    /** With another code of the ACK timeout, for a peer that does not answer; before it is connected. */
    QueuePairLink ackTimeout(int code) {
        ackTimeout = code;
        return this;
    }

    CompletionQueue completions() {
        return completions;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Connects two ends. */
    public static void connect(QueuePairLink one, QueuePairLink two, PathMtu mtu) {
        connect(one, two, mtu, 0);
    }

    /** Connects two ends with a traffic class. */
    static void connect(QueuePairLink one, QueuePairLink two, PathMtu mtu, int trafficClass) {
        one.connectTo(two, mtu, trafficClass);
        two.connectTo(one, mtu, trafficClass);
    }

    private void connectTo(QueuePairLink peer, PathMtu mtu, int trafficClass) {
        AddressVector vector = new AddressVector(peer.device.gid(), peer.device.udpPort(), trafficClass, 64);
        queuePair.modify(QueuePairAttributes.toInit(AccessFlags.ALL).partitionKeyIndex(partitionKeyIndex));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(vector, mtu, peer.queuePair.number(), 0xFFFFF0));
        queuePair.modify(QueuePairAttributes.toReadyToSend(0xFFFFF0).timeout(ackTimeout));
    }

    /** Waits for a successful completion. */
    public WorkCompletion complete() {
        WorkCompletion completion = completion();
        assertTrue(completion.isSuccess(), completion.toString());
        return completion;
    }

    /** Takes a queue pair to RTS, with itself as its peer; one of UD with Q_Key 1. */
    static void connectToItself(QueuePair pair, AddressVector own) {
        if (pair.type() == QueuePairType.UD) {
            pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(1).partitionKeyIndex(0).queueKey(1));
            pair.modify(QueuePairAttributes.to(QueuePairState.RTR));
        } else {
            pair.modify(QueuePairAttributes.toInit(AccessFlags.ALL));
            pair.modify(pair.type() == QueuePairType.RC ? QueuePairAttributes.toReadyToReceive(own, PathMtu.MTU_1024, pair.number(), 0)
                : QueuePairAttributes.to(QueuePairState.RTR).addressVector(own).pathMtu(PathMtu.MTU_1024).destinationQpn(pair.number())
                    .receivePsn(0));
        }
        pair.modify(pair.type() == QueuePairType.RC ? QueuePairAttributes.toReadyToSend(0)
            : QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
    }

    /** Waits for a completion with any status. */
    public WorkCompletion completion() {
        return await(completions);
    }

    /** Waits for a completion of a queue, with any status. */
    static WorkCompletion await(CompletionQueue queue) {
        WorkCompletion completion = new WorkCompletion();
        long endNs = System.nanoTime() + TIMEOUT_NS;
        while (!queue.poll(completion)) {
            assertTrue(System.nanoTime() < endNs, "a completion arrives");
            Thread.onSpinWait();
        }
        return completion;
    }

    /** Moves random bytes by WRITE, SEND and READ, and compares every byte. */
    public static void exchange(RxeNic one, RxeNic two, PathMtu mtu, int messageBytes) {
        exchange(new QueuePairLink(one.device(), REGION_BYTES), new QueuePairLink(two.device(), REGION_BYTES), mtu, messageBytes);
    }

    /** The same between two ends that are not connected yet. */
    static void exchange(QueuePairLink from, QueuePairLink to, PathMtu mtu, int messageBytes) {
        QueuePairLink.connect(from, to, mtu);
        byte[] data = new byte[messageBytes];
        new Random(messageBytes).nextBytes(data);
        from.memory.put(0, data);

        from.queuePair.postSend(new WorkRequest().id(1).write(to.region.address() + 3, to.region.rKey())
            .add(from.region, 0, messageBytes));
        assertEquals(1, from.complete().workRequestId());
        assertArrayEquals(data, bytes(to, 3, messageBytes));

        to.queuePair.postReceive(new ReceiveRequest().id(2).add(to.region, messageBytes + 100, messageBytes));
        from.queuePair.postSend(new WorkRequest().id(3).send().add(from.region, 0, messageBytes));
        assertEquals(messageBytes, to.complete().byteLength());
        assertEquals(3, from.complete().workRequestId());
        assertArrayEquals(data, bytes(to, messageBytes + 100, messageBytes));

        to.queuePair.postSend(new WorkRequest().id(4).read(from.region.address(), from.region.rKey())
            .add(to.region, 1, messageBytes));
        assertEquals(4, to.complete().workRequestId());
        assertArrayEquals(data, bytes(to, 1, messageBytes));
    }

    private static byte[] bytes(QueuePairLink end, int offset, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        end.memory.get(offset, bytes);
        return bytes;
    }
}
