package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.ActiveState;
import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.exchange.PassiveState;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmReq;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Handshakes without faults: what both sides agree on, which events applications receive, which calls throw. */
class HandshakeTest {
    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(byte[] area, int length) {
        return new String(Arrays.copyOf(area, length), StandardCharsets.US_ASCII);
    }

    @Test
    void eachSideSendsFromThePsnTheOtherSideExpects() {
        CmPair pair = CmPair.connected();
        QueuePairAttributes client = pair.clientPair.query();
        QueuePairAttributes server = pair.serverPair.query();
        assertEquals(client.sendPsn(), server.receivePsn());
        assertEquals(server.sendPsn(), client.receivePsn());
        assertEquals(pair.serverPair.number(), client.destinationQpn());
        assertEquals(pair.clientPair.number(), server.destinationQpn());
        assertEquals(pair.client.gid, server.addressVector().destination());
        assertEquals(QueuePairState.RTS, client.state());
        assertEquals(QueuePairState.RTS, server.state());
        assertEquals(12, client.minRnrTimer());
        assertEquals(List.of(CmAttribute.REQ, CmAttribute.REP, CmAttribute.RTU), pair.network.attributes());
        assertEquals(ActiveState.ESTABLISHED, pair.active().state());
        assertEquals(PassiveState.ESTABLISHED, pair.passive().state());
    }

    @Test
    void depthsCrossOverAndTheSmallerHolds() {
        CmPair pair = new CmPair().connect(new ConnectParameters().initiatorDepth(10).responderResources(3)).requested();
        assertEquals(3, pair.serverConnection.terms().initiatorDepth(), "limited by what the client serves");
        assertEquals(10, pair.serverConnection.terms().responderResources());
        pair.accept(new ConnectParameters().initiatorDepth(8).responderResources(4)).established();
        assertEquals(4, pair.clientPair.query().maxRdAtomic());
        assertEquals(3, pair.clientPair.query().maxDestRdAtomic());
        assertEquals(3, pair.serverPair.query().maxRdAtomic());
        assertEquals(4, pair.serverPair.query().maxDestRdAtomic());
    }

    @Test
    @DisplayName("the traffic class of the REQ is that of the data of both sides")
    void trafficClassHoldsInBothDirections() {
        CmPair pair = new CmPair().connect(new ConnectParameters().trafficClass(0xB8)).requested().accept().established();
        assertEquals(0xB8, pair.clientPair.query().addressVector().trafficClass());
        assertEquals(0xB8, pair.serverPair.query().addressVector().trafficClass());
    }

    @Test
    void remoteReadFollowsResponderResources() {
        CmPair pair = new CmPair().connect(new ConnectParameters().responderResources(0)).requested().accept().established();
        assertEquals(AccessFlags.REMOTE_WRITE, pair.clientPair.query().accessFlags());
        assertEquals(0, pair.serverPair.query().maxRdAtomic());
        assertEquals(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC,
            pair.serverPair.query().accessFlags());
    }

    @Test
    void accessTheApplicationAllowedStays() {
        CmPair pair = new CmPair().connect().requested();
        pair.serverPair = pair.server.queuePair();
        ConnectionService.prepare(pair.serverPair);
        assertEquals(QueuePairState.INIT, pair.serverPair.state(), "receives can be posted");
        pair.serverPair.modify(QueuePairAttributes.toInit(AccessFlags.REMOTE_INVALIDATE));
        pair.serverConnection.accept(pair.serverPair, new ConnectParameters().responderResources(0));
        assertEquals(AccessFlags.REMOTE_INVALIDATE | AccessFlags.REMOTE_WRITE, pair.serverPair.query().accessFlags());
    }

    @Test
    @DisplayName("T10: REQ and REP carry the retry counts; packet life time and ACK delay give the timer")
    void messagesCarryTheRetryCounts() {
        CmPair pair = new CmPair().connect(new ConnectParameters().retryCount(5).rnrRetry(3).minRnrTimer(9).ackTimeoutCode(0))
            .requested().accept(new ConnectParameters().retryCount(1).rnrRetry(6).minRnrTimer(8)).established();
        assertEquals(5, pair.clientPair.query().retryCount());
        assertEquals(5, pair.serverPair.query().retryCount(), "of the REQ; accept cannot change it");
        assertEquals(6, pair.clientPair.query().rnrRetry(), "of the REP");
        assertEquals(3, pair.serverPair.query().rnrRetry(), "of the REQ");
        assertEquals(9, pair.clientPair.query().minRnrTimer());
        assertEquals(8, pair.serverPair.query().minRnrTimer());
        assertEquals(19, pair.clientPair.query().timeout());
        assertEquals(19, pair.serverPair.query().timeout());
    }

    @Test
    @DisplayName("T10: a long ACK delay of the responder lengthens the timer of the requester")
    void ackDelayOfTheRepLengthensTheTimerOfTheRequester() {
        CmPair pair = new CmPair();
        CmConfig slow = new CmConfig(Gid.parse("10.0.0.9"), 4791, PathMtu.MTU_1024, 99, 21, 18, 20, 15, 16, 16, 1000, 500,
            PartitionKeys.DEFAULT);
        CmNode server = pair.network.add(new CmNode(slow, () -> 7));
        server.service.listen(server.channel, PortSpace.TCP, 1);
        FakeQueuePair clientPair = pair.client.queuePair();
        pair.client.service.connector(pair.client.channel).connect(clientPair, server.gid, 1, new ConnectParameters().ackTimeoutCode(0));
        pair.network.run(CmNetwork.LATENCY_NS);
        FakeQueuePair serverPair = server.queuePair();
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        assertEquals(21, clientPair.query().timeout());
        assertEquals(19, serverPair.query().timeout());
    }

    @Test
    void ackTimeoutOfTheApplicationHoldsOnBothSidesUnlessTheAckDelayIsLonger() {
        CmPair pair = new CmPair().connect(new ConnectParameters().ackTimeoutCode(17)).requested().accept().established();
        assertEquals(17, CmReq.LOCAL_ACK_TIMEOUT.get(pair.network.sent(CmAttribute.REQ).get(0).buffer(), 0));
        assertEquals(17, pair.serverPair.query().timeout());
        assertEquals(17, pair.clientPair.query().timeout());
        pair = new CmPair().connect(new ConnectParameters().ackTimeoutCode(14)).requested().accept().established();
        assertEquals(14, pair.serverPair.query().timeout());
        assertEquals(16, pair.clientPair.query().timeout(), "2^14 plus the ACK delay 2^15 is 1.5 x 2^15, rounded up");
    }

    @Test
    void privateDataReachesTheOtherApplication() {
        CmPair pair = new CmPair().connect(new ConnectParameters().privateData(text("hello")));
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent request = pair.server.take(CmEvent.Type.CONNECT_REQUEST);
        assertEquals("hello", text(request.privateData(), 5));
        assertEquals(56, request.privateData().length);
        assertEquals(pair.listener, request.listener());
        pair.serverConnection = request.connection();
        pair.accept(new ConnectParameters().privateData(text("welcome")));
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent established = pair.client.take(CmEvent.Type.ESTABLISHED);
        assertEquals("welcome", text(established.privateData(), 7));
        assertEquals(196, established.privateData().length);
    }

    @Test
    void unreliableConnectionsSetNoReliableAttributes() {
        CmPair pair = new CmPair();
        pair.clientPair = pair.client.queuePair(QueuePairType.UC);
        pair.client.service.connector(pair.client.channel).connect(pair.clientPair, pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.requested();
        assertEquals(QueuePairType.UC, pair.serverConnection.type());
        FakeQueuePair wrong = pair.server.queuePair();
        assertThrows(IllegalArgumentException.class, () -> pair.serverConnection.accept(wrong, new ConnectParameters()));
        pair.serverPair = pair.server.queuePair(QueuePairType.UC);
        pair.serverConnection.accept(pair.serverPair, new ConnectParameters());
        pair.established();
        assertEquals(pair.clientPair.query().sendPsn(), pair.serverPair.query().receivePsn());
        assertEquals(QueuePairState.RTS, pair.serverPair.state());
    }

    @Test
    void ipv6AddressesWorkTheSame() {
        CmPair pair = new CmPair("fd99::1", "fd99::2").connect().requested();
        assertEquals(Gid.parse("fd99::1"), pair.serverConnection.peer());
        pair.accept().established();
        assertEquals(Gid.parse("fd99::2"), pair.clientPair.query().addressVector().destination());
    }

    @Test
    void anApplicationCanModifyItsQueuePairsItself() {
        CmPair pair = new CmPair();
        CmConnection connection = pair.client.service.connector(pair.client.channel).connect(QueuePairType.RC, pair.server.gid,
            CmPair.PORT, new ConnectParameters().queuePairNumber(0x77));
        pair.requested();
        assertEquals(0x77, pair.serverConnection.terms().remoteQpn());
        pair.serverConnection.accept(new ConnectParameters().queuePairNumber(0x88));
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.CONNECT_RESPONSE);
        FakeQueuePair own = new FakeQueuePair(0x77, QueuePairType.RC, pair.client.gid, PathMtu.MTU_1024);
        own.modify(connection.terms().toInit());
        own.modify(connection.terms().toReadyToReceive(12));
        own.modify(connection.terms().toReadyToSend());
        assertEquals(0x88, own.query().destinationQpn());
        assertTrue(connection.establish());
        assertFalse(connection.establish(), "only once");
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.ESTABLISHED);
        assertNull(pair.client.channel.poll());
        connection.disconnect();
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.DISCONNECTED);
    }

    @Test
    void bothSidesReportADisconnectOnceAndKeepNothing() {
        CmPair pair = CmPair.connected();
        pair.clientConnection.disconnect();
        pair.clientConnection.disconnect();
        assertEquals(QueuePairState.ERROR, pair.clientPair.state());
        pair.network.run(10 * CmNetwork.SECOND);
        pair.client.takeAll();
        pair.server.takeAll();
        assertEquals(List.of(CmEvent.Type.ESTABLISHED, CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT), pair.client.types());
        assertEquals(List.of(CmEvent.Type.CONNECT_REQUEST, CmEvent.Type.ESTABLISHED, CmEvent.Type.DISCONNECTED,
            CmEvent.Type.TIMEWAIT_EXIT), pair.server.types());
        assertEquals(5, pair.network.sent.size());
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(0, pair.server.core.exchanges());
        assertEquals("RDMA_CM_EVENT_TIMEWAIT_EXIT", pair.server.events.get(3).type().rdmaName());
    }

    @Test
    void bothSidesMayDisconnectAtTheSameTime() {
        CmPair pair = CmPair.connected();
        pair.clientConnection.disconnect();
        pair.serverConnection.disconnect();
        pair.network.run(10 * CmNetwork.SECOND);
        assertEquals(2, pair.network.sent(CmAttribute.DREQ).size());
        assertEquals(2, pair.network.sent(CmAttribute.DREP).size());
        assertEquals(List.of(CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT),
            pair.client.takeAll().stream().map(CmEvent::type).toList());
        assertEquals(List.of(CmEvent.Type.DISCONNECTED, CmEvent.Type.TIMEWAIT_EXIT),
            pair.server.takeAll().stream().map(CmEvent::type).toList());
    }

    @Test
    void dataEstablishesTheConnectionBeforeTheRtu() {
        CmPair pair = new CmPair().connect().requested().accept();
        pair.serverConnection.notifyEstablished();
        pair.server.take(CmEvent.Type.ESTABLISHED);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        pair.network.run(CmNetwork.LATENCY_NS);
        assertNull(pair.server.channel.poll(), "the RTU causes no second event");
        pair.serverConnection.notifyEstablished();
        assertNull(pair.server.channel.poll());
    }

    @Test
    void aNicCanConnectToItself() {
        CmNetwork network = new CmNetwork();
        CmNode node = network.add("10.0.0.1");
        node.service.listen(node.channel, PortSpace.TCP, 1);
        FakeQueuePair one = node.queuePair();
        FakeQueuePair two = node.queuePair();
        CmConnection connection = node.service.connector(node.channel).connect(one, node.gid, 1, new ConnectParameters());
        network.run(CmNetwork.LATENCY_NS);
        node.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(two, new ConnectParameters());
        network.run(CmNetwork.LATENCY_NS);
        node.take(CmEvent.Type.ESTABLISHED);
        network.run(CmNetwork.LATENCY_NS);
        node.take(CmEvent.Type.ESTABLISHED);
        assertEquals(one.query().sendPsn(), two.query().receivePsn());
        connection.disconnect();
        network.run(5 * CmNetwork.SECOND);
        assertEquals(4, node.takeAll().size());
        assertEquals(0, node.core.exchanges());
    }

    @Test
    void misuseThrowsAtTheCallAndKeepsNothing() {
        CmPair pair = new CmPair();
        Connector connector = pair.client.service.connector(new CmEventChannel(4));
        ConnectParameters defaults = new ConnectParameters();
        Gid server = pair.server.gid;
        FakeQueuePair good = pair.client.queuePair();
        expect("address family", () -> connector.connect(good, Gid.parse("fd99::2"), 1, defaults));
        expect("port 0", () -> connector.connect(good, server, 0, defaults));
        expect("57 bytes > 56", () -> connector.connect(good, server, 1, new ConnectParameters().privateData(new byte[57])));
        expect("181 bytes > 180", () -> connector.resolve(server, 1, new ConnectParameters().privateData(new byte[181])));
        expect("path MTU 2048 > port MTU 1024",
            () -> connector.connect(good, server, 1, new ConnectParameters().pathMtu(PathMtu.MTU_2048)));
        expect("UD queue pair", () -> connector.connect(pair.client.queuePair(QueuePairType.UD), server, 1, defaults));
        expect("queue pair 0x0", () -> connector.connect(QueuePairType.RC, server, 1, defaults));
        FakeQueuePair used = pair.client.queuePair();
        used.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        assertThrows(IllegalStateException.class, () -> connector.connect(used, server, 1, defaults));
        assertEquals(0, pair.client.core.exchanges());
        assertNotNull(connector.connect(good, server, CmPair.PORT, defaults), "failed calls released the room in the channel");

        pair.requested();
        assertThrows(IllegalStateException.class, () -> pair.server.service.listen(pair.server.channel, PortSpace.TCP, CmPair.PORT));
        expect("197 bytes > 196",
            () -> pair.serverConnection.accept(pair.server.queuePair(), new ConnectParameters().privateData(new byte[197])));
        expect("149 bytes > 148", () -> pair.serverConnection.reject(new byte[149]));
        expect("queue pair number 0", () -> pair.serverConnection.accept(new ConnectParameters()));
        assertEquals(PassiveState.REQ_RECEIVED, pair.passive().state());
    }

    private static void expect(String part, org.junit.jupiter.api.function.Executable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void onlyRequestsOfPeersCanBeAcceptedOrRejected() {
        CmPair pair = new CmPair().connect();
        assertThrows(IllegalStateException.class, () -> pair.clientConnection.reject(new byte[0]));
        assertThrows(IllegalStateException.class,
            () -> pair.clientConnection.accept(pair.client.queuePair(), new ConnectParameters()));
    }

    @Test
    void parametersMayBeReusedAfterTheCall() {
        CmPair pair = new CmPair();
        ConnectParameters parameters = new ConnectParameters().initiatorDepth(2);
        pair.connect(parameters);
        parameters.initiatorDepth(9).privateData(text("later"));
        pair.requested().accept().established();
        assertEquals(2, pair.clientPair.query().maxRdAtomic());
        assertArrayEquals(new byte[56], Arrays.copyOfRange(pair.network.sent.get(0).bytes(), 200, 256));
    }

    @Test
    void communicationIdsAreNeverZeroOrInUse() {
        CmNetwork network = new CmNetwork();
        CmNode node = network.add(new CmNode(CmNode.config("10.0.0.1"), () -> -1));
        Connector connector = node.service.connector(node.channel);
        int[] ids = new int[3];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = connector.connect(node.queuePair(), Gid.parse("10.0.0.2"), 1, new ConnectParameters()).localCommunicationId();
        }
        assertArrayEquals(new int[] {-1, 1, 2}, ids);
        node.service.close();
        network.settle();
        assertEquals(0, node.core.exchanges());
    }

    @Test
    void oneThousandConnectionsAreEstablished() {
        CmPair pair = new CmPair();
        for (int i = 0; i < 1000; i++) {
            pair.connect();
        }
        pair.network.run(CmNetwork.LATENCY_NS);
        for (CmEvent event : pair.server.takeAll()) {
            event.connection().accept(pair.server.queuePair(), new ConnectParameters());
        }
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(1000, pair.client.takeAll().stream().filter(event -> event.type() == CmEvent.Type.ESTABLISHED).count());
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(1000, pair.server.takeAll().stream().filter(event -> event.type() == CmEvent.Type.ESTABLISHED).count());
        pair.client.service.close();
        pair.network.run(5 * CmNetwork.SECOND);
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(0, pair.server.core.exchanges());
    }
}
