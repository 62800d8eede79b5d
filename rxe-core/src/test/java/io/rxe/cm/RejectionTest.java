package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.PassiveState;
import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every way to reject a request: the reason code on the wire, and the event of the requesting application. */
class RejectionTest {
    private final CmPair pair = new CmPair();

    /** Changes every REQ in the network. */
    private void modifyReqs(Consumer<UnsafeBuffer> change) {
        pair.network.faults = mad -> {
            if (mad.attribute() == CmAttribute.REQ) {
                change.accept(mad.buffer());
            }
            return new long[] {CmNetwork.LATENCY_NS};
        };
    }

    private CmEvent expectRejected(RejectReason reason) {
        pair.connect();
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        CmNetwork.Sent rej = pair.network.last();
        assertEquals(CmAttribute.REJ, rej.attribute());
        assertEquals(reason.code(), CmRej.REASON.get(rej.buffer(), 0));
        assertEquals(AnsweredMessage.REQ, AnsweredMessage.of(CmRej.MESSAGE.get(rej.buffer(), 0)));
        assertEquals(MadHeader.TRANSACTION_ID.get(pair.network.sent.get(0).buffer(), 0), MadHeader.TRANSACTION_ID.get(rej.buffer(), 0));
        CmEvent event = pair.client.take(CmEvent.Type.REJECTED);
        assertEquals(reason.code(), event.status());
        assertEquals(QueuePairState.ERROR, pair.clientPair.state());
        assertEquals(0, pair.client.core.exchanges());
        assertNull(pair.server.channel.poll());
        assertEquals(0, pair.server.core.exchanges());
        return event;
    }

    @Test
    void noListener() {
        pair.listener.close();
        CmEvent event = expectRejected(RejectReason.INVALID_SERVICE_ID);
        assertEquals("no listener on TCP port 7174 at 10.0.0.2 (REJ 8, invalid service ID): start the server or check the port",
            event.explanation());
        assertEquals(0, CommunicationIds.LOCAL.get(pair.network.last().buffer(), 0));
    }

    @Test
    void headerOfAnotherVersion() {
        modifyReqs(req -> req.putByte(CmaHeader.REQ_OFFSET, (byte) 1));
        expectRejected(RejectReason.CONSUMER);
    }

    @Test
    void headerWithAnInvalidIpVersion() {
        modifyReqs(req -> req.putByte(CmaHeader.REQ_OFFSET + 1, (byte) 0x50));
        expectRejected(RejectReason.CONSUMER);
    }

    @Test
    void headerForAnotherAddress() {
        modifyReqs(req -> CmaHeader.write(req, CmaHeader.REQ_OFFSET, pair.client.gid, Gid.parse("10.0.0.3"), 5));
        expectRejected(RejectReason.CONSUMER);
    }

    @Test
    void pathMtuAboveThatOfThePort() {
        modifyReqs(req -> CmReq.PATH_MTU.set(req, 0, PathMtu.MTU_4096.code()));
        CmEvent event = expectRejected(RejectReason.INVALID_PATH_MTU);
        assertTrue(event.explanation().contains("ask for a smaller path MTU"), event.explanation());
    }

    @Test
    void pathMtuThatDoesNotExist() {
        modifyReqs(req -> CmReq.PATH_MTU.set(req, 0, 0));
        expectRejected(RejectReason.INVALID_PATH_MTU);
    }

    @Test
    void transportThatIsNotSupported() {
        modifyReqs(req -> CmReq.TRANSPORT_SERVICE_TYPE.set(req, 0, 3));
        expectRejected(RejectReason.INVALID_TRANSPORT_TYPE);
    }

    @Test
    void addressThatIsNotThisPort() {
        modifyReqs(req -> CmReq.PRIMARY_REMOTE_GID.set(req, 0, Gid.parse("10.0.0.3")));
        expectRejected(RejectReason.PRIMARY_REMOTE_GID);
    }

    @Test
    void addressOfAnotherFamily() {
        modifyReqs(req -> CmReq.PRIMARY_LOCAL_GID.set(req, 0, Gid.parse("fd99::1")));
        expectRejected(RejectReason.PRIMARY_REMOTE_GID);
    }

    @Test
    void applicationRejectsWithPrivateData() {
        pair.connect().requested();
        pair.serverConnection.reject(new byte[] {4, 2});
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent event = pair.client.take(CmEvent.Type.REJECTED);
        assertEquals(28, event.status());
        assertEquals(148, event.privateData().length);
        assertEquals(4, event.privateData()[0]);
        assertEquals("connection to TCP port 7174 at 10.0.0.2 refused (REJ 28, consumer reject): the peer's application refused:"
            + " its private data may say why", event.explanation());
        assertNull(pair.server.channel.poll());
        assertEquals(PassiveState.REJ_SENT, pair.passive().state());
        pair.network.run(60 * CmNetwork.SECOND);
        assertEquals(0, pair.server.core.exchanges());
    }

    /** Tools that retry until the server listens use the same queue pair in each request. */
    @Test
    void aQueuePairMayBeReusedAtOnceAfterARejection() {
        Connector connector = pair.client.service.connector(pair.client.channel);
        ConnectParameters parameters = new ConnectParameters().queuePairNumber(0x55);
        connector.connect(QueuePairType.RC, pair.server.gid, CmPair.PORT, parameters);
        pair.requested();
        pair.serverConnection.reject(new byte[0]);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.REJECTED);
        CmConnection cancelled = connector.connect(QueuePairType.RC, pair.server.gid, CmPair.PORT, parameters);
        pair.requested();
        cancelled.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.TIMEOUT.code(), pair.server.take(CmEvent.Type.REJECTED).status());
        connector.connect(QueuePairType.RC, pair.server.gid, CmPair.PORT, parameters);
        pair.requested();
        pair.serverConnection.accept(new ConnectParameters().queuePairNumber(0x66));
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.CONNECT_RESPONSE);
    }

    /** The peer may give up at any moment: an exception from accept would blame the application. */
    @Test
    void thePeerGivesUpWhileItIsAccepted() {
        Connector connector = pair.client.service.connector(pair.client.channel);
        CmConnection cancelled = connector.connect(pair.client.queuePair(), pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.requested();
        FakeQueuePair serving = pair.server.queuePair();
        serving.beforeReceiving(() -> {
            cancelled.close();
            pair.network.run(2 * CmNetwork.LATENCY_NS);
        });
        pair.serverConnection.accept(serving, new ConnectParameters());
        assertEquals(QueuePairState.ERROR, serving.state());
        pair.server.take(CmEvent.Type.REJECTED);
    }

    @Test
    void tableIsFull() {
        CmNode small = pair.network.add(new CmNode(CmLimits.of("10.0.0.7").exchanges(1).peerExchanges(1).config(), () -> 5));
        small.service.listen(small.channel, PortSpace.TCP, 1);
        Connector connector = pair.client.service.connector(pair.client.channel);
        connector.connect(pair.client.queuePair(), small.gid, 1, new ConnectParameters());
        connector.connect(pair.client.queuePair(), small.gid, 1, new ConnectParameters());
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.NO_RESOURCES.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        Connector own = small.service.connector(small.channel);
        own.connect(small.queuePair(), pair.server.gid, 1, new ConnectParameters());
        String message = assertThrows(IllegalStateException.class,
            () -> own.connect(small.queuePair(), pair.server.gid, 1, new ConnectParameters())).getMessage();
        assertTrue(message.contains("maxExchanges 1"), message);
    }

    @Test
    void backlogIsFull() {
        pair.server.service.listen(pair.server.channel, PortSpace.TCP, 99, 2);
        Connector connector = pair.client.service.connector(pair.client.channel);
        for (int i = 0; i < 3; i++) {
            connector.connect(pair.client.queuePair(), pair.server.gid, 99, new ConnectParameters());
        }
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.NO_RESOURCES.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection().reject(new byte[0]);
        connector.connect(pair.client.queuePair(), pair.server.gid, 99, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST);
        assertNull(pair.server.channel.poll());
    }

    @Test
    void eventChannelIsFull() {
        CmNode server = pair.network.add(new CmNode(CmNode.config("10.0.0.7"), () -> 5, new CmEventChannel(6)));
        server.service.listen(server.channel, PortSpace.TCP, 1);
        Connector connector = pair.client.service.connector(pair.client.channel);
        connector.connect(pair.client.queuePair(), server.gid, 1, new ConnectParameters());
        connector.connect(pair.client.queuePair(), server.gid, 1, new ConnectParameters());
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.NO_RESOURCES.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        CmEvent first = server.take(CmEvent.Type.CONNECT_REQUEST);
        assertThrows(IllegalStateException.class, () -> server.service.connector(server.channel)
            .connect(server.queuePair(), pair.server.gid, 1, new ConnectParameters()));
        first.connection().reject(new byte[0]);
        pair.network.run(60 * CmNetwork.SECOND);
        assertEquals(0, server.core.exchanges());
        connector.connect(pair.client.queuePair(), server.gid, 1, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        server.take(CmEvent.Type.CONNECT_REQUEST);
    }

    @Test
    void aReqWithTheQueuePairOfAConnectionEndsThatConnection() {
        CmPair old = CmPair.connected();
        // The client's host restarts: same adapter GUID, same queue pair number, no memory of the connection.
        CmNode restarted = new CmNode(CmNode.config("10.0.0.1"), () -> 77);
        old.network.nodes.set(0, restarted);
        FakeQueuePair reused = new FakeQueuePair(old.clientPair.number(), QueuePairType.RC, restarted.gid, PathMtu.MTU_1024);
        restarted.service.connector(restarted.channel).connect(reused, old.server.gid, CmPair.PORT, new ConnectParameters());
        old.network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.STALE_CONNECTION.code(), restarted.take(CmEvent.Type.REJECTED).status());
        old.network.run(2 * CmNetwork.LATENCY_NS);
        CmEvent ended = old.server.take(CmEvent.Type.DISCONNECTED);
        assertTrue(ended.explanation().contains("has forgotten this one"), ended.explanation());
        reused = new FakeQueuePair(old.clientPair.number(), QueuePairType.RC, restarted.gid, PathMtu.MTU_1024);
        restarted.service.connector(restarted.channel).connect(reused, old.server.gid, CmPair.PORT, new ConnectParameters());
        old.network.run(CmNetwork.LATENCY_NS);
        old.server.take(CmEvent.Type.CONNECT_REQUEST);
    }

    @Test
    void aRepWithAQueuePairOfAnOlderConnectionIsRejected() {
        CmPair old = CmPair.connected();
        CmNode restarted = new CmNode(CmNode.config("10.0.0.2"), () -> 77);
        restarted.service.listen(restarted.channel, PortSpace.TCP, CmPair.PORT);
        old.network.nodes.set(1, restarted);
        old.connect();
        old.network.run(CmNetwork.LATENCY_NS);
        FakeQueuePair reused = new FakeQueuePair(old.serverPair.number(), QueuePairType.RC, restarted.gid, PathMtu.MTU_1024);
        restarted.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(reused, new ConnectParameters());
        old.network.run(2 * CmNetwork.LATENCY_NS);
        old.client.take(CmEvent.Type.DISCONNECTED);
        CmEvent refused = old.client.take(CmEvent.Type.REJECTED);
        assertEquals(RejectReason.STALE_CONNECTION.code(), refused.status());
        assertTrue(refused.explanation().contains("an older connection here still uses"), refused.explanation());
        assertEquals(RejectReason.STALE_CONNECTION.code(), restarted.take(CmEvent.Type.REJECTED).status());
        old.network.run(5 * CmNetwork.SECOND);
        assertEquals(0, old.client.core.exchanges());
        assertEquals(0, restarted.core.exchanges());
    }

    @Test
    void aQueuePairThatCannotBeSetUpEndsTheConnectionOnBothSides() {
        pair.connect().requested().accept();
        pair.clientPair.refuseToReceive();
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent failed = pair.client.take(CmEvent.Type.CONNECT_ERROR);
        assertEquals(CmEvent.INVALID, failed.status());
        assertTrue(failed.explanation().contains("10.0.0.2") && failed.explanation().contains("RTR"), failed.explanation());
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.CONSUMER.code(), pair.server.take(CmEvent.Type.REJECTED).status());
        assertEquals(QueuePairState.ERROR, pair.serverPair.state());
        pair.network.run(5 * CmNetwork.SECOND);
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    @DisplayName("an Error in setting up the queue pair is the end of that connection and not of the thread")
    void anErrorInSettingUpEndsTheConnectionOnBothSides() {
        pair.connect().requested().accept();
        pair.clientPair.beforeReceiving(() -> {
            throw new StackOverflowError("planted");
        });
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent failed = pair.client.take(CmEvent.Type.CONNECT_ERROR);
        assertTrue(failed.explanation().endsWith("could not be set up: java.lang.StackOverflowError: planted"), failed.explanation());
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.CONSUMER.code(), pair.server.take(CmEvent.Type.REJECTED).status());
        assertEquals(QueuePairState.ERROR, pair.clientPair.state());
    }

    @Test
    void closingAListenerRejectsRequestsTheApplicationHasNotTaken() {
        pair.connect().requested();
        FakeQueuePair second = pair.client.queuePair();
        pair.client.service.connector(pair.client.channel).connect(second, pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.listener.close();
        pair.listener.close();
        assertNull(pair.server.channel.poll(), "the application never receives the other request");
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.INVALID_SERVICE_ID.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        pair.accept().established();
    }

    @Test
    void closingAConnectionNotifiesThePeerInEveryState() {
        pair.connect();
        pair.network.settle();
        pair.clientConnection.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST);
        assertEquals(RejectReason.TIMEOUT.code(), pair.server.take(CmEvent.Type.REJECTED).status());

        pair.connect().requested();
        pair.serverConnection.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.CONSUMER.code(), pair.client.take(CmEvent.Type.REJECTED).status());

        pair.connect().requested().accept();
        pair.network.settle();
        pair.serverConnection.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(RejectReason.CONSUMER.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        assertNull(pair.client.channel.poll(), "the REP is not reported after the REJ");

        pair.connect().requested().accept().established();
        pair.clientConnection.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.DISCONNECTED);
        pair.network.run(60 * CmNetwork.SECOND);
        assertTrue(pair.client.takeAll().isEmpty(), "no event after close");
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    void disconnectDuringTheHandshakeEndsIt() {
        pair.connect().requested();
        pair.clientConnection.disconnect();
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.DISCONNECTED);
        pair.server.take(CmEvent.Type.REJECTED);
        pair.connect().requested().accept();
        pair.serverConnection.disconnect();
        pair.server.take(CmEvent.Type.DISCONNECTED);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.REJECTED);
    }
}
