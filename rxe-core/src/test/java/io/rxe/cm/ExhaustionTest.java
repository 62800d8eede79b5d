package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.ActiveState;
import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.exchange.CmDropReason;
import io.rxe.cm.exchange.CmExchange;
import io.rxe.cm.exchange.PassiveSide;
import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmMra;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrRep;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests that nobody authenticated, with the longest times a message can name: how many exchanges they hold, and how long. */
class ExhaustionTest {
    /** No exchange waits longer for a peer that is silent. */
    private static final long PEER_LIMIT_NS = 128 * CmNetwork.SECOND;
    /** Time-wait, and how long a refused request is kept. */
    private static final long LINGER_NS = 9 * CmNetwork.SECOND;
    private static final int FLOOD = 20_000;

    private final CmPair pair = new CmPair();

    private void inject(Gid source, UnsafeBuffer mad) {
        pair.network.inject(source, pair.server.gid, mad.byteArray());
        pair.network.settle();
    }

    private void request(Gid source, int id) {
        inject(source, Forged.req(source, pair.server.gid, id));
    }

    /** A request with ID 7 that the application accepts. */
    private CmConnection halfOpen() {
        request(Forged.source(7), 7);
        CmConnection connection = pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection();
        connection.accept(pair.server.queuePair(), new ConnectParameters());
        pair.network.settle();
        return connection;
    }

    private void expectServiceForTheHonest() {
        pair.connect().requested().accept().established();
        CmNode other = pair.network.add("10.0.0.3");
        other.service.listen(other.channel, PortSpace.TCP, 1);
        pair.server.service.connector(pair.server.channel).connect(pair.server.queuePair(), other.gid, 1, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        other.take(CmEvent.Type.CONNECT_REQUEST);
    }

    @Test
    @DisplayName("REQ and REJ that are forged together leave nothing behind")
    void cancelledRequestsAreForgottenAtOnce() {
        for (int i = 1; i <= FLOOD; i++) {
            request(Forged.source(i), i);
            inject(Forged.source(i), Forged.cancel(i));
            pair.server.takeAll();
        }
        assertEquals(0, pair.server.core.exchanges());
        expectServiceForTheHonest();
    }

    @Test
    void rejectedRequestsAreForgottenWithinSeconds() {
        for (int i = 1; i <= 1000; i++) {
            request(Forged.source(i), i);
            pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection().reject(new byte[0]);
        }
        pair.network.run(LINGER_NS);
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    void undecidedRequestsEnd() {
        request(Forged.source(7), 7);
        pair.network.run(PEER_LIMIT_NS);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST);
        pair.server.take(CmEvent.Type.UNREACHABLE);
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    @DisplayName("an accepted request without RTU ends, whatever times and retries the REQ names")
    void halfOpenConnectionsEnd() {
        CmConnection connection = halfOpen();
        assertEquals(21, connection.terms().ackTimeoutCode(), "the transport timer too");
        pair.network.run(PEER_LIMIT_NS);
        pair.server.take(CmEvent.Type.UNREACHABLE);
        pair.network.run(LINGER_NS);
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    @DisplayName("MRAs do not keep an accepted request alive")
    void mrasDoNotKeepHalfOpenConnectionsAlive() {
        CmConnection connection = halfOpen();
        for (int i = 0; i < 10; i++) {
            pair.network.run(PEER_LIMIT_NS / 10);
            inject(Forged.source(7), Forged.mra(7, connection.localCommunicationId()));
        }
        pair.server.take(CmEvent.Type.UNREACHABLE);
        pair.network.run(LINGER_NS);
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    @DisplayName("MRAs postpone a retransmission once: a peer cannot hold a connect for ever")
    void mrasDoNotHoldAConnectForEver() {
        pair.lose(CmAttribute.REQ);
        pair.connect();
        pair.network.settle();
        UnsafeBuffer mra = Forged.message(CmAttribute.MRA, MadHeader.TRANSACTION_ID.get(pair.network.last().buffer(), 0), 5,
            pair.clientConnection.localCommunicationId());
        CmMra.MESSAGE.set(mra, 0, AnsweredMessage.REQ.code());
        CmMra.SERVICE_TIMEOUT.set(mra, 0, 31);
        for (int minute = 0; minute < 25; minute++) {
            pair.network.inject(pair.server.gid, pair.client.gid, mra.byteArray());
            pair.network.run(60 * CmNetwork.SECOND);
        }
        assertEquals(ActiveState.FAILED, pair.active().state());
        pair.client.take(CmEvent.Type.UNREACHABLE);
        assertEquals(0, pair.client.core.exchanges());
    }

    @Test
    @DisplayName("a disconnect from a peer that is silent ends, whatever times the peer named")
    void disconnectEnds() {
        CmConnection connection = halfOpen();
        inject(Forged.source(7), Forged.message(CmAttribute.RTU, 7, 7, connection.localCommunicationId()));
        pair.server.take(CmEvent.Type.ESTABLISHED);
        connection.disconnect();
        pair.network.run(PEER_LIMIT_NS);
        assertEquals(CmEvent.TIMED_OUT, pair.server.take(CmEvent.Type.DISCONNECTED).status());
        pair.network.run(LINGER_NS);
        pair.server.take(CmEvent.Type.TIMEWAIT_EXIT);
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    @DisplayName("a REQ that names 1 ms for its reply does not draw sixteen REPs at once")
    void theReplyIsNotRetransmittedAtOnce() {
        UnsafeBuffer req = Forged.req(Forged.source(7), pair.server.gid, 7);
        CmReq.LOCAL_CM_RESPONSE_TIMEOUT.set(req, 0, 0);
        inject(Forged.source(7), req);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(pair.server.queuePair(), new ConnectParameters());
        pair.network.run(CmNetwork.SECOND);
        assertEquals(1, pair.network.sent(CmAttribute.REP).size());
    }

    private void acceptAll(CmNode server) {
        for (CmEvent event : server.takeAll()) {
            if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
                event.connection().accept(server.queuePair(), new ConnectParameters());
            }
        }
    }

    private static long halfOpen(CmNode node) {
        Predicate<CmExchange> isHalfOpen = exchange -> exchange instanceof PassiveSide passive && !passive.isOpen();
        return node.events.stream().filter(event -> event.type() == CmEvent.Type.CONNECT_REQUEST)
            .filter(event -> isHalfOpen.test(event.connection().exchange())).count()
            - node.events.stream().filter(event -> event.type() == CmEvent.Type.UNREACHABLE).count();
    }

    @Test
    @DisplayName("a flood of requests that are accepted and never confirmed is bounded, and an honest peer connects through it")
    void anHonestPeerConnectsThroughAFlood() {
        CmConfig config = CmLimits.of("10.0.0.9").peerExchanges(256).config();
        CmNode server = pair.network.add(new CmNode(config, new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.TCP, CmPair.PORT);
        int id = 1;
        FakeQueuePair honest = pair.client.queuePair();
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 20; i++, id++) {
                Gid source = Forged.source(id);
                pair.network.inject(source, server.gid, Forged.req(source, server.gid, id).byteArray());
            }
            if (round == 50) {
                pair.client.service.connector(pair.client.channel).connect(honest, server.gid, CmPair.PORT, new ConnectParameters());
            }
            pair.network.run(CmNetwork.LATENCY_NS);
            acceptAll(server);
            pair.client.takeAll();
        }
        assertEquals(List.of(CmEvent.Type.ESTABLISHED), pair.client.types());
        assertTrue(server.types().contains(CmEvent.Type.ESTABLISHED));
        assertEquals(64 + 1, server.core.exchanges(), "a quarter of 256 handshakes, and the honest connection");
        assertEquals(64, halfOpen(server));
        assertTrue(server.events.stream().filter(event -> event.type() == CmEvent.Type.UNREACHABLE)
            .allMatch(event -> event.explanation().contains("maxPeerExchanges 256")), "the others were evicted, with an event");
        assertEquals(2001 - 65, pair.network.sent(CmAttribute.REJ).size(), "and their peers were told, within the limit of replies");
    }

    @Test
    @DisplayName("one source address holds at most its share, and others are served")
    void oneSourceHoldsAShare() {
        CmConfig config = CmLimits.of("10.0.0.9").peerExchanges(256).config();
        CmNode server = pair.network.add(new CmNode(config, new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.TCP, CmPair.PORT);
        Gid attacker = Forged.source(0);
        for (int id = 1; id <= 1000; id++) {
            pair.network.inject(attacker, server.gid, Forged.req(attacker, server.gid, id).byteArray());
            pair.network.settle();
        }
        assertEquals(16, server.core.exchanges(), "undecided requests of one address: a sixteenth of 256");
        acceptAll(server);
        for (int id = 1001; id <= 2000; id++) {
            pair.network.inject(attacker, server.gid, Forged.req(attacker, server.gid, id).byteArray());
            pair.network.settle();
            for (CmEvent event : server.takeAll()) {
                if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
                    CmConnection connection = event.connection();
                    connection.accept(server.queuePair(), new ConnectParameters());
                    pair.network.settle();
                    pair.network.inject(attacker, server.gid,
                        Forged.message(CmAttribute.RTU, id, id, connection.localCommunicationId()).byteArray());
                    pair.network.settle();
                }
            }
        }
        assertEquals(64, server.core.exchanges(), "connections of one address: a quarter of 256");
        pair.client.service.connector(pair.client.channel).connect(pair.client.queuePair(), server.gid, CmPair.PORT,
            new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        acceptAll(server);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
    }

    /** Requests of other sources, at one instant. */
    private void flood(CmNode server, int firstId, int count) {
        for (int id = firstId; id < firstId + count; id++) {
            Gid source = Forged.source(id);
            pair.network.inject(source, server.gid, Forged.req(source, server.gid, id).byteArray());
        }
        pair.network.settle();
    }

    private long requested(CmNode server) {
        return server.takeAll().stream().filter(event -> event.type() == CmEvent.Type.CONNECT_REQUEST).count();
    }

    @Test
    @DisplayName("of requests nobody confirms, a listener is given a rate; the others are dropped in silence")
    void unconfirmedRequestsAreLimitedInRate() {
        CmNode server = pair.network.add(new CmNode(CmLimits.of("10.0.0.9").requests(100).config(), new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.TCP, CmPair.PORT);
        flood(server, 1, 1000);
        assertEquals(500, requested(server), "five seconds of the rate at once");
        pair.network.run(CmNetwork.SECOND);
        server.takeAll();
        flood(server, 1001, 1000);
        assertEquals(100, requested(server));
        assertEquals(1400, server.service.counters().get(CmDropReason.REQUEST_RATE));
        assertEquals(0, pair.network.sent.size(), "nothing is sent to forged addresses");
    }

    @Test
    @DisplayName("connections that are confirmed are not limited: a REQ and its RTU leave the rate as it was")
    void confirmedRequestsAreNotLimited() {
        CmNode server = pair.network.add(new CmNode(CmLimits.of("10.0.0.9").requests(1).config(), new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.TCP, CmPair.PORT);
        for (int i = 0; i < 50; i++) {
            CmNode client = pair.network.add("10.0.1." + (i + 1));
            client.service.connector(client.channel).connect(client.queuePair(), server.gid, CmPair.PORT, new ConnectParameters());
            pair.network.run(CmNetwork.LATENCY_NS);
            acceptAll(server);
            pair.network.run(CmNetwork.LATENCY_NS);
            client.take(CmEvent.Type.ESTABLISHED);
            pair.network.run(CmNetwork.LATENCY_NS);
        }
        assertEquals(0, server.service.counters().get(CmDropReason.REQUEST_RATE));
    }

    @Test
    @DisplayName("unknown peers do not use up the rate of a peer with a connection; another honest peer gets in when the flood ends")
    void peersWithAConnectionHaveARateOfTheirOwn() {
        CmNode server = pair.network.add(new CmNode(CmLimits.of("10.0.0.9").requests(1).config(), new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.TCP, CmPair.PORT);
        Connector known = pair.client.service.connector(pair.client.channel);
        known.connect(pair.client.queuePair(), server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        acceptAll(server);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        pair.network.run(CmNetwork.LATENCY_NS);
        flood(server, 1, 1000);
        acceptAll(server);
        known.connect(pair.client.queuePair(), server.gid, CmPair.PORT, new ConnectParameters());
        CmNode newcomer = pair.network.add("10.0.0.3");
        newcomer.service.connector(newcomer.channel).connect(newcomer.queuePair(), server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        acceptAll(server);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        assertNull(newcomer.channel.poll());
        pair.network.run(7 * CmNetwork.SECOND);
        acceptAll(server);
        pair.network.run(CmNetwork.LATENCY_NS);
        newcomer.take(CmEvent.Type.ESTABLISHED);
    }

    @Test
    @DisplayName("SIDR requests have a rate of their own")
    void sidrRequestsAreLimitedInRate() {
        CmNode server = pair.network.add(new CmNode(CmLimits.of("10.0.0.9").requests(100).config(), new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.UDP, CmPair.PORT);
        for (int id = 1; id <= 1000; id++) {
            Gid source = Forged.source(id);
            pair.network.inject(source, server.gid, Forged.sidrReq(source, server.gid, id).byteArray());
        }
        pair.network.settle();
        assertEquals(500, requested(server));
        assertEquals(500, server.service.counters().get(CmDropReason.REQUEST_RATE));
        assertEquals(0, pair.network.sent.size());
    }

    @Test
    @DisplayName("what peers begin leaves the room for connections of our own")
    void ownConnectionsHaveATableOfTheirOwn() {
        CmConfig config = CmLimits.of("10.0.0.9").peerExchanges(1).exchanges(1).config();
        CmNode node = pair.network.add(new CmNode(config, new Random(9)::nextInt));
        node.service.listen(node.channel, PortSpace.TCP, CmPair.PORT);
        for (int i = 1; i <= 2; i++) {
            pair.network.inject(Forged.source(i), node.gid, Forged.req(Forged.source(i), node.gid, i).byteArray());
        }
        pair.network.settle();
        assertEquals(RejectReason.NO_RESOURCES.code(),
            CmRej.REASON.get(pair.network.sent(CmAttribute.REJ).get(0).buffer(), 0));
        node.service.connector(node.channel).connect(node.queuePair(), pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST);
        assertEquals(2, node.core.exchanges());
        assertEquals(1, node.core.ownExchanges());
    }

    @Test
    @DisplayName("SIDR requests are bounded, shared and short-lived likewise")
    void sidrRequestsAreBounded() {
        CmConfig config = CmLimits.of("10.0.0.9").peerExchanges(256).config();
        CmNode server = pair.network.add(new CmNode(config, new Random(9)::nextInt));
        server.service.listen(server.channel, PortSpace.UDP, CmPair.PORT);
        for (int id = 1; id <= 100; id++) {
            pair.network.inject(Forged.source(0), server.gid, Forged.sidrReq(Forged.source(0), server.gid, id).byteArray());
        }
        pair.network.settle();
        assertEquals(16, server.core.exchanges());
        for (int id = 101; id <= 1000; id++) {
            Gid source = Forged.source(id);
            pair.network.inject(source, server.gid, Forged.sidrReq(source, server.gid, id).byteArray());
            pair.network.settle();
            server.takeAll().forEach(event -> event.connection().accept(server.queuePair(QueuePairType.UD), new ConnectParameters()));
        }
        pair.network.settle();
        assertEquals(64, server.core.exchanges());
        assertEquals(16 + 900, pair.network.sent(CmAttribute.SIDR_REP).stream()
            .filter(mad -> SidrRep.STATUS.get(mad.buffer(), 0) == 0).count());
        pair.network.run(LINGER_NS);
        assertEquals(0, server.core.exchanges());
        assertNull(server.channel.poll());
    }

    @Test
    @DisplayName("replies to garbage are not larger than what caused them, not more than one each, and limited in rate")
    void repliesToGarbageCostNoMoreThanTheGarbage() {
        CmAttribute[] attributes = CmAttribute.values();
        for (int i = 0; i < FLOOD; i++) {
            CmAttribute attribute = attributes[i % attributes.length];
            UnsafeBuffer mad = Forged.message(attribute, i, i + 1, i + 2);
            CmReq.LOCAL_QPN.set(mad, 0, 5);
            int before = pair.network.sent.size();
            inject(Forged.source(i), mad);
            assertTrue(pair.network.sent.size() - before <= 1, attribute + " drew more than one reply");
        }
        assertTrue(pair.network.sent.stream().allMatch(mad -> mad.bytes().length == MadHeader.MAD_LENGTH));
        assertEquals(1000, pair.network.sent.size(), "at one instant: a tenth of the 10000 replies per second");
        assertTrue(pair.server.service.counters().get(CmDropReason.REPLY_RATE) > 0);
        assertEquals(0, pair.server.core.exchanges());
    }
}
