package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.CmConfig;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.GoldenMad;
import io.rxe.cm.mad.MadHeader;
import io.rxe.port.Entropy;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * The exchanges of two kernel peers with one of them replaced by us: we receive what the other kernel sent and must send what the
 * replaced one sent, byte for byte.
 *
 * <p>Set to the values of the capture, because random or local: adapter GUID, communication ID, transaction ID, PSN, source port, queue
 * pair number.
 */
class GoldenReplayTest {
    private static final Gid SERVER = Gid.parse("10.99.0.2");
    private static final Gid CLIENT = Gid.parse("10.99.0.3");
    private static final long SERVER_GUID = 0x5054_00FF_FE12_3402L;
    private static final long CLIENT_GUID = 0x5054_00FF_FE12_3403L;
    private static final int FIRST_PORT = 32768;

    private final CmNetwork network = new CmNetwork();

    private static Entropy script(int... values) {
        int[] next = new int[1];
        return () -> values[next[0]++];
    }

    private CmNode node(Gid gid, long guid, int... random) {
        return network.add(new CmNode(CmConfig.of(gid, 4791, PathMtu.MTU_1024, guid, 15), script(random)));
    }

    private static byte[] golden(CmAttribute attribute) {
        return GoldenMad.all().stream().filter(mad -> mad.attribute() == attribute).findFirst().orElseThrow().buffer().byteArray();
    }

    private static int highOfTransaction(CmAttribute attribute) {
        return (int) (MadHeader.TRANSACTION_ID.get(new UnsafeBuffer(golden(attribute)), 0) >>> 32);
    }

    private static int lowOfTransaction(CmAttribute attribute) {
        return (int) MadHeader.TRANSACTION_ID.get(new UnsafeBuffer(golden(attribute)), 0);
    }

    private void expect(CmAttribute attribute) {
        network.settle();
        assertEquals(attribute, network.last().attribute());
        assertArrayEquals(golden(attribute), network.last().bytes());
    }

    @Test
    void clientOfRpingSendsWhatTheKernelSent() {
        CmNode client = node(CLIENT, CLIENT_GUID, 55292 - FIRST_PORT, highOfTransaction(CmAttribute.REQ), lowOfTransaction(CmAttribute.REQ),
            0xB552_7338, 0x61A1FA, highOfTransaction(CmAttribute.DREQ), lowOfTransaction(CmAttribute.DREQ));
        FakeQueuePair queuePair = new FakeQueuePair(0x1F, QueuePairType.RC, CLIENT, PathMtu.MTU_1024);
        ConnectParameters parameters = new ConnectParameters().responderResources(1).initiatorDepth(1).ackTimeoutCode(0);
        CmConnection connection = client.service.connector(client.channel).connect(queuePair, SERVER, 7174, parameters);
        expect(CmAttribute.REQ);
        assertEquals(QueuePairState.INIT, queuePair.state());

        network.inject(SERVER, CLIENT, golden(CmAttribute.REP));
        network.settle();
        client.take(CmEvent.Type.ESTABLISHED);
        expect(CmAttribute.RTU);
        QueuePairAttributes set = queuePair.query();
        assertEquals(QueuePairState.RTS, set.state());
        assertEquals(0x9281F4, set.sendPsn(), "the PSN the peer expects, frame 4 of the capture");
        assertEquals(0x61A1FA, set.receivePsn(), "the PSN of our REQ, frame 6 of the capture");
        assertEquals(0x1F, set.destinationQpn());
        assertEquals(19, set.timeout(), "T10");
        assertEquals(7, set.retryCount());
        assertEquals(7, set.rnrRetry());
        assertEquals(1, set.maxRdAtomic());
        assertEquals(1, set.maxDestRdAtomic());
        assertEquals(PathMtu.MTU_1024, set.pathMtu());
        assertEquals(SERVER, set.addressVector().destination());

        connection.disconnect();
        expect(CmAttribute.DREQ);
        assertEquals(QueuePairState.ERROR, queuePair.state());
        network.inject(SERVER, CLIENT, golden(CmAttribute.DREP));
        network.settle();
        client.take(CmEvent.Type.DISCONNECTED);
        long before = network.nowNs;
        network.runUntil(() -> client.takeAll().stream().anyMatch(event -> event.type() == CmEvent.Type.TIMEWAIT_EXIT));
        assertEquals(2048 * CmNetwork.MS, network.nowNs - before);
        assertEquals(0, client.core.exchanges());
    }

    @Test
    void serverOfRpingSendsWhatTheKernelSent() {
        CmNode server = node(SERVER, SERVER_GUID, 0x9281F4, 0xE681_B7F8);
        server.service.listen(server.channel, PortSpace.TCP, 7174);
        FakeQueuePair queuePair = new FakeQueuePair(0x1F, QueuePairType.RC, SERVER, PathMtu.MTU_1024);
        network.inject(CLIENT, SERVER, golden(CmAttribute.REQ));
        network.settle();
        CmEvent request = server.take(CmEvent.Type.CONNECT_REQUEST);
        assertEquals(CLIENT, request.connection().peer());
        assertEquals(55292, request.connection().peerPort());
        assertEquals(56, request.privateData().length);
        assertEquals(1, request.connection().terms().initiatorDepth());

        request.connection().accept(queuePair, new ConnectParameters());
        expect(CmAttribute.REP);
        QueuePairAttributes set = queuePair.query();
        assertEquals(QueuePairState.RTS, set.state());
        assertEquals(0x61A1FA, set.sendPsn());
        assertEquals(0x9281F4, set.receivePsn());
        assertEquals(19, set.timeout());
        assertEquals(1, set.maxRdAtomic());
        assertEquals(1, set.maxDestRdAtomic());
        assertEquals(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC, set.accessFlags());

        network.inject(CLIENT, SERVER, golden(CmAttribute.RTU));
        network.settle();
        server.take(CmEvent.Type.ESTABLISHED);
        network.inject(CLIENT, SERVER, golden(CmAttribute.DREQ));
        expect(CmAttribute.DREP);
        server.take(CmEvent.Type.DISCONNECTED);
        assertEquals(QueuePairState.ERROR, queuePair.state(), "flushed, although the application did nothing");
        request.connection().disconnect();
        assertEquals(QueuePairState.ERROR, queuePair.state());
        network.run(3 * CmNetwork.SECOND);
        server.take(CmEvent.Type.TIMEWAIT_EXIT);
        assertEquals(0, server.core.exchanges());
        assertEquals(2, network.sent.size());
    }

    @Test
    void clientOfUdaddySendsWhatTheKernelSent() {
        CmNode client = node(CLIENT, CLIENT_GUID, 0x803E - FIRST_PORT, 0xB452_7338, highOfTransaction(CmAttribute.SIDR_REQ),
            lowOfTransaction(CmAttribute.SIDR_REQ));
        CmConnection service = client.service.connector(client.channel).resolve(SERVER, 7174, new ConnectParameters());
        expect(CmAttribute.SIDR_REQ);
        network.inject(SERVER, CLIENT, golden(CmAttribute.SIDR_REP));
        network.settle();
        client.take(CmEvent.Type.ESTABLISHED);
        assertEquals(0x20, service.terms().remoteQpn());
        assertEquals(0x0123_4567, service.terms().remoteQueueKey());
        assertEquals(SERVER, service.terms().peer().destination());
        assertEquals(0, client.core.exchanges());
    }

    @Test
    void serverOfUdaddySendsWhatTheKernelSent() {
        CmNode server = node(SERVER, SERVER_GUID, 1);
        server.service.listen(server.channel, PortSpace.UDP, 7174);
        FakeQueuePair queuePair = new FakeQueuePair(0x20, QueuePairType.UD, SERVER, PathMtu.MTU_1024);
        ConnectionService.prepare(queuePair);
        assertEquals(QueuePairState.RTS, queuePair.state());
        network.inject(CLIENT, SERVER, golden(CmAttribute.SIDR_REQ));
        network.settle();
        CmEvent request = server.take(CmEvent.Type.CONNECT_REQUEST);
        assertEquals(QueuePairType.UD, request.connection().type());
        assertEquals(180, request.privateData().length);
        request.connection().accept(queuePair, new ConnectParameters());
        expect(CmAttribute.SIDR_REP);
        network.inject(CLIENT, SERVER, golden(CmAttribute.SIDR_REQ));
        expect(CmAttribute.SIDR_REP);
        assertEquals(2, network.sent.size());
        assertTrue(server.takeAll().isEmpty(), "the duplicate SIDR_REQ causes no event");
    }
}
