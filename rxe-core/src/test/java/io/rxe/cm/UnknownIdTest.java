package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.ActiveState;
import io.rxe.cm.exchange.CmCounters;
import io.rxe.cm.exchange.CmDropReason;
import io.rxe.cm.mad.AnsweredMessage;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmDreq;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.wire.Gid;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Messages for unknown communication IDs, from the wrong peer, malformed, too many, or while the sink is full. */
class UnknownIdTest {
    private static final Gid OTHER_HOST = Gid.parse("10.0.0.66");

    private final CmPair pair = CmPair.connected();
    private final int sentBefore = pair.network.sent.size();

    private static UnsafeBuffer message(CmAttribute attribute, int localId, int remoteId) {
        return Forged.message(attribute, 0x0A0B, localId, remoteId);
    }

    /** A message of the connection's handshake, with all its IDs. */
    private UnsafeBuffer handshakeMessage(CmAttribute attribute) {
        return Forged.message(attribute, MadHeader.TRANSACTION_ID.get(pair.network.sent.get(0).buffer(), 0),
            pair.clientConnection.localCommunicationId(), pair.serverConnection.localCommunicationId());
    }

    private void inject(Gid source, UnsafeBuffer mad) {
        pair.network.inject(source, pair.server.gid, mad.byteArray());
        pair.network.settle();
    }

    private long dropped(CmDropReason reason) {
        return pair.server.service.counters().get(reason);
    }

    private void expectSilence(CmDropReason reason, long count) {
        assertEquals(sentBefore, pair.network.sent.size());
        assertEquals(count, dropped(reason), reason.label());
        assertNull(pair.server.channel.poll());
        assertTrue(pair.passive().isOpen());
    }

    @Test
    void aDreqForAnUnknownIdIsAnsweredWithADrep() {
        inject(OTHER_HOST, message(CmAttribute.DREQ, 7, 8));
        UnsafeBuffer reply = pair.network.last().buffer();
        assertEquals(CmAttribute.DREP, pair.network.last().attribute());
        assertEquals(OTHER_HOST, pair.network.last().destination());
        assertEquals(8, CommunicationIds.LOCAL.get(reply, 0));
        assertEquals(7, CommunicationIds.REMOTE.get(reply, 0));
        assertEquals(0x0A0B, MadHeader.TRANSACTION_ID.get(reply, 0));
    }

    @Test
    void aRepForAnUnknownIdIsRejected() {
        UnsafeBuffer rep = message(CmAttribute.REP, 7, 8);
        CmRep.LOCAL_QPN.set(rep, 0, 5);
        inject(OTHER_HOST, rep);
        UnsafeBuffer reply = pair.network.last().buffer();
        assertEquals(RejectReason.INVALID_COMMUNICATION_ID.code(), CmRej.REASON.get(reply, 0));
        assertEquals(AnsweredMessage.REP, AnsweredMessage.of(CmRej.MESSAGE.get(reply, 0)));
        assertEquals(7, CommunicationIds.REMOTE.get(reply, 0));
    }

    @Test
    void otherMessagesForAnUnknownIdGetNoReply() {
        long count = 0;
        for (CmAttribute attribute : new CmAttribute[] {CmAttribute.RTU, CmAttribute.DREP, CmAttribute.MRA, CmAttribute.REJ,
            CmAttribute.SIDR_REP}) {
            inject(OTHER_HOST, message(attribute, 7, 8));
            expectSilence(CmDropReason.UNKNOWN_COMMUNICATION_ID, ++count);
        }
    }

    @Test
    void noOtherPeerCanEndAConnection() {
        int id = pair.serverConnection.localCommunicationId();
        int clientId = pair.clientConnection.localCommunicationId();
        UnsafeBuffer dreq = message(CmAttribute.DREQ, clientId, id);
        CmDreq.REMOTE_QPN.set(dreq, 0, pair.serverPair.number());
        inject(OTHER_HOST, dreq);
        expectSilence(CmDropReason.WRONG_PEER, 1);
        inject(OTHER_HOST, message(CmAttribute.REJ, clientId, id));
        expectSilence(CmDropReason.WRONG_PEER, 2);
        CmDreq.REMOTE_QPN.set(dreq, 0, pair.serverPair.number() + 1);
        inject(pair.client.gid, dreq);
        expectSilence(CmDropReason.WRONG_QUEUE_PAIR, 1);
    }

    @Test
    void aMessageForAnOlderConnectionWithOurIdDoesNotTouchThisOne() {
        UnsafeBuffer dreq = message(CmAttribute.DREQ, pair.clientConnection.localCommunicationId() + 1,
            pair.serverConnection.localCommunicationId());
        CmDreq.REMOTE_QPN.set(dreq, 0, pair.serverPair.number());
        inject(pair.client.gid, dreq);
        assertEquals(CmAttribute.DREP, pair.network.last().attribute(), "so that the peer stops retransmitting");
        assertTrue(pair.passive().isOpen());
        assertNull(pair.server.channel.poll());
    }

    @Test
    void messagesThatDoNotFitTheStateAreCounted() {
        inject(pair.client.gid, handshakeMessage(CmAttribute.DREP));
        inject(pair.client.gid, handshakeMessage(CmAttribute.MRA));
        inject(pair.client.gid, handshakeMessage(CmAttribute.REP));
        expectSilence(CmDropReason.UNEXPECTED, 3);
        inject(pair.client.gid, handshakeMessage(CmAttribute.RTU));
        assertEquals(1, pair.server.service.counters().get(CmCounters.Kind.DUPLICATE, CmAttribute.RTU));
        inject(pair.client.gid, handshakeMessage(CmAttribute.LAP));
        expectSilence(CmDropReason.WRONG_QUEUE_PAIR, 1);
    }

    @Test
    void malformedMessagesChangeNothing() {
        inject(OTHER_HOST, message(CmAttribute.REQ, 0, 0));
        inject(OTHER_HOST, message(CmAttribute.REQ, 5, 0));
        expectSilence(CmDropReason.MALFORMED, 2);
        UnsafeBuffer other = message(CmAttribute.REQ, 5, 0);
        other.putByte(2, (byte) 1);
        inject(OTHER_HOST, other);
        expectSilence(CmDropReason.BAD_CLASS_VERSION, 1);
    }

    @Test
    void aRepWithoutQueuePairIsDropped() {
        CmPair fresh = new CmPair().connect();
        fresh.network.settle();
        UnsafeBuffer rep = Forged.message(CmAttribute.REP, MadHeader.TRANSACTION_ID.get(fresh.network.last().buffer(), 0), 9,
            fresh.clientConnection.localCommunicationId());
        fresh.network.inject(fresh.server.gid, fresh.client.gid, rep.byteArray());
        fresh.network.settle();
        assertEquals(ActiveState.REQ_SENT, fresh.active().state());
        assertEquals(1, fresh.client.service.counters().get(CmDropReason.MALFORMED));
        fresh.requested().accept().established();
    }

    @Test
    void repliesToUnknownIdsAreLimited() {
        CmNetwork network = new CmNetwork();
        CmNode node = network.add(new CmNode(CmLimits.of("10.0.0.1").replies(100).config(), () -> 3));
        for (int i = 0; i < 1000; i++) {
            network.inject(OTHER_HOST, node.gid, message(CmAttribute.DREQ, 7 + i, 8).byteArray());
        }
        network.settle();
        assertEquals(10, network.sent.size(), "the burst is a tenth of a second");
        assertEquals(990, node.service.counters().get(CmDropReason.REPLY_RATE));
        network.run(CmNetwork.SECOND);
        network.inject(OTHER_HOST, node.gid, message(CmAttribute.DREQ, 7, 8).byteArray());
        network.settle();
        assertEquals(11, network.sent.size());
    }

    @Test
    void repliesWaitForTheSinkUntilTheirQueueIsFull() {
        CmNode node = new CmNode(CmNode.config("10.0.0.1"), () -> 3);
        for (int i = 0; i < 300; i++) {
            node.core.onMad(OTHER_HOST, 0, message(CmAttribute.DREQ, 7 + i, 8), 0, 0);
        }
        assertEquals(0, node.core.poll(0, (to, partition, mad, offset) -> false));
        assertEquals(0, node.core.nextDeadlineNs(), "due at once: replies wait");
        int[] sent = new int[1];
        node.core.poll(0, (to, partition, mad, offset) -> {
            assertEquals(7 + sent[0]++, CommunicationIds.REMOTE.get(mad, offset));
            return true;
        });
        assertEquals(256, sent[0]);
        assertEquals(44, node.service.counters().get(CmDropReason.REPLY_QUEUE_FULL));
        assertEquals(Long.MAX_VALUE, node.core.nextDeadlineNs());
    }

    @Test
    void aFullSinkLosesNothing() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            CmNode client = new CmNode(CmNode.config("10.0.0.1"), random::nextInt);
            CmNode server = new CmNode(CmNode.config("10.0.0.2"), random::nextInt);
            server.service.listen(server.channel, PortSpace.TCP, 1);
            for (int i = 0; i < 10; i++) {
                client.service.connector(client.channel).connect(client.queuePair(), server.gid, 1, new ConnectParameters());
            }
            for (int iteration = 0; iteration < 200; iteration++) {
                pump(client, server, random);
                pump(server, client, random);
                server.takeAll().stream().filter(event -> event.type() == CmEvent.Type.CONNECT_REQUEST)
                    .forEach(event -> event.connection().accept(server.queuePair(), new ConnectParameters()));
                client.takeAll();
            }
            assertEquals(10, client.types().stream().filter(type -> type == CmEvent.Type.ESTABLISHED).count(), "seed " + seed);
            assertEquals(10, server.types().stream().filter(type -> type == CmEvent.Type.ESTABLISHED).count(), "seed " + seed);
            assertEquals(10, client.service.counters().get(CmCounters.Kind.SENT, CmAttribute.REQ));
            assertEquals(10, client.service.counters().get(CmCounters.Kind.SENT, CmAttribute.RTU));
        }
    }

    /** At one instant, so that no timer retransmits. */
    private static void pump(CmNode from, CmNode to, Random random) {
        from.core.poll(0, (destination, partition, mad, offset) -> {
            if (random.nextInt(4) != 0) {
                return false;
            }
            to.core.onMad(from.gid, 0, mad, offset, 0);
            return true;
        });
    }

    @Test
    void randomMessagesLeaveTheServiceWorking() {
        Random random = new Random(4);
        CmAttribute[] attributes = CmAttribute.values();
        for (int i = 0; i < 20_000; i++) {
            UnsafeBuffer mad = new UnsafeBuffer(new byte[256]);
            random.nextBytes(mad.byteArray());
            CmAttribute attribute = attributes[random.nextInt(attributes.length)];
            byte[] body = mad.byteArray().clone();
            MadHeader.write(mad, 0, attribute, random.nextLong());
            mad.putBytes(MadHeader.LENGTH, body, MadHeader.LENGTH, 256 - MadHeader.LENGTH);
            if (random.nextBoolean()) {
                CommunicationIds.write(mad, 0, random.nextInt(20), pair.serverConnection.localCommunicationId());
            }
            if (attribute == CmAttribute.REQ && random.nextBoolean()) {
                CmReq.SERVICE_ID.set(mad, 0, PortSpace.TCP.serviceId(CmPair.PORT));
            }
            pair.network.inject(random.nextBoolean() ? OTHER_HOST : pair.client.gid, pair.server.gid, mad.byteArray());
            if (i % 100 == 0) {
                pair.network.run(10 * CmNetwork.MS);
                pair.server.takeAll();
            }
        }
        pair.network.run(300 * CmNetwork.SECOND);
        pair.server.takeAll();
        assertTrue(pair.server.core.exchanges() <= 1, "only the connection itself may remain");
        CmNode late = pair.network.add("10.0.0.3");
        late.service.connector(late.channel).connect(late.queuePair(), pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST);
    }
}
