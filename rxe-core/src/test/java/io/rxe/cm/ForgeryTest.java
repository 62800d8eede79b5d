package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.ActiveState;
import io.rxe.cm.exchange.CmDropReason;
import io.rxe.cm.exchange.PassiveState;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmDreq;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.RejectReason;
import io.rxe.cm.mad.SidrRep;
import io.rxe.verbs.QueuePairState;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * An attacker who sends from the address of the peer, but sees none of its packets: a message counts only with all its IDs right, and
 * none can be predicted. Each message is a copy of the honest one, first with one ID changed, then as it was.
 */
class ForgeryTest {
    private final CmPair pair = new CmPair();

    private static void noRemoteId(UnsafeBuffer mad) {
        CommunicationIds.write(mad, 0, CommunicationIds.LOCAL.get(mad, 0), 0);
    }

    private static void noSenderId(UnsafeBuffer mad) {
        CommunicationIds.write(mad, 0, 0, CommunicationIds.REMOTE.get(mad, 0));
    }

    private static void wrongSenderId(UnsafeBuffer mad) {
        CommunicationIds.write(mad, 0, CommunicationIds.LOCAL.get(mad, 0) + 1, CommunicationIds.REMOTE.get(mad, 0));
    }

    private static void wrongTransaction(UnsafeBuffer mad) {
        MadHeader.TRANSACTION_ID.set(mad, 0, MadHeader.TRANSACTION_ID.get(mad, 0) ^ 1L << 63);
    }

    private static UnsafeBuffer copy(CmNetwork.Sent mad, Consumer<UnsafeBuffer> change) {
        UnsafeBuffer copy = new UnsafeBuffer(mad.bytes().clone());
        change.accept(copy);
        return copy;
    }

    private void inject(CmNode from, CmNode to, UnsafeBuffer mad) {
        pair.network.inject(from.gid, to.gid, mad.byteArray());
        pair.network.settle();
    }

    /** Injects the last message sent, changed, in the name of its sender. */
    @SafeVarargs
    private void forgeLast(CmNode from, CmNode to, Consumer<UnsafeBuffer>... changes) {
        CmNetwork.Sent honest = pair.network.last();
        for (Consumer<UnsafeBuffer> change : changes) {
            inject(from, to, copy(honest, change));
        }
    }

    private UnsafeBuffer rej(CmNetwork.Sent handshake, int localId, int remoteId) {
        UnsafeBuffer rej =
            Forged.message(CmAttribute.REJ, MadHeader.TRANSACTION_ID.get(handshake.buffer(), 0), localId, remoteId);
        CmRej.REASON.set(rej, 0, RejectReason.CONSUMER.code());
        return rej;
    }

    @Test
    @DisplayName("a REJ with sender ID 0, another sender ID or another transaction ID does not end an established connection")
    void rejOfAnEstablishedConnection() {
        pair.connect().requested().accept().established();
        CmNetwork.Sent req = pair.network.sent.get(0);
        int client = pair.clientConnection.localCommunicationId();
        int server = pair.serverConnection.localCommunicationId();
        UnsafeBuffer unnamed = rej(req, client, 0);
        CmRej.informationGuid(unnamed, 0, pair.client.gid.adapterGuid());
        for (UnsafeBuffer forged : new UnsafeBuffer[] {rej(req, 0, server), rej(req, client + 1, server), unnamed}) {
            inject(pair.client, pair.server, forged);
        }
        UnsafeBuffer otherTransaction = rej(req, client, server);
        wrongTransaction(otherTransaction);
        inject(pair.client, pair.server, otherTransaction);
        inject(pair.server, pair.client, rej(req, 0, client));
        inject(pair.server, pair.client, rej(req, server + 1, client));
        assertTrue(pair.passive().isOpen());
        assertTrue(pair.active().isOpen());
        assertNull(pair.server.channel.poll());
        assertNull(pair.client.channel.poll());
        assertEquals(3, pair.server.service.counters().get(CmDropReason.WRONG_IDS));
        assertEquals(2, pair.client.service.counters().get(CmDropReason.WRONG_IDS));

        inject(pair.client, pair.server, rej(req, client, server));
        pair.server.take(CmEvent.Type.DISCONNECTED);
        inject(pair.server, pair.client, rej(req, server, client));
        pair.client.take(CmEvent.Type.DISCONNECTED);
    }

    @Test
    @DisplayName("a REP without our transaction ID does not connect")
    void repOfAnAttacker() {
        pair.connect();
        pair.network.settle();
        UnsafeBuffer rep = Forged.message(CmAttribute.REP, 0x0A0B, 0x66, pair.clientConnection.localCommunicationId());
        CmRep.LOCAL_QPN.set(rep, 0, 0xABCDEF);
        inject(pair.server, pair.client, rep);
        assertEquals(ActiveState.REQ_SENT, pair.active().state());
        assertEquals(QueuePairState.INIT, pair.clientPair.state());
        noSenderId(rep);
        MadHeader.TRANSACTION_ID.set(rep, 0, MadHeader.TRANSACTION_ID.get(pair.network.sent.get(0).buffer(), 0));
        inject(pair.server, pair.client, rep);
        assertEquals(ActiveState.REQ_SENT, pair.active().state());
        pair.requested().accept().established();
        assertEquals(pair.serverPair.number(), pair.clientPair.query().destinationQpn());
    }

    @Test
    @DisplayName("while a connect waits, neither a REJ nor an MRA without its transaction ID counts")
    void rejAndMraOfAWaitingConnect() {
        pair.connect();
        pair.network.settle();
        CmNetwork.Sent req = pair.network.last();
        UnsafeBuffer rej = rej(req, 0, pair.clientConnection.localCommunicationId());
        inject(pair.server, pair.client, copyOf(rej, ForgeryTest::wrongTransaction));
        UnsafeBuffer mra = Forged.message(CmAttribute.MRA, MadHeader.TRANSACTION_ID.get(req.buffer(), 0), 5,
            pair.clientConnection.localCommunicationId());
        inject(pair.server, pair.client, copyOf(mra, ForgeryTest::wrongTransaction));
        assertEquals(ActiveState.REQ_SENT, pair.active().state());
        inject(pair.server, pair.client, mra);
        assertEquals(ActiveState.MRA_RECEIVED, pair.active().state());
        inject(pair.server, pair.client, rej);
        pair.client.take(CmEvent.Type.REJECTED);
    }

    private static UnsafeBuffer copyOf(UnsafeBuffer mad, Consumer<UnsafeBuffer> change) {
        UnsafeBuffer copy = new UnsafeBuffer(mad.byteArray().clone());
        change.accept(copy);
        return copy;
    }

    @Test
    @DisplayName("an RTU counts only with the sender's ID and the transaction ID of the REQ")
    void rtuOfAnAttacker() {
        pair.connect().requested().accept();
        pair.lose(CmAttribute.RTU);
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        pair.network.settle();
        CmNetwork.Sent rtu = pair.network.last();
        assertEquals(CmAttribute.RTU, rtu.attribute());
        forgeLast(pair.client, pair.server, ForgeryTest::noSenderId, ForgeryTest::wrongSenderId, ForgeryTest::wrongTransaction);
        assertEquals(PassiveState.REP_SENT, pair.passive().state());
        assertEquals(3, pair.server.service.counters().get(CmDropReason.WRONG_IDS));
        inject(pair.client, pair.server, copy(rtu, mad -> { }));
        pair.server.take(CmEvent.Type.ESTABLISHED);
    }

    @Test
    @DisplayName("a REJ cancels a request only with the transaction ID of the REQ")
    void cancelOfAnAttacker() {
        pair.connect().requested();
        pair.loseAll();
        pair.clientConnection.close();
        pair.network.settle();
        CmNetwork.Sent rej = pair.network.last();
        assertEquals(CmAttribute.REJ, rej.attribute());
        forgeLast(pair.client, pair.server, ForgeryTest::wrongSenderId, ForgeryTest::wrongTransaction);
        assertEquals(PassiveState.REQ_RECEIVED, pair.passive().state());
        inject(pair.client, pair.server, copy(rej, mad -> { }));
        pair.server.take(CmEvent.Type.REJECTED);
    }

    @Test
    @DisplayName("DREQ and DREP count only with the sender's ID, the DREP also with the transaction ID of the DREQ")
    void teardownOfAnAttacker() {
        pair.connect().requested().accept().established();
        pair.loseAll();
        pair.clientConnection.disconnect();
        pair.network.settle();
        CmNetwork.Sent dreq = pair.network.last();
        assertNotEquals(MadHeader.TRANSACTION_ID.get(pair.network.sent.get(0).buffer(), 0), MadHeader.TRANSACTION_ID.get(dreq.buffer(), 0));
        UnsafeBuffer wrongQueuePair = copy(dreq, mad -> CmDreq.REMOTE_QPN.set(mad, 0, pair.serverPair.number() + 1));
        forgeLast(pair.client, pair.server, ForgeryTest::noSenderId, ForgeryTest::wrongSenderId, ForgeryTest::noRemoteId);
        inject(pair.client, pair.server, wrongQueuePair);
        assertTrue(pair.passive().isOpen());
        inject(pair.client, pair.server, copy(dreq, mad -> { }));
        pair.server.take(CmEvent.Type.DISCONNECTED);
        CmNetwork.Sent drep = pair.network.last();
        assertEquals(CmAttribute.DREP, drep.attribute());
        forgeLast(pair.server, pair.client, ForgeryTest::noSenderId, ForgeryTest::wrongSenderId, ForgeryTest::wrongTransaction);
        assertNull(pair.client.channel.poll());
        inject(pair.server, pair.client, copy(drep, mad -> { }));
        pair.client.take(CmEvent.Type.DISCONNECTED);
    }

    @Test
    @DisplayName("Linux in time-wait answers a DREQ with the transaction ID of the handshake")
    void drepOfAKernelInTimeWait() {
        pair.connect().requested().accept().established();
        pair.loseAll();
        pair.clientConnection.disconnect();
        pair.network.settle();
        inject(pair.server, pair.client, Forged.message(CmAttribute.DREP,
            MadHeader.TRANSACTION_ID.get(pair.network.sent.get(0).buffer(), 0), pair.serverConnection.localCommunicationId(),
            pair.clientConnection.localCommunicationId()));
        assertEquals(0, pair.client.take(CmEvent.Type.DISCONNECTED).status());
    }

    @Test
    @DisplayName("a SIDR_REP counts only with request ID and transaction ID")
    void sidrRepOfAnAttacker() {
        pair.client.service.connector(pair.client.channel).resolve(pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.loseAll();
        pair.network.settle();
        UnsafeBuffer request = pair.network.last().buffer();
        UnsafeBuffer reply = new UnsafeBuffer(new byte[MadHeader.MAD_LENGTH]);
        MadHeader.write(reply, 0, CmAttribute.SIDR_REP, MadHeader.TRANSACTION_ID.get(request, 0));
        SidrRep.REQUEST_ID.set(reply, 0, request.getInt(MadHeader.LENGTH, ByteOrder.BIG_ENDIAN));
        SidrRep.QPN.set(reply, 0, 0xABCDEF);
        inject(pair.server, pair.client, copyOf(reply, ForgeryTest::wrongTransaction));
        inject(pair.server, pair.client, copyOf(reply, mad -> SidrRep.REQUEST_ID.set(mad, 0, SidrRep.REQUEST_ID.get(mad, 0) + 1)));
        assertNull(pair.client.channel.poll());
        inject(pair.server, pair.client, reply);
        pair.client.take(CmEvent.Type.ESTABLISHED);
    }

    @Test
    @DisplayName("a REQ with the communication ID of another request, but another transaction ID, is no duplicate of it")
    void reqWithAnIdInUse() {
        pair.connect().requested().accept();
        pair.network.settle();
        CmNetwork.Sent req = pair.network.sent.get(0);
        inject(pair.client, pair.server, copy(req, mad -> {
            wrongTransaction(mad);
            CmReq.LOCAL_QPN.set(mad, 0, 0x99);
        }));
        assertEquals(CmAttribute.REJ, pair.network.last().attribute());
        assertEquals(RejectReason.DUPLICATE_COMMUNICATION_ID.code(), CmRej.REASON.get(pair.network.last().buffer(), 0));
        assertNull(pair.server.channel.poll());
        pair.established();
    }

    @Test
    @DisplayName("communication IDs and both halves of transaction IDs are random, not a sequence")
    void idsCannotBePredicted() {
        Set<Integer> distances = new HashSet<>();
        Set<Integer> highHalves = new HashSet<>();
        int last = 0;
        for (int i = 0; i < 100; i++) {
            pair.connect();
            pair.network.settle();
            UnsafeBuffer req = pair.network.last().buffer();
            distances.add(CommunicationIds.LOCAL.get(req, 0) - last);
            last = CommunicationIds.LOCAL.get(req, 0);
            highHalves.add((int) (MadHeader.TRANSACTION_ID.get(req, 0) >>> 32));
            assertNotEquals(last, (int) MadHeader.TRANSACTION_ID.get(req, 0), "the low half names the communication ID");
        }
        assertEquals(100, distances.size());
        assertEquals(100, highHalves.size());
    }
}
