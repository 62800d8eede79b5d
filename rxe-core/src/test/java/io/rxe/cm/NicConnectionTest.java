package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.CmCounters;
import io.rxe.cm.exchange.CmDropReason;
import io.rxe.cm.mad.AlternatePathStatus;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.MadPrinter;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.verbs.XrcDomain;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Two NICs on a link in virtual time: queue pair 1 carries the handshake, and the connected queue pairs carry data. */
class NicConnectionTest {
    private static final int MAD_AT = Bth.LENGTH + Deth.LENGTH;

    private final NicHost server = new NicHost(2, 3, 2);
    private final NicHost client = new NicHost(1, 2, 1);
    private long nowNs = 1;

    private void settle() {
        int work = 1;
        while (work > 0) {
            nowNs += 1000;
            work = client.poll(nowNs) + server.poll(nowNs);
            work += client.deliverTo(server, nowNs) + server.deliverTo(client, nowNs);
        }
    }

    @Test
    void anEstablishedConnectionCarriesDataBothWays() {
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        CmConnection connection = client.service.connector(client.channel).connect(clientPair, server.nic.gid(), 7471,
            new ConnectParameters());
        settle();
        QueuePair serverPair = server.queuePair(QueuePairType.RC);
        serverPair.postReceive(new ReceiveRequest().id(1).add(server.region, 0, 4096));
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        settle();
        client.take(CmEvent.Type.ESTABLISHED);
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        assertEquals(QueuePairState.RTS, clientPair.state());

        client.memory.putLong(0, 0x1122334455667788L);
        assertTrue(clientPair.postSend(new WorkRequest().id(2).send().add(client.region, 0, 3000)));
        settle();
        assertEquals(CompletionStatus.SUCCESS, client.completion().status());
        WorkCompletion received = server.completion();
        assertEquals(CompletionStatus.SUCCESS, received.status(), received.explanation());
        assertEquals(3000, received.byteLength());
        assertEquals(0x1122334455667788L, server.memory.getLong(0));
        assertTrue(serverPair.postSend(new WorkRequest().id(3).read(client.region.address(), client.region.rKey())
            .add(server.region, 4096, 8)));
        settle();
        WorkCompletion read = server.completion();
        assertEquals(CompletionStatus.SUCCESS, read.status(), read.explanation());
        assertEquals(0x1122334455667788L, server.memory.getLong(4096));

        connection.disconnect();
        settle();
        client.take(CmEvent.Type.DISCONNECTED);
        server.take(CmEvent.Type.DISCONNECTED);
        nowNs += 3 * CmNetwork.SECOND;
        settle();
        client.take(CmEvent.Type.TIMEWAIT_EXIT);
        server.take(CmEvent.Type.TIMEWAIT_EXIT);
        assertEquals(0, client.service.core().exchanges());
        assertEquals(0, server.service.core().exchanges());
    }

    /** The queue pair belongs to another engine than queue pair 1: the server has three, and its first queue pair is of engine 0. */
    @Test
    void theFirstDataPacketReplacesALostRtu() {
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        client.service.connector(client.channel).connect(clientPair, server.nic.gid(), 7471, new ConnectParameters());
        settle();
        QueuePair serverPair = server.queuePair(QueuePairType.RC);
        assertEquals(0, serverPair.number() % server.nic.engines());
        serverPair.postReceive(new ReceiveRequest().id(1).add(server.region, 0, 4096));
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        settle();
        client.take(CmEvent.Type.ESTABLISHED);
        client.poll(nowNs);
        assertEquals(1, client.out.queue.size(), "the RTU");
        client.out.queue.clear();
        settle();
        assertNull(server.channel.poll());

        assertTrue(clientPair.postSend(new WorkRequest().id(2).send().add(client.region, 0, 8)));
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        assertEquals(CompletionStatus.SUCCESS, server.completion().status());
        nowNs += 10 * CmNetwork.SECOND;
        settle();
        assertEquals(0, server.service.counters().get(CmCounters.Kind.RETRIED, CmAttribute.REP));
        assertNull(server.channel.poll());
    }

    private CmConnection connect(QueuePair clientPair, QueuePair serverPair) {
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        CmConnection connection = client.service.connector(client.channel).connect(clientPair, server.nic.gid(), 7471,
            new ConnectParameters());
        settle();
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        settle();
        client.take(CmEvent.Type.ESTABLISHED);
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        return connection;
    }

    private AlternatePath path(int port, Gid peer) {
        return new AlternatePath(AddressVector.to(peer), port, 14);
    }

    private static String text(Executable call) {
        return assertThrows(RuntimeException.class, call).getMessage();
    }

    /** Rule M1: LAP and APR. Messages are lost and repeated, and change nothing then. */
    @Test
    void anAlternatePathIsLoadedOnBothSides() {
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        QueuePair serverPair = server.queuePair(QueuePairType.RC);
        CmConnection connection = connect(clientPair, serverPair);
        connection.loadAlternatePath(path(2, server.nic.gid(2)));
        String again = text(() -> connection.loadAlternatePath(path(2, server.nic.gid(2))));
        assertTrue(again.contains("an earlier path waits"), again);
        client.poll(nowNs);
        assertEquals(1, client.out.queue.size(), "the LAP");
        client.out.queue.clear();
        nowNs += 20 * CmNetwork.SECOND;
        settle();
        CmEvent load = server.take(CmEvent.Type.ALTERNATE_PATH);
        assertEquals(0, load.status(), load.explanation());
        AlternatePath loaded = serverPair.query().alternatePath();
        assertEquals(new AlternatePath(AddressVector.to(client.nic.gid(2)), 2, 14), loaded);
        assertEquals(PathMigrationState.REARM, serverPair.query().pathMigrationState());
        server.poll(nowNs);
        assertEquals(1, server.out.queue.size(), "the APR");
        server.out.queue.clear();
        assertEquals(PathMigrationState.MIGRATED, clientPair.query().pathMigrationState());
        nowNs += 20 * CmNetwork.SECOND;
        settle();
        assertNull(server.channel.poll(), "the same LAP again");
        assertEquals(0, client.take(CmEvent.Type.ALTERNATE_PATH).status());
        assertEquals(path(2, server.nic.gid(2)), clientPair.query().alternatePath());

        client.memory.putLong(0, 42);
        serverPair.postReceive(new ReceiveRequest().id(1).add(server.region, 0, 64));
        assertTrue(clientPair.postSend(new WorkRequest().id(2).send().add(client.region, 0, 8)));
        settle();
        assertEquals(PathMigrationState.ARMED, clientPair.query().pathMigrationState());
        assertEquals(PathMigrationState.ARMED, serverPair.query().pathMigrationState());
        connection.disconnect();
        settle();
        client.take(CmEvent.Type.DISCONNECTED);
        server.take(CmEvent.Type.DISCONNECTED);
        String ended = text(() -> connection.loadAlternatePath(path(2, server.nic.gid(2))));
        assertTrue(ended.contains("is not established"), ended);
    }

    private CmConnection loadRightBehindTheRtu() {
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        CmConnection connection = client.service.connector(client.channel).connect(client.queuePair(QueuePairType.RC), server.nic.gid(),
            7471, new ConnectParameters());
        settle();
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(server.queuePair(QueuePairType.RC), new ConnectParameters());
        settle();
        client.take(CmEvent.Type.ESTABLISHED);
        connection.loadAlternatePath(path(2, server.nic.gid(2)));
        return connection;
    }

    private void expectPathOnBothSides() {
        assertEquals(0, server.take(CmEvent.Type.ALTERNATE_PATH).status());
        settle();
        assertEquals(0, client.take(CmEvent.Type.ALTERNATE_PATH).status());
    }

    @Test
    void aLapThatIsDueWithTheRtuLeavesBehindIt() {
        loadRightBehindTheRtu();
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        expectPathOnBothSides();
    }

    @Test
    void aLostRtuIsRepeatedWhileTheLapWaits() {
        loadRightBehindTheRtu();
        client.poll(nowNs);
        client.poll(nowNs);
        assertEquals(2, client.out.queue.size(), "the RTU and the LAP");
        client.out.queue.clear();
        nowNs += 5 * CmNetwork.SECOND;
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        nowNs += 10 * CmNetwork.SECOND;
        settle();
        expectPathOnBothSides();
    }

    /** A queue pair that is used again grants what its new connection needs, and nothing of the one before. */
    @Test
    void accessOfAnEarlierConnectionEndsWithIt() {
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        CmConnection connection = connect(clientPair, server.queuePair(QueuePairType.RC));
        assertEquals(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC, clientPair.query().accessFlags());
        connection.disconnect();
        settle();
        clientPair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        client.service.connector(client.channel).connect(clientPair, server.nic.gid(), 7471, new ConnectParameters().responderResources(0));
        assertEquals(AccessFlags.REMOTE_WRITE, clientPair.query().accessFlags());
    }

    /** One waits for the application at a time, whose answer is one APR; the others take no memory, and the peer may send them again. */
    @Test
    void aFloodOfPathRequestsIsBounded() {
        QueuePair serverPair = server.queuePair(QueuePairType.RC);
        connect(client.queuePair(QueuePairType.RC), serverPair).loadAlternatePath(path(2, server.nic.gid(2)));
        client.poll(nowNs);
        NicHost.Datagram lap = client.out.queue.remove();
        for (int round = 0; round < 3; round++) {
            for (int number = 1; number <= 1000; number++) {
                client.out.queue.add(withTransaction(lap, round * 1000L + number));
            }
            client.deliverTo(server, nowNs);
            server.poll(nowNs);
            assertEquals(0, server.out.queue.size(), "nothing is answered before the application has seen it");
            assertEquals(0, server.take(CmEvent.Type.ALTERNATE_PATH).status());
            assertNull(server.channel.poll());
            server.poll(nowNs);
            assertEquals(1, server.out.queue.size(), "the APR");
            server.out.queue.clear();
        }
        assertEquals(2997, server.service.counters().get(CmDropReason.UNEXPECTED));
        assertEquals(new AlternatePath(AddressVector.to(client.nic.gid(2)), 2, 14), serverPair.query().alternatePath());
    }

    private NicHost.Datagram withTransaction(NicHost.Datagram lap, long transaction) {
        byte[] bytes = lap.bytes().clone();
        UnsafeBuffer packet = new UnsafeBuffer(bytes);
        MadHeader.TRANSACTION_ID.set(packet, Bth.LENGTH + Deth.LENGTH, transaction);
        int covered = bytes.length - Icrc.LENGTH;
        Icrc.write(packet, covered, client.out.icrc.compute(packet, 0, covered, lap.flow().icrcSeed(), lap.flow().isIpv4(), 0));
        return new NicHost.Datagram(bytes, lap.flow());
    }

    /** UC sends no responses, so that each side arms with the first message of the other. */
    @Test
    void anUnreliableConnectionMigratesByVerb() {
        QueuePair clientPair = client.queuePair(QueuePairType.UC);
        QueuePair serverPair = server.queuePair(QueuePairType.UC);
        connect(clientPair, serverPair).loadAlternatePath(path(2, server.nic.gid(2)));
        settle();
        server.take(CmEvent.Type.ALTERNATE_PATH);
        settle();
        client.take(CmEvent.Type.ALTERNATE_PATH);
        exchange(clientPair, serverPair);
        assertEquals(PathMigrationState.ARMED, clientPair.query().pathMigrationState());
        assertEquals(PathMigrationState.ARMED, serverPair.query().pathMigrationState());
        clientPair.modify(QueuePairAttributes.to(QueuePairState.RTS).pathMigrationState(PathMigrationState.MIGRATED));
        exchange(clientPair, serverPair);
        assertEquals(2, clientPair.query().port());
        assertEquals(2, serverPair.query().port());
        assertEquals(server.nic.gid(2), clientPair.query().addressVector().destination());
        exchange(clientPair, serverPair);
    }

    /** One message each way. */
    private void exchange(QueuePair clientPair, QueuePair serverPair) {
        serverPair.postReceive(new ReceiveRequest().id(1).add(server.region, 0, 64));
        clientPair.postReceive(new ReceiveRequest().id(2).add(client.region, 0, 64));
        assertTrue(clientPair.postSend(new WorkRequest().id(3).send().add(client.region, 64, 8)));
        settle();
        assertEquals(CompletionStatus.SUCCESS, server.completion().status());
        assertTrue(serverPair.postSend(new WorkRequest().id(4).send().add(server.region, 64, 8)));
        settle();
        assertEquals(CompletionStatus.SUCCESS, server.completion().status());
        assertEquals(CompletionStatus.SUCCESS, client.completion().status());
        assertEquals(CompletionStatus.SUCCESS, client.completion().status());
    }

    @Test
    void aPathThatThePeerDoesNotHaveIsRefused() {
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        CmConnection connection = connect(clientPair, server.queuePair(QueuePairType.RC));
        connection.loadAlternatePath(path(2, Gid.parse("10.1.0.77")));
        settle();
        CmEvent load = server.take(CmEvent.Type.ALTERNATE_PATH);
        assertEquals(CmEvent.INVALID, load.status());
        assertTrue(load.explanation().contains("10.1.0.77"), load.explanation());
        settle();
        CmEvent refused = client.take(CmEvent.Type.ALTERNATE_PATH);
        assertEquals(AlternatePathStatus.INVALID_GID.code(), refused.status());
        assertTrue(refused.explanation().contains("no port with the GID"), refused.explanation());
        // The path in use.
        connection.loadAlternatePath(path(1, server.nic.gid()));
        settle();
        assertEquals(CmEvent.INVALID, server.take(CmEvent.Type.ALTERNATE_PATH).status());
        settle();
        assertEquals(AlternatePathStatus.REJECTED.code(), client.take(CmEvent.Type.ALTERNATE_PATH).status());
        assertEquals(QueuePairState.RTS, clientPair.state());
        assertNull(clientPair.query().alternatePath());

        connection.loadAlternatePath(path(2, server.nic.gid(2)));
        for (int i = 0; i < 40; i++) {
            client.poll(nowNs);
            client.out.queue.clear();
            nowNs += 5 * CmNetwork.SECOND;
        }
        CmEvent silent = client.take(CmEvent.Type.ALTERNATE_PATH);
        assertEquals(CmEvent.TIMED_OUT, silent.status());
        assertTrue(silent.explanation().contains("no answer from"), silent.explanation());
    }

    @Test
    void anEventLoadsItsOwnPathAndNothingElseHoweverLateItIsTaken() {
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        CmConnection connection = connect(clientPair, server.queuePair(QueuePairType.RC));
        for (Gid peer : List.of(server.nic.gid(2), Gid.parse("10.1.0.77"))) {
            connection.loadAlternatePath(path(2, peer));
            settle();
            server.take(CmEvent.Type.ALTERNATE_PATH);
            settle();
        }
        clientPair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        assertEquals(0, client.take(CmEvent.Type.ALTERNATE_PATH).status());
        assertEquals(server.nic.gid(2), clientPair.query().alternatePath().addressVector().destination());
        assertEquals(QueuePairState.SQD, clientPair.state());
        assertEquals(AlternatePathStatus.INVALID_GID.code(), client.take(CmEvent.Type.ALTERNATE_PATH).status());
    }

    @Test
    void pathsAreLoadedByTheSideThatConnected() {
        QueuePair serverPair = server.queuePair(QueuePairType.RC);
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        CmConnection connection = client.service.connector(client.channel).connect(client.queuePair(QueuePairType.RC), server.nic.gid(),
            7471, new ConnectParameters());
        settle();
        CmConnection accepted = server.take(CmEvent.Type.CONNECT_REQUEST).connection();
        accepted.accept(serverPair, new ConnectParameters());
        String early = text(() -> connection.loadAlternatePath(path(2, server.nic.gid(2))));
        assertTrue(early.contains("is not established"), early);
        String passive = text(() -> accepted.loadAlternatePath(path(2, client.nic.gid(2))));
        assertTrue(passive.contains("the side that connected loads paths"), passive);
        String port = text(() -> connection.loadAlternatePath(path(3, server.nic.gid(2))));
        assertTrue(port.contains("port 3") && port.contains("1..2"), port);
        assertThrows(NullPointerException.class, () -> connection.loadAlternatePath(null));
    }

    /** Peers identify connections by it, and users compare it with the output of devinfo. */
    @Test
    void messagesCarryTheGuidOfTheDevice() {
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        client.service.connector(client.channel).connect(client.queuePair(QueuePairType.RC), server.nic.gid(), 7471,
            new ConnectParameters());
        client.poll(nowNs);
        assertEquals(client.nic.guid(), CmReq.LOCAL_CA_GUID.get(new UnsafeBuffer(client.out.queue.peek().bytes()), MAD_AT));
        settle();
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(server.queuePair(QueuePairType.RC), new ConnectParameters());
        server.poll(nowNs);
        assertEquals(server.nic.guid(), CmRep.LOCAL_CA_GUID.get(new UnsafeBuffer(server.out.queue.peek().bytes()), MAD_AT));
    }

    @Test
    @DisplayName("X6: a REQ of an XRC initiator is accepted with a target; the REP has its number in the end-to-end context")
    void anXrcConnectionCarriesDataOneWay() {
        XrcDomain xrcDomain = server.nic.openXrcDomain();
        SharedReceiveQueue queue = server.domain.createSharedReceiveQueue(xrcDomain, server.completions, 4, 1);
        assertTrue(queue.postReceive(new ReceiveRequest().id(1).add(server.region, 0, 4096)));
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        QueuePair initiator = client.queuePair(QueuePairType.XRC_SEND);
        CmConnection connection = client.service.connector(client.channel).connect(initiator, server.nic.gid(), 7471,
            new ConnectParameters());
        client.poll(nowNs);
        UnsafeBuffer req = new UnsafeBuffer(client.out.queue.peek().bytes());
        assertEquals(3, CmReq.TRANSPORT_SERVICE_TYPE.get(req, MAD_AT));
        assertEquals(1, CmReq.EXTENDED_TRANSPORT.get(req, MAD_AT));
        assertEquals(initiator.number(), CmReq.LOCAL_QPN.get(req, MAD_AT));
        assertEquals(0, CmReq.RESPONDER_RESOURCES.get(req, MAD_AT));
        assertTrue(printed(req).contains(" XRC qpn 0x" + Integer.toHexString(initiator.number())), printed(req));
        settle();
        CmConnection request = server.take(CmEvent.Type.CONNECT_REQUEST).connection();
        assertThrows(IllegalArgumentException.class, () -> request.accept(server.queuePair(QueuePairType.RC), new ConnectParameters()));
        QueuePair target = xrcDomain.createQueuePair();
        ByteBuffer number = ByteBuffer.allocate(4).putInt(0, queue.number());
        request.accept(target, new ConnectParameters().privateData(number.array()));
        server.poll(nowNs);
        UnsafeBuffer rep = new UnsafeBuffer(server.out.queue.peek().bytes());
        assertEquals(0, CmRep.LOCAL_QPN.get(rep, MAD_AT));
        assertEquals(target.number(), CmRep.LOCAL_EE_CONTEXT.get(rep, MAD_AT));
        assertEquals(0, CmRep.INITIATOR_DEPTH.get(rep, MAD_AT));
        assertTrue(CmRep.SHARED_RECEIVE_QUEUE.isSet(rep, MAD_AT));
        assertTrue(printed(rep).contains(" qpn 0x" + Integer.toHexString(target.number())), printed(rep));
        settle();
        CmEvent established = client.take(CmEvent.Type.ESTABLISHED);
        settle();
        server.take(CmEvent.Type.ESTABLISHED);
        assertEquals(QueuePairState.RTS, target.state());
        int queueNumber = ByteBuffer.wrap(established.privateData()).getInt();
        client.memory.putLong(0, 0x1122334455667788L);
        assertTrue(initiator.postSend(new WorkRequest().id(2).send().add(client.region, 0, 3000).toSharedReceiveQueue(queueNumber)));
        settle();
        assertEquals(CompletionStatus.SUCCESS, client.completion().status());
        assertEquals(target.number(), server.completion().queuePairNumber());
        assertEquals(0x1122334455667788L, server.memory.getLong(0));
        connection.disconnect();
        settle();
        client.take(CmEvent.Type.DISCONNECTED);
        server.take(CmEvent.Type.DISCONNECTED);
        assertEquals(QueuePairState.ERROR, target.state());
    }

    @Test
    @DisplayName("X6: a listener in port space IB gets what is requested there; one with its port in TCP does not")
    void portSpacesAreApart() {
        server.service.listen(server.channel, PortSpace.TCP, 7471);
        Listener listener = server.service.listen(server.channel, PortSpace.IB, 7471);
        client.service.connector(client.channel).connect(client.queuePair(QueuePairType.XRC_SEND), server.nic.gid(), 7471,
            new ConnectParameters().portSpace(PortSpace.IB));
        client.poll(nowNs);
        assertEquals(0x013F1D2FL, CmReq.SERVICE_ID.get(new UnsafeBuffer(client.out.queue.peek().bytes()), MAD_AT));
        settle();
        assertEquals(listener, server.take(CmEvent.Type.CONNECT_REQUEST).listener());
    }

    private static String printed(UnsafeBuffer packet) {
        StringBuilder text = new StringBuilder();
        new MadPrinter(text).append(packet, MAD_AT, MadHeader.MAD_LENGTH, false);
        return text.toString();
    }

    @Test
    @DisplayName("X6: a target cannot request a connection")
    void aTargetDoesNotConnect() {
        QueuePair target = client.nic.openXrcDomain().createQueuePair();
        String refusal = assertThrows(IllegalArgumentException.class, () -> client.service.connector(client.channel).connect(target,
            server.nic.gid(), 7471, new ConnectParameters())).getMessage();
        assertTrue(refusal.contains("XRC_SEND"), refusal);
    }

    @Test
    void aDatagramServiceIsResolved() {
        server.service.listen(server.channel, PortSpace.UDP, 7174);
        CmConnection resolution = client.service.connector(client.channel).resolve(server.nic.gid(), 7174, new ConnectParameters());
        settle();
        QueuePair serverPair = server.queuePair(QueuePairType.UD);
        assertEquals(QueuePairState.RTS, serverPair.state());
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        settle();
        client.take(CmEvent.Type.ESTABLISHED);
        assertEquals(serverPair.number(), resolution.terms().remoteQpn());
        assertNull(server.channel.poll());
    }

    @Test
    void aRequestForAPortWithoutListenerIsRejected() {
        QueuePair clientPair = client.queuePair(QueuePairType.RC);
        client.service.connector(client.channel).connect(clientPair, server.nic.gid(), 99, new ConnectParameters());
        settle();
        assertEquals(8, client.take(CmEvent.Type.REJECTED).status());
        assertEquals(QueuePairState.ERROR, clientPair.state());
    }
}
