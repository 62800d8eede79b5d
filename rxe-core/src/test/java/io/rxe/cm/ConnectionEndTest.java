package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent.Type;
import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Every end of a connection is one event with its reason, and ends both queue pairs")
class ConnectionEndTest {
    private static final List<Type> ENDED = List.of(Type.DISCONNECTED, Type.TIMEWAIT_EXIT);

    /** What ends an established connection at the client, and what each side reads about it. */
    static List<Arguments> ends() {
        String dreq = "10.0.0.1 ended the connection with a DREQ";
        return List.of(
            end("disconnect", pair -> pair.clientConnection.disconnect(), "", dreq),
            end("queue pair fails", pair -> pair.clientPair.fail("the cable broke"), "its queue pair 0x11 ended: the cable broke", dreq),
            end("queue pair closed", pair -> pair.clientPair.close(), "its queue pair 0x11 ended: it was closed", dreq),
            end("queue pair reset", pair -> pair.clientPair.modify(QueuePairAttributes.to(QueuePairState.RESET)),
                "its queue pair 0x11 ended: it was moved to RESET", dreq),
            end("queue pair to ERROR", pair -> pair.clientPair.modify(QueuePairAttributes.to(QueuePairState.ERROR)),
                "its queue pair 0x11 ended: it was moved to ERROR", dreq),
            end("NIC closed", pair -> pair.client.service.close(), "the NIC at 10.0.0.1 was closed", dreq));
    }

    private static Arguments end(String name, Consumer<CmPair> how, String atClient, String atServer) {
        return Arguments.of(name, how, atClient, atServer);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ends")
    void bothSidesReadWhy(String name, Consumer<CmPair> how, String atClient, String atServer) {
        CmPair pair = CmPair.connected();
        how.accept(pair);
        pair.network.run(3 * CmNetwork.SECOND);
        assertTrue(pair.clientPair.state() == QueuePairState.ERROR || pair.clientPair.state() == QueuePairState.RESET,
            () -> pair.clientPair.state().toString());
        assertEquals(QueuePairState.ERROR, pair.serverPair.state(), "before the event is taken");
        check(pair.client, atClient);
        check(pair.server, atServer);
        assertEquals(1, pair.network.sent(CmAttribute.DREQ).size());
    }

    private static void check(CmNode node, String explanation) {
        CmEvent first = node.channel.poll();
        assertEquals(Type.DISCONNECTED, first.type());
        assertEquals(explanation, first.explanation());
        assertEquals(Type.TIMEWAIT_EXIT, node.channel.poll().type());
        assertEquals(0, node.core.exchanges());
    }

    @Test
    void aFailedQueuePairIsReportedThoughThePeerIsSilent() {
        CmPair pair = CmPair.connected();
        pair.loseAll();
        pair.clientPair.fail("10.0.0.2 did not answer");
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent event = pair.client.take(Type.DISCONNECTED);
        assertEquals("its queue pair 0x11 ended: 10.0.0.2 did not answer", event.explanation());
        pair.network.run(200 * CmNetwork.SECOND);
        assertEquals(List.of(Type.TIMEWAIT_EXIT), pair.client.takeAll().stream().map(CmEvent::type).toList(), "no second DISCONNECTED");
    }

    @ParameterizedTest
    @MethodSource("handshakeSteps")
    void aQueuePairThatEndsInTheHandshakeEndsIt(String name, Consumer<CmPair> steps, boolean atClient) {
        CmPair pair = new CmPair().connect();
        steps.accept(pair);
        (atClient ? pair.clientPair : pair.serverPair).close();
        pair.network.run(200 * CmNetwork.SECOND);
        List<CmEvent> own = (atClient ? pair.client : pair.server).takeAll().stream().filter(ConnectionEndTest::isEnd).toList();
        List<CmEvent> other = (atClient ? pair.server : pair.client).takeAll().stream().filter(ConnectionEndTest::isEnd).toList();
        assertEquals(1, own.size(), () -> own.toString());
        assertEquals(Type.DISCONNECTED, own.get(0).type());
        assertTrue(own.get(0).explanation().endsWith("ended: it was closed"), own.get(0).explanation());
        assertEquals(1, other.size(), () -> other.toString());
        assertEquals(Type.REJECTED, other.get(0).type());
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(0, pair.server.core.exchanges());
    }

    static List<Arguments> handshakeSteps() {
        return List.of(
            step("client, REQ received there", CmPair::requested, true),
            step("client, REP received", pair -> {
                pair.requested().accept();
                pair.network.run(CmNetwork.LATENCY_NS);
            }, true),
            step("server, REP sent", pair -> pair.requested().accept(), false));
    }

    private static Arguments step(String name, Consumer<CmPair> steps, boolean atClient) {
        return Arguments.of(name, steps, atClient);
    }

    private static boolean isEnd(CmEvent event) {
        return switch (event.type()) {
            case CONNECT_ERROR, UNREACHABLE, REJECTED, DISCONNECTED -> true;
            case CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, ALTERNATE_PATH, TIMEWAIT_EXIT -> false;
        };
    }

    @Test
    void anEndThatIsTakenLateDoesNotTouchTheNextConnectionOfTheQueuePair() {
        CmPair pair = CmPair.connected();
        FakeQueuePair reused = pair.clientPair;
        pair.serverConnection.disconnect();
        pair.network.run(3 * CmNetwork.SECOND);
        reused.modify(QueuePairAttributes.to(QueuePairState.RESET));
        CmConnection next = pair.client.service.connector(pair.client.channel).connect(reused, pair.server.gid, CmPair.PORT,
            new ConnectParameters());
        pair.server.take(Type.DISCONNECTED);
        pair.server.take(Type.TIMEWAIT_EXIT);
        pair.requested().accept();
        pair.network.run(CmNetwork.LATENCY_NS);
        assertSame(pair.clientConnection, pair.client.take(Type.DISCONNECTED).connection());
        assertEquals(QueuePairState.INIT, reused.state(), "the old event");
        pair.client.take(Type.TIMEWAIT_EXIT);
        assertSame(next, pair.client.take(Type.ESTABLISHED).connection());
        assertEquals(QueuePairState.RTS, reused.state());
    }

    @Test
    void aQueuePairHasOneConnection() {
        CmPair pair = CmPair.connected();
        Connector connector = pair.client.service.connector(pair.client.channel);
        assertThrows(IllegalStateException.class,
            () -> connector.connect(pair.clientPair, pair.server.gid, CmPair.PORT, new ConnectParameters()));
        assertEquals(QueuePairState.RTS, pair.clientPair.state(), "untouched");
        pair.clientConnection.disconnect();
        pair.network.run(3 * CmNetwork.SECOND);
        assertEquals(ENDED, pair.client.takeAll().stream().map(CmEvent::type).toList());
    }

    @Test
    void aClosedConnectionEndsItsQueuePairWithoutAnEvent() {
        CmPair pair = CmPair.connected();
        pair.clientConnection.close();
        pair.clientConnection.close();
        pair.network.run(3 * CmNetwork.SECOND);
        assertEquals(QueuePairState.ERROR, pair.clientPair.state());
        assertNull(pair.client.channel.poll());
        assertEquals(ENDED, pair.server.takeAll().stream().map(CmEvent::type).toList());
    }

    @Test
    @DisplayName("a REQ that cannot be sent fails the connect at once, with the reason; a DREQ ends the connection")
    void aFailedSendEndsTheExchange() {
        CmPair pair = new CmPair().connect();
        pair.network.run(0);
        pair.client.core.onSendFailed(pair.server.gid, "there is no route");
        pair.network.run(0);
        CmEvent event = pair.client.take(Type.UNREACHABLE);
        assertEquals(CmEvent.NOT_SENT, event.status());
        assertEquals("the request for TCP port 7174 at 10.0.0.2 could not be sent: there is no route", event.explanation());
        assertEquals(QueuePairState.ERROR, pair.clientPair.state());
        assertEquals(0, pair.client.core.exchanges());

        CmPair connected = CmPair.connected();
        connected.clientConnection.disconnect();
        connected.network.run(0);
        connected.client.core.onSendFailed(connected.server.gid, "there is no route");
        connected.network.run(0);
        assertEquals(CmEvent.NOT_SENT, connected.client.take(Type.DISCONNECTED).status());
    }

    @Test
    void aFailedSendElsewhereEndsNothing() {
        CmPair pair = new CmPair().connect();
        pair.network.run(0);
        pair.client.core.onSendFailed(pair.client.gid, "there is no route");
        pair.requested().accept().established();
    }

    @Test
    @DisplayName("a NIC that is closed repeats its DREQ soon: its owner does not wait for long")
    void aClosingNicRepeatsItsDreqSoon() {
        CmPair pair = CmPair.connected();
        pair.loseAll();
        pair.client.service.close();
        assertTrue(pair.client.service.isEnding());
        pair.network.run(200 * CmNetwork.MS);
        assertEquals(5, pair.network.sent(CmAttribute.DREQ).size());
        pair.loseNothing();
        pair.network.run(100 * CmNetwork.MS);
        pair.server.take(Type.DISCONNECTED);
        assertEquals(false, pair.client.service.isEnding());
    }

    @Test
    void aServiceThatEndedRefusesWithTheReason() {
        CmPair pair = CmPair.connected();
        Connector connector = pair.client.service.connector(pair.client.channel);
        pair.client.service.close();
        pair.client.take(Type.DISCONNECTED);
        String expected = "the NIC at 10.0.0.1 is closed: open another";
        FakeQueuePair queuePair = pair.client.queuePair();
        assertEquals(expected, assertThrows(IllegalStateException.class,
            () -> connector.connect(queuePair, pair.server.gid, 1, new ConnectParameters())).getMessage());
        assertEquals(expected, assertThrows(IllegalStateException.class,
            () -> pair.client.service.connector(new CmEventChannel())).getMessage());
        assertEquals(expected, assertThrows(IllegalStateException.class,
            () -> pair.client.service.listen(new CmEventChannel(), PortSpace.TCP, 1)).getMessage());
        assertEquals(expected, assertThrows(IllegalStateException.class, pair.client.channel::poll).getMessage());
        assertEquals(expected, assertThrows(IllegalStateException.class, () -> pair.client.channel.await(0)).getMessage());
    }

    @Test
    void theFirstEventFindsWhatWasAttached() {
        CmPair pair = new CmPair().connect(new ConnectParameters().attachment("session")).requested();
        assertEquals("session", pair.clientConnection.attachment());
        pair.serverConnection.attachment(7);
        pair.accept().established();
        assertEquals("session", pair.client.events.get(0).connection().attachment());
        assertEquals(7, pair.server.events.get(1).connection().attachment());
    }

    @Test
    @DisplayName("unless set, both queue pairs notice a crashed peer after half a second, as with toReadyToSend")
    void theDefaultTimerNoticesACrashSoon() {
        // The ACK delay code is that of a Nic.
        CmNode server = new CmNode(CmConfig.of(Gid.parse("10.0.0.3"), 4791, PathMtu.MTU_1024, 3, 8), new Random(3)::nextInt);
        CmPair pair = new CmPair();
        pair.network.add(server);
        server.service.listen(server.channel, PortSpace.TCP, 1);
        FakeQueuePair clientPair = pair.client.queuePair();
        pair.client.service.connector(pair.client.channel).connect(clientPair, server.gid, 1, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        FakeQueuePair serverPair = server.queuePair();
        server.take(Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(Type.ESTABLISHED);
        assertEquals(14, clientPair.query().timeout());
        assertEquals(7, clientPair.query().retryCount());
        assertEquals(14, serverPair.query().timeout());
        assertEquals(7, serverPair.query().retryCount());
        assertEquals(14, QueuePairAttributes.toReadyToSend(0).timeout());
    }
}
