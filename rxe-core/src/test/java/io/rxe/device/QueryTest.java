package io.rxe.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.port.MulticastPort;
import io.rxe.port.SameThread;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.PortAttributes;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairCapabilities;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.SharedReceiveQueueAttributes;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkCompletion.Field;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Gid;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Query verbs and extended completions: what the NIC reports is what it does. */
class QueryTest {
    private final NicPair nics = new NicPair();
    private final Nic nic = nics.leftNic;
    private final ProtectionDomain domain = nic.allocateProtectionDomain();
    private final CompletionQueue queue = nic.createCompletionQueue(16);

    @Test
    @DisplayName("each port has its address at both indices of its GID table")
    void portsHaveTheirAddresses() {
        List<Gid> gids = List.of(Gid.parse("10.0.0.1"), Gid.parse("10.1.0.1"));
        Nic two = new Nic(TestConfig.of(gids, 4791, PathMtu.MTU_1024, 1, NicConfig.DEFAULT_WINDOW_BYTES), new Random(1)::nextInt,
            List.of(SameThread.INLINE), MulticastPort.NONE, null);
        assertEquals(2, two.ports());
        for (int number = 1; number <= 2; number++) {
            PortAttributes port = two.port(number);
            assertEquals(number, port.number());
            assertEquals(List.of(gids.get(number - 1), gids.get(number - 1)), port.gids());
            assertEquals(PathMtu.MTU_1024, port.activeMtu());
            assertEquals(PathMtu.MTU_4096, port.maxMtu());
            assertEquals(List.of(0xFFFF), port.partitionKeys());
            assertEquals(0, port.badPartitionKeys());
            assertEquals(two.attributes().maxMessageBytes(), port.maxMessageBytes());
        }
        for (int number : new int[] {0, 3}) {
            String text = assertThrows(IllegalArgumentException.class, () -> two.port(number)).getMessage();
            assertTrue(text.contains("port " + number) && text.contains("1..2"), text);
        }
    }

    @Test
    @DisplayName("a port whose interface goes down is no longer active, and comes back; each change is one event")
    void portsFollowTheirInterfaces() {
        assertTrue(nic.port(1).active());
        nic.onLink(1, true, "eth0");
        assertNull(nic.pollAsyncEvent());
        nic.onLink(1, false, "eth0");
        nic.onLink(1, false, "eth0");
        assertFalse(nic.port(1).active());
        nic.engine(0).poll(0, null);
        assertEquals(1, nic.counter(NicCounter.LINK_DOWNED));
        AsyncEvent down = nic.pollAsyncEvent();
        assertEquals(AsyncEvent.Type.PORT_ERR, down.type());
        assertEquals("port 1: interface eth0 is down, or gone: bring it up with `ip link set eth0 up`", down.explanation());
        nic.onLink(1, true, "eth0");
        assertTrue(nic.port(1).active());
        nic.onLink(1, false, "eth0");
        nic.onLink(1, true, "eth0");
        nic.engine(0).poll(0, null);
        assertEquals(2, nic.counter(NicCounter.LINK_DOWNED));
        for (AsyncEvent.Type type : List.of(AsyncEvent.Type.PORT_ACTIVE, AsyncEvent.Type.PORT_ERR, AsyncEvent.Type.PORT_ACTIVE)) {
            assertEquals(type, nic.pollAsyncEvent().type());
        }
        assertNull(nic.pollAsyncEvent());
    }

    @Test
    @DisplayName("a queue holds exactly as many requests as granted")
    void whatIsGrantedIsHeld() {
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue).withRequests(5, 9).withElements(3, 7)
            .withInline(100).withSignalAll(true));
        QueuePairCapabilities granted = pair.capabilities();
        assertEquals(new QueuePairCapabilities(8, 16, 3, 7, 100, true, true), granted);
        pair.modify(QueuePairAttributes.toInit(0));
        for (int i = 0; i < granted.maxReceiveRequests(); i++) {
            assertTrue(pair.postReceive(new ReceiveRequest()));
        }
        assertFalse(pair.postReceive(new ReceiveRequest()));
        pair.close();
        assertEquals(granted, pair.capabilities());
    }

    @Test
    @DisplayName("what a queue pair has not, it does not offer: a receive queue, a send queue, credits")
    void whatIsNotThereIsZero() {
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(3, 2);
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, queue, queue);
        assertEquals(new QueuePairCapabilities(128, 0, 4, 0, 0, false, false),
            domain.createQueuePair(config.withSharedReceiveQueue(shared)).capabilities());
        assertEquals(new QueuePairCapabilities(128, 0, 4, 0, 0, false, false),
            domain.createQueuePair(QueuePairConfig.of(QueuePairType.XRC_SEND, queue, queue)).capabilities());
        assertEquals(new QueuePairCapabilities(0, 0, 0, 0, 0, false, false), nic.openXrcDomain().createQueuePair().capabilities());
        assertFalse(domain.createQueuePair(QueuePairConfig.of(QueuePairType.UC, queue, queue)).capabilities().endToEndCredits());
        assertEquals(new SharedReceiveQueueAttributes(4, 2, 0), shared.query());
        shared.armLimit(3);
        shared.resize(8);
        assertEquals(new SharedReceiveQueueAttributes(8, 2, 3), shared.query());
    }

    private static Set<Field> valid(WorkCompletion completion) {
        return EnumSet.allOf(Field.class).stream().filter(completion::isValid).collect(Collectors.toSet());
    }

    /** Connects two queue pairs whose completions have timestamps or not, and sends a message; returns what the receiver polled. */
    private WorkCompletion received(boolean timestamps, WorkCompletion into) {
        NicPair.End left = nics.left;
        CompletionQueue stamped = nics.rightNic.createCompletionQueue(16, null, timestamps);
        ProtectionDomain rightDomain = nics.right.domain;
        QueuePair to = rightDomain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, stamped, stamped));
        QueuePair from = left.domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, left.queue, left.queue));
        bring(from, to, nics.rightNic);
        bring(to, from, nics.leftNic);
        assertTrue(to.postReceive(new ReceiveRequest().id(1).add(nics.right.region, 0, 100)));
        assertTrue(to.postReceive(new ReceiveRequest().id(2).add(nics.right.region, 0, 100)));
        assertTrue(from.postSend(new WorkRequest().id(3).sendWithImmediate(7).add(left.region, 0, 20)));
        nics.run();
        assertTrue(stamped.poll(into));
        assertEquals(CompletionStatus.SUCCESS, into.status(), into.explanation());
        left.take(3);
        to.drain();
        WorkCompletion flushed = new WorkCompletion();
        assertTrue(stamped.poll(flushed));
        assertEquals(CompletionStatus.WR_FLUSH_ERR, flushed.status());
        assertEquals(timestamps ? Set.of(Field.TIMESTAMP) : Set.of(), valid(flushed));
        return into;
    }

    private static void bring(QueuePair pair, QueuePair peer, Nic peerNic) {
        pair.modify(QueuePairAttributes.toInit(0));
        pair.modify(QueuePairAttributes.toReadyToReceive(AddressVector.to(peerNic.gid()), PathMtu.MTU_1024, peer.number(), 5));
        pair.modify(QueuePairAttributes.toReadyToSend(5));
    }

    @Test
    @DisplayName("a completion has the time when it happened, since the device was opened and on the wall, if the queue was asked to")
    void completionsTellTheTime() {
        nics.steps(10);
        long before = nics.nowNs();
        nics.rightNic.clock().opened(4000, 1_700_000_000_000_000_000L);
        WorkCompletion completion = received(true, new WorkCompletion());
        assertEquals(Set.of(Field.OPERATION, Field.BYTE_LENGTH, Field.IMMEDIATE, Field.TIMESTAMP), valid(completion));
        assertEquals(20, completion.byteLength());
        assertTrue(completion.timestampNs() >= before - 4000 && completion.timestampNs() <= nics.nowNs() - 4000, completion::toString);
        assertEquals(1_700_000_000_000_000_000L + completion.timestampNs(), completion.wallClockNs());
    }

    @Test
    @DisplayName("without timestamps there are none, whatever was polled into the completion before")
    void noTimeUnlessAskedFor() {
        WorkCompletion reused = received(true, new WorkCompletion());
        received(false, reused);
        assertEquals(Set.of(Field.OPERATION, Field.BYTE_LENGTH, Field.IMMEDIATE), valid(reused));
        assertEquals(0, reused.timestampNs());
        assertEquals(0, reused.wallClockNs());
    }
}
