package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.CmCounters;
import io.rxe.cm.exchange.CmDropReason;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmaHeader;
import io.rxe.cm.mad.MadHeader;
import io.rxe.cm.mad.SidrRep;
import io.rxe.cm.mad.SidrReq;
import io.rxe.cm.mad.SidrStatus;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Datagram services: from a port to a queue pair number and Q_Key. */
class ServiceResolutionTest {
    private static final int PORT = 7174;

    private final CmPair pair = new CmPair();
    private final Listener listener = pair.server.service.listen(pair.server.channel, PortSpace.UDP, PORT);

    private CmConnection resolve() {
        return pair.client.service.connector(pair.client.channel).resolve(pair.server.gid, PORT,
            new ConnectParameters().privateData(new byte[] {9}));
    }

    private CmConnection request() {
        pair.network.run(CmNetwork.LATENCY_NS);
        return pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection();
    }

    @Test
    void sidrRepCarriesQueuePairQKeyAndPrivateData() {
        CmConnection requested = resolve();
        CmConnection request = request();
        assertEquals(9, pair.server.events.get(0).privateData()[0]);
        FakeQueuePair queuePair = pair.server.queuePair(QueuePairType.UD);
        assertEquals(ConnectParameters.DEFAULT_QUEUE_KEY, queuePair.query().queueKey());
        request.accept(queuePair, new ConnectParameters().queueKey(0x5555).privateData(new byte[] {8}));
        pair.network.run(CmNetwork.LATENCY_NS);
        CmEvent answer = pair.client.take(CmEvent.Type.ESTABLISHED);
        assertEquals(8, answer.privateData()[0]);
        assertEquals(136, answer.privateData().length);
        assertEquals(queuePair.number(), requested.terms().remoteQpn());
        assertEquals(0x5555, requested.terms().remoteQueueKey());
        assertNull(pair.server.channel.poll(), "the responder receives no further event, as with rdma_cm");
        pair.network.run(20 * CmNetwork.SECOND);
        assertEquals(0, pair.client.core.exchanges());
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    void aLostSidrRepIsRetransmittedWithoutASecondEvent() {
        pair.network.faults = mad -> mad.index() == 1 ? new long[0] : new long[] {CmNetwork.LATENCY_NS};
        resolve();
        request().accept(pair.server.queuePair(QueuePairType.UD), new ConnectParameters());
        pair.network.run(4098 * CmNetwork.MS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
        assertNull(pair.server.channel.poll());
        assertEquals(2, pair.network.sent(CmAttribute.SIDR_REP).size());
        assertEquals(1, pair.server.service.counters().get(CmCounters.Kind.DUPLICATE, CmAttribute.SIDR_REQ));
    }

    @Test
    void aSidrRepWithoutQueuePairIsDropped() {
        resolve();
        CmConnection request = request();
        // Its status is 0, valid, and so is its queue pair number.
        UnsafeBuffer rep = Forged.message(CmAttribute.SIDR_REP, MadHeader.TRANSACTION_ID.get(pair.network.last().buffer(), 0),
            SidrReq.REQUEST_ID.get(pair.network.last().buffer(), 0), 0);
        pair.network.inject(pair.server.gid, pair.client.gid, rep.byteArray());
        pair.network.settle();
        assertNull(pair.client.channel.poll());
        assertEquals(1, pair.client.service.counters().get(CmDropReason.MALFORMED));
        request.accept(pair.server.queuePair(QueuePairType.UD), new ConnectParameters());
        pair.network.run(CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
    }

    private void expectUnreachable(SidrStatus status, String sentence) {
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        CmEvent event = pair.client.take(CmEvent.Type.UNREACHABLE);
        assertEquals(status.code(), event.status());
        assertEquals(sentence, event.explanation());
        assertEquals(status.code(), SidrRep.STATUS.get(pair.network.last().buffer(), 0));
        assertEquals(0, pair.client.core.exchanges());
    }

    @Test
    void noListener() {
        listener.close();
        resolve();
        expectUnreachable(SidrStatus.UNSUPPORTED, "no listener on UDP port 7174 at 10.0.0.2 (SIDR status 1, nothing serves this service"
            + " ID): start the server or check the port");
    }

    @Test
    void applicationRejects() {
        resolve();
        request().reject(new byte[] {3});
        expectUnreachable(SidrStatus.REJECTED, "request for UDP port 7174 at 10.0.0.2 refused (SIDR status 2, the peer's application"
            + " refused): its private data may say why");
        assertEquals(3, pair.client.events.get(0).privateData()[0]);
    }

    @Test
    void headerForAnotherAddressIsRejected() {
        pair.network.faults = mad -> {
            if (mad.attribute() == CmAttribute.SIDR_REQ) {
                CmaHeader.write(mad.buffer(), CmaHeader.SIDR_REQ_OFFSET, pair.client.gid, Gid.parse("10.0.0.9"), 1);
            }
            return new long[] {CmNetwork.LATENCY_NS};
        };
        resolve();
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(SidrStatus.REJECTED.code(), pair.client.take(CmEvent.Type.UNREACHABLE).status());
    }

    @Test
    void listenerClosedBeforeItsRequestWasTaken() {
        resolve();
        pair.network.run(CmNetwork.LATENCY_NS);
        listener.close();
        assertNull(pair.server.channel.poll());
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(SidrStatus.UNSUPPORTED.code(), pair.client.take(CmEvent.Type.UNREACHABLE).status());
    }

    @Test
    void anRcQueuePairCannotAcceptADatagramRequest() {
        resolve();
        CmConnection request = request();
        FakeQueuePair wrong = pair.server.queuePair();
        assertThrows(IllegalArgumentException.class, () -> request.accept(wrong, new ConnectParameters()));
        request.close();
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(SidrStatus.REJECTED.code(), pair.client.take(CmEvent.Type.UNREACHABLE).status());
    }

    @Test
    void anUndecidedRequestEndsAfterTheRequesterGaveUp() {
        resolve();
        request();
        pair.loseAll();
        pair.network.run(16 * 4096 * CmNetwork.MS);
        CmEvent event = pair.server.take(CmEvent.Type.UNREACHABLE);
        assertTrue(event.explanation().contains("UDP port 7174"), event.explanation());
        assertEquals(0, pair.server.core.exchanges());
        pair.client.take(CmEvent.Type.UNREACHABLE);
    }

    @Test
    void anUndecidedRequestEndsWithItsNic() {
        resolve();
        request();
        pair.server.service.close();
        assertEquals("the NIC at 10.0.0.2 was closed", pair.server.take(CmEvent.Type.DISCONNECTED).explanation());
        pair.network.run(CmNetwork.LATENCY_NS);
        assertEquals(SidrStatus.REJECTED.code(), pair.client.take(CmEvent.Type.UNREACHABLE).status());
    }

    @Test
    void aResolutionCanBeClosed() {
        CmConnection requested = resolve();
        requested.close();
        pair.network.run(CmNetwork.SECOND);
        assertNull(pair.client.channel.poll());
        assertEquals(0, pair.client.core.exchanges());
    }
}
