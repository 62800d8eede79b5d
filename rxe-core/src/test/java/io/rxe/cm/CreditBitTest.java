package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CmReq;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end-to-end flow control bit of REQ and REP: what our responder does, and what the peer's requester makes of it. */
class CreditBitTest {
    private final CmNetwork network = new CmNetwork();
    private final CmNode client = network.add("10.0.0.1");
    private final CmNode server = network.add("10.0.0.2");

    private static FakeQueuePair pair(CmNode node, int number, QueuePairType type, boolean gives) {
        return new FakeQueuePair(number, type, node.gid, PathMtu.MTU_1024).credits(gives);
    }

    private UnsafeBuffer sent(CmAttribute attribute) {
        List<CmNetwork.Sent> sent = network.sent(attribute);
        assertEquals(1, sent.size());
        return new UnsafeBuffer(sent.get(0).bytes());
    }

    @ParameterizedTest
    @CsvSource({"RC, true, true", "RC, true, false", "RC, false, true", "RC, false, false", "UC, false, false"})
    @DisplayName("R19 Q15: REQ and REP say whether the responder gives credits, and the other side obeys only then")
    void creditsAreToldTruthfully(QueuePairType type, boolean clientGives, boolean serverGives) {
        server.service.listen(server.channel, PortSpace.TCP, CmPair.PORT);
        FakeQueuePair clientPair = pair(client, 0x11, type, clientGives);
        client.service.connector(client.channel).connect(clientPair, server.gid, CmPair.PORT, new ConnectParameters());
        network.run(CmNetwork.LATENCY_NS);
        UnsafeBuffer req = sent(CmAttribute.REQ);
        assertEquals(clientGives, CmReq.END_TO_END_FLOW_CONTROL.isSet(req, 0));
        assertEquals(!clientGives, CmReq.SHARED_RECEIVE_QUEUE.isSet(req, 0));
        FakeQueuePair serverPair = pair(server, 0x12, type, serverGives);
        server.take(CmEvent.Type.CONNECT_REQUEST).connection().accept(serverPair, new ConnectParameters());
        network.run(CmNetwork.LATENCY_NS);
        UnsafeBuffer rep = sent(CmAttribute.REP);
        assertEquals(serverGives, CmRep.END_TO_END_FLOW_CONTROL.isSet(rep, 0));
        assertEquals(!serverGives, CmRep.SHARED_RECEIVE_QUEUE.isSet(rep, 0));
        assertEquals(clientGives, serverPair.query().isEndToEndCredits());
        client.take(CmEvent.Type.ESTABLISHED);
        assertEquals(serverGives, clientPair.query().isEndToEndCredits());
    }
}
