package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.GoldenMad;
import io.rxe.port.Entropy;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * The conversations of two kernel peers with one of them replaced by us: we are fed what the other kernel sent and must answer what
 * the replaced one answered, byte for byte.
 *
 * <p>Made equal beforehand, because random or local: adapter GUID, first communication ID, PSN, source port, queue pair number. The one
 * field left out of the comparison is the transaction ID of what we begin (REQ, DREQ, SIDR_REQ, and the RTU that repeats it): Linux has
 * an agent number and its ID in host byte order there, we an agent number and the ID as it is on the wire. Answers echo the peer's.
 */
class GoldenReplayTest {
    private static final Gid SERVER = Gid.parse("10.99.0.2");
    private static final Gid CLIENT = Gid.parse("10.99.0.3");
    private static final long SERVER_GUID = 0x5054_00FF_FE12_3402L;
    private static final long CLIENT_GUID = 0x5054_00FF_FE12_3403L;
    private static final int FIRST_PORT = 32768;
    private static final int AGENT = 2;

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

    private static byte[] withoutTransaction(byte[] mad) {
        byte[] copy = mad.clone();
        Arrays.fill(copy, 8, 16, (byte) 0);
        return copy;
    }

    private void expectBegun(CmAttribute attribute) {
        network.settle();
        assertEquals(attribute, network.last().attribute());
        assertArrayEquals(withoutTransaction(golden(attribute)), withoutTransaction(network.last().bytes()));
        assertNotEquals(0, network.last().buffer().getLong(8));
    }

    private void expectAnswer(CmAttribute attribute) {
        network.settle();
        assertArrayEquals(golden(attribute), network.last().bytes());
    }

    @Test
    void clientOfRpingSaysWhatTheKernelSaid() {
        CmNode client = node(CLIENT, CLIENT_GUID, 0xB552_7338, AGENT, 55292 - FIRST_PORT, 0x61A1FA);
        FakeQueuePair queuePair = new FakeQueuePair(0x1F, QueuePairType.RC, CLIENT, PathMtu.MTU_1024);
        ConnectParameters parameters = new ConnectParameters().responderResources(1).initiatorDepth(1);
        CmConnection connection = client.service.connector(client.channel).connect(queuePair, SERVER, 7174, parameters);
        expectBegun(CmAttribute.REQ);
        assertEquals(QueuePairState.INIT, queuePair.state());

        network.inject(SERVER, CLIENT, golden(CmAttribute.REP));
        network.settle();
        client.take(CmEvent.Type.ESTABLISHED);
        expectBegun(CmAttribute.RTU);
        QueuePairAttributes set = queuePair.query();
        assertEquals(QueuePairState.RTS, set.state());
        assertEquals(0x9281F4, set.sendPsn(), "the PSN the peer expects, as frame 4 of the capture has it");
        assertEquals(0x61A1FA, set.receivePsn(), "the PSN we announced, as frame 6 has it");
        assertEquals(0x1F, set.destinationQpn());
        assertEquals(19, set.timeout(), "T10");
        assertEquals(7, set.retryCount());
        assertEquals(7, set.rnrRetry());
        assertEquals(1, set.maxRdAtomic());
        assertEquals(1, set.maxDestRdAtomic());
        assertEquals(PathMtu.MTU_1024, set.pathMtu());
        assertEquals(SERVER, set.addressVector().destination());

        connection.disconnect();
        expectBegun(CmAttribute.DREQ);
        assertEquals(QueuePairState.ERROR, queuePair.state());
        network.inject(SERVER, CLIENT, golden(CmAttribute.DREP));
        network.settle();
        client.take(CmEvent.Type.DISCONNECTED);
        long before = network.nowNs;
        network.runUntil(() -> client.takeAll().stream().anyMatch(event -> event.type() == CmEvent.Type.TIMEWAIT_EXIT));
        assertEquals(2048 * CmNetwork.MS, network.nowNs - before);
        assertEquals(0, client.core.dialogues());
    }

    @Test
    void serverOfRpingSaysWhatTheKernelSaid() {
        CmNode server = node(SERVER, SERVER_GUID, 0xE681_B7F8, AGENT, 0x9281F4);
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
        expectAnswer(CmAttribute.REP);
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
        expectAnswer(CmAttribute.DREP);
        server.take(CmEvent.Type.DISCONNECTED);
        assertEquals(QueuePairState.RTS, queuePair.state(), "the application ends its queue pair itself");
        request.connection().disconnect();
        assertEquals(QueuePairState.ERROR, queuePair.state());
        network.run(3 * CmNetwork.SECOND);
        server.take(CmEvent.Type.TIMEWAIT_EXIT);
        assertEquals(0, server.core.dialogues());
        assertEquals(2, network.sent.size());
    }

    @Test
    void clientOfUdaddySaysWhatTheKernelSaid() {
        CmNode client = node(CLIENT, CLIENT_GUID, 0xB452_7338, AGENT, 0x803E - FIRST_PORT);
        CmConnection service = client.service.connector(client.channel).resolve(SERVER, 7174, new ConnectParameters());
        expectBegun(CmAttribute.SIDR_REQ);
        network.inject(SERVER, CLIENT, golden(CmAttribute.SIDR_REP));
        network.settle();
        client.take(CmEvent.Type.ESTABLISHED);
        assertEquals(0x20, service.terms().remoteQpn());
        assertEquals(0x0123_4567, service.terms().remoteQueueKey());
        assertEquals(SERVER, service.terms().peer().destination());
        assertEquals(0, client.core.dialogues());
    }

    @Test
    void serverOfUdaddySaysWhatTheKernelSaid() {
        CmNode server = node(SERVER, SERVER_GUID, 1, AGENT);
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
        expectAnswer(CmAttribute.SIDR_REP);
        network.inject(CLIENT, SERVER, golden(CmAttribute.SIDR_REQ));
        expectAnswer(CmAttribute.SIDR_REP);
        assertEquals(2, network.sent.size());
        assertTrue(server.takeAll().isEmpty(), "asked twice, decided once");
    }
}
