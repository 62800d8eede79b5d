package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrReq;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Icrc;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two NICs with P_Key tables on a link in virtual time: partitions of connections and datagrams. */
@DisplayName("partitions of connections and datagrams")
class NicPartitionTest {
    private static final int MAD_AT = Bth.LENGTH + Deth.LENGTH;
    private static final int PORT = 7471;

    private final NicHost server = new NicHost(2, 2, 2, PartitionKeys.of(0xFFFF, 0x8002, 0x8001));
    private final NicHost client = new NicHost(1, 1, 1, PartitionKeys.of(0xFFFF, 0x0001, 0x8003));
    /** P_Keys of the packets each side sent. */
    private final Set<String> ofClient = new TreeSet<>();
    private final Set<String> ofServer = new TreeSet<>();
    private long nowNs = 1;

    private static void note(NicHost from, Set<String> keys) {
        from.out.queue.forEach(packet -> keys.add(PartitionKeys.text(Bth.partitionKey(new UnsafeBuffer(packet.bytes()), 0))));
    }

    private void settle() {
        int work = 1;
        while (work > 0) {
            nowNs += 1000;
            work = client.poll(nowNs) + server.poll(nowNs);
            note(client, ofClient);
            note(server, ofServer);
            work += client.deliverTo(server, nowNs) + server.deliverTo(client, nowNs);
        }
    }

    private static ConnectParameters in(int index) {
        return new ConnectParameters().partitionKeyIndex(index);
    }

    @Test
    @DisplayName("the REQ names the partition, and messages and data of both sides are in it")
    void connection() {
        server.service.listen(server.channel, PortSpace.TCP, PORT);
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        CmConnection connection = client.service.connector(client.channel).connect(clientPair, server.nic.gid(), PORT, in(1));
        settle();
        QueuePair serverPair = server.queuePair(QueuePairType.RC);
        serverPair.postReceive(new ReceiveRequest().id(1).add(server.region, 0, 4096));
        CmConnection request = server.take(CmEvent.Type.CONNECT_REQUEST).connection();
        assertEquals(2, request.terms().partitionKeyIndex(), "0x8001 for the limited member's 0x0001");
        request.accept(serverPair, new ConnectParameters());
        settle();
        client.take(CmEvent.Type.ESTABLISHED);
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        assertEquals(1, clientPair.query().partitionKeyIndex());
        assertEquals(2, serverPair.query().partitionKeyIndex());
        assertTrue(clientPair.postSend(new WorkRequest().id(2).send().add(client.region, 0, 3000)));
        settle();
        assertEquals(CompletionStatus.SUCCESS, client.completion().status());
        assertEquals(CompletionStatus.SUCCESS, server.completion().status());

        connection.loadAlternatePath(new AlternatePath(AddressVector.to(server.nic.gid(2)), 2, 14));
        settle();
        assertEquals(0, server.take(CmEvent.Type.ALTERNATE_PATH).status());
        settle();
        assertEquals(0, client.take(CmEvent.Type.ALTERNATE_PATH).status());
        assertEquals(1, clientPair.query().alternatePath().partitionKeyIndex());
        assertEquals(2, serverPair.query().alternatePath().partitionKeyIndex());
        connection.disconnect();
        settle();
        server.take(CmEvent.Type.DISCONNECTED);
        assertEquals(Set.of("0x0001"), ofClient);
        assertEquals(Set.of("0x8001"), ofServer);
        assertEquals(0, client.nic.badPartitionKeys() + server.nic.badPartitionKeys());
    }

    @Test
    @DisplayName("a partition that the peer is not in: its queue pair 1 drops and counts the REQ, and the explanation names the P_Key")
    void foreignPartition() {
        server.service.listen(server.channel, PortSpace.TCP, PORT);
        client.service.connector(client.channel).connect(client.queuePair(QueuePairType.RC), server.nic.gid(), PORT,
            in(2).timeoutNs(CmNetwork.SECOND));
        settle();
        assertNull(server.channel.poll());
        assertEquals(1, server.nic.counter(DropReason.WRONG_PARTITION_KEY));
        assertEquals(1, server.nic.port(2).badPartitionKeys());
        for (int i = 0; i < 20; i++) {
            nowNs += CmNetwork.SECOND;
            settle();
        }
        String text = client.take(CmEvent.Type.UNREACHABLE).explanation();
        assertTrue(text.contains("P_Key 0x8003"), text);
    }

    /** The messages of another implementation may come in one partition and name another. */
    private void deliverChanged(Consumer<MutableDirectBuffer> change) {
        client.poll(nowNs);
        NicHost.Datagram datagram = client.out.queue.poll();
        UnsafeBuffer packet = new UnsafeBuffer(datagram.bytes());
        change.accept(new UnsafeBuffer(packet, MAD_AT, MadHeader.MAD_LENGTH));
        int covered = packet.capacity() - Icrc.LENGTH;
        Icrc.write(packet, covered, client.out.icrc.compute(packet, 0, covered, datagram.flow().icrcSeed(), true, 0));
        client.out.queue.clear();
        client.out.queue.add(datagram);
        settle();
    }

    @Test
    @DisplayName("a REQ that names a partition this NIC is not in is rejected as Linux does, in the partition it came in")
    void reqOfAnotherPartition() {
        server.service.listen(server.channel, PortSpace.TCP, PORT);
        client.service.connector(client.channel).connect(client.queuePair(QueuePairType.RC), server.nic.gid(), PORT, in(1));
        deliverChanged(mad -> {
            assertEquals(CmAttribute.REQ, MadHeader.attribute(mad, 0));
            assertEquals(1, CmReq.PARTITION_KEY.get(mad, 0));
            CmReq.PARTITION_KEY.set(mad, 0, 0x8003);
        });
        CmEvent rejected = client.take(CmEvent.Type.REJECTED);
        assertEquals(RejectReason.PRIMARY_REMOTE_GID.code(), rejected.status());
        assertTrue(rejected.explanation().contains("in the partition of the request"), rejected.explanation());
        assertNull(server.channel.poll());
        assertEquals(Set.of("0x8001"), ofServer);
    }

    @Test
    @DisplayName("a SIDR_REQ that names a partition this NIC is not in is refused; one of its own partition is answered there")
    void services() {
        server.service.listen(server.channel, PortSpace.UDP, PORT);
        client.service.connector(client.channel).resolve(server.nic.gid(), PORT, in(1));
        deliverChanged(mad -> {
            assertEquals(1, SidrReq.PARTITION_KEY.get(mad, 0));
            SidrReq.PARTITION_KEY.set(mad, 0, 0x8003);
        });
        assertEquals(SidrStatus.REJECTED.code(), client.take(CmEvent.Type.UNREACHABLE).status());
        assertNull(server.channel.poll());

        client.service.connector(client.channel).resolve(server.nic.gid(), PORT, in(1));
        settle();
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(server.queuePair(QueuePairType.UD), new ConnectParameters());
        settle();
        assertEquals(1, client.take(CmEvent.Type.ESTABLISHED).connection().terms().partitionKeyIndex());
        assertEquals(Set.of("0x8001"), ofServer);
    }

    @Test
    @DisplayName("an index beyond the table is refused with the limit and the remedy")
    void noSuchIndex() {
        String text = assertThrows(IllegalArgumentException.class, () -> client.service.connector(client.channel)
            .connect(client.queuePair(QueuePairType.RC), server.nic.gid(), PORT, in(3))).getMessage();
        assertTrue(text.contains("partitionKeyIndex 3") && text.contains("0..2") && text.contains("--pkeys"), text);
        assertThrows(IllegalArgumentException.class, () -> in(128));
        assertThrows(IllegalArgumentException.class, () -> in(-1));
    }

    private static QueuePair datagrams(NicHost host, int index) {
        QueuePair pair = host.domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, host.completions, host.completions));
        ConnectionService.prepare(pair, index);
        return pair;
    }

    private void datagram(QueuePair from, QueuePair to) {
        AddressHandle address = client.domain.createAddressHandle(AddressVector.to(server.nic.gid()));
        assertTrue(from.postSend(new WorkRequest().id(1).send().add(client.region, 0, 8)
            .to(address, to.number(), ConnectParameters.DEFAULT_QUEUE_KEY)));
        settle();
        assertEquals(CompletionStatus.SUCCESS, client.completion().status());
    }

    @Test
    @DisplayName("the completion of a datagram has the index of the P_Key that matched; what does not match is dropped and counted")
    void datagrams() {
        QueuePair own = datagrams(server, 2);
        QueuePair other = datagrams(server, 1);
        own.postReceive(new ReceiveRequest().id(7).add(server.region, 0, 64));
        other.postReceive(new ReceiveRequest().id(8).add(server.region, 64, 64));
        QueuePair sender = datagrams(client, 1);
        datagram(sender, other);
        assertEquals(1, server.nic.badPartitionKeys());
        datagram(sender, own);
        WorkCompletion received = server.completion();
        assertEquals(7, received.workRequestId());
        assertEquals(2, received.partitionKeyIndex());
        WorkCompletion copy = new WorkCompletion();
        copy.copyFrom(received);
        assertEquals(2, copy.partitionKeyIndex());
        assertEquals(0, copy.reset(1, CompletionStatus.SUCCESS, received.operation(), 1).partitionKeyIndex());
        assertEquals(Set.of("0x0001"), ofClient);
    }
}
