package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PartitionKeys;
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
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("partitions, between NICs on real sockets")
class PartitionTest {
    private static final String FULL = "127.0.0.81";
    private static final String LIMITED = "127.0.0.82";
    private static final int QUEUE_KEY = 77;

    private final int udpPort = FreePorts.udp(FULL, LIMITED);
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final RxeNicOptions full = CmSide.options(FULL, udpPort).withPartitionKeys(PartitionKeys.of(0xFFFF, 0x8005, 0x8006))
        .withWarnings(warnings::add);
    private final RxeNicOptions limited = CmSide.options(LIMITED, udpPort).withPartitionKeys(PartitionKeys.parse("0x0005,0xffff,0x8007"));

    private static QueuePairLink end(RxeNic nic, int partitionKeyIndex) {
        return new QueuePairLink(nic.device(), 1 << 18).in(partitionKeyIndex);
    }

    @Test
    @DisplayName("RC: members of one partition exchange messages of many packets, and the ports show their tables")
    void samePartition() throws Exception {
        try (RxeNic one = RxeNic.open(full); RxeNic two = RxeNic.open(limited)) {
            QueuePairLink.exchange(end(one, 1), end(two, 0), PathMtu.MTU_1024, 50_000);
            QueuePairLink.exchange(end(two, 1), end(one, 0), PathMtu.MTU_4096, 50_000);
            assertEquals(List.of(0xFFFF, 0x8005, 0x8006), one.device().port(1).partitionKeys());
            assertEquals(PartitionKeys.of(0x0005, 0xFFFF, 0x8007), two.device().partitionKeys());
            assertEquals(0, one.device().port(1).badPartitionKeys() + two.device().port(1).badPartitionKeys());
        }
    }

    @Test
    @DisplayName("RC: two partitions: each packet is dropped and counted, one warning says why, and the request fails")
    void otherPartition() throws Exception {
        try (RxeNic one = RxeNic.open(full); RxeNic two = RxeNic.open(limited)) {
            QueuePairLink to = end(one, 2);
            QueuePairLink from = end(two, 2).ackTimeout(14);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            assertTrue(from.queuePair.postSend(new WorkRequest().id(1).write(to.region.address(), to.region.rKey())
                .add(from.region, 0, 8)));
            assertEquals(CompletionStatus.RETRY_EXC_ERR, from.completion().status());
            long dropped = one.core().counter(DropReason.WRONG_PARTITION_KEY);
            assertTrue(dropped > 1, () -> dropped + " packets");
            assertEquals(dropped, one.device().port(1).badPartitionKeys());
            assertEquals(1, warnings.size(), warnings::toString);
            String warning = warnings.get(0);
            assertTrue(warning.contains("P_Key 0x8007 for queue pair 0x" + Integer.toHexString(to.queuePair.number())), warning);
            assertTrue(warning.contains("whose P_Key is 0x8006"), warning);
        }
    }

    /** A UD queue pair in RTS. */
    private static final class Datagrams {
        private final ProtectionDomain domain;
        private final CompletionQueue completions;
        private final MemoryRegion region;
        private final QueuePair queuePair;

        Datagrams(Device device, int partitionKeyIndex) {
            domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(16);
            region = domain.register(ByteBuffer.allocateDirect(128), AccessFlags.ALL);
            queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, completions, completions));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(1).partitionKeyIndex(partitionKeyIndex).queueKey(QUEUE_KEY));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
        }

        void receive() {
            assertTrue(queuePair.postReceive(new ReceiveRequest().id(1).add(region, 0, 64)));
        }

        void send(Device device, Datagrams to) {
            assertTrue(queuePair.postSend(new WorkRequest().id(2).send().add(region, 0, 8)
                .to(domain.createAddressHandle(AddressVector.to(device.gid(), device.udpPort())), to.queuePair.number(), QUEUE_KEY)));
            assertTrue(completion().isSuccess());
        }

        WorkCompletion completion() {
            WorkCompletion completion = new WorkCompletion();
            long beganNs = System.nanoTime();
            while (!completions.poll(completion)) {
                assertTrue(System.nanoTime() - beganNs < CmSide.LIMIT_NS, "no completion within a minute");
                Thread.onSpinWait();
            }
            return completion;
        }
    }

    @Test
    @DisplayName("UD: the completion has the index of the P_Key that matched, and a datagram of another partition is dropped")
    void datagrams() throws Exception {
        try (RxeNic one = RxeNic.open(full); RxeNic two = RxeNic.open(limited)) {
            Datagrams other = new Datagrams(one.device(), 2);
            Datagrams receiver = new Datagrams(one.device(), 1);
            Datagrams sender = new Datagrams(two.device(), 0);
            other.receive();
            receiver.receive();
            sender.send(one.device(), other);
            sender.send(one.device(), receiver);
            WorkCompletion received = receiver.completion();
            assertTrue(received.isSuccess());
            assertEquals(1, received.partitionKeyIndex());
            // Both came on one socket, in this order.
            assertEquals(1, one.device().badPartitionKeys());
        }
    }

    @Test
    @DisplayName("connection management: a limited member connects to a full one by the P_Key of the request")
    void connection() throws Exception {
        try (CmSide server = new CmSide(full); CmSide client = new CmSide(limited)) {
            server.listen();
            client.begin(FULL, new ConnectParameters().partitionKeyIndex(0));
            server.accept();
            client.await(CmEvent.Type.ESTABLISHED);
            server.await(CmEvent.Type.ESTABLISHED);
            assertEquals(0, client.queuePair.query().partitionKeyIndex());
            assertEquals(1, server.queuePair.query().partitionKeyIndex());
            client.send();
            assertTrue(client.completion().isSuccess());
            assertTrue(server.completion().isSuccess());
            assertEquals(0, server.nic.device().badPartitionKeys() + client.nic.device().badPartitionKeys());
        }
    }
}
