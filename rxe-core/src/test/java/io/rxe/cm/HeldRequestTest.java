package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.RejectReason;
import io.rxe.verbs.QueuePairType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("a request for a port that is bound and has no listener yet")
class HeldRequestTest {
    private static final int MOST = 64;

    private final CmPair pair = new CmPair();

    @BeforeEach
    void noListener() {
        pair.listener.close();
    }

    @Test
    @DisplayName("waits for the listener, which gets it once, however often the peer repeated it")
    void waits() {
        pair.server.service.bind(PortSpace.TCP, CmPair.PORT);
        pair.connect();
        pair.network.run(900 * CmNetwork.MS);
        assertEquals(0, pair.network.sent(CmAttribute.REJ).size());
        pair.server.service.listen(pair.server.channel, PortSpace.TCP, CmPair.PORT);
        pair.requested().accept().established();
        assertNull(pair.server.channel.poll());
    }

    @Test
    @DisplayName("is rejected after a second without one")
    void waitsInVain() {
        pair.server.service.bind(PortSpace.TCP, CmPair.PORT);
        pair.connect();
        pair.network.run(CmNetwork.SECOND);
        assertNull(pair.client.channel.poll());
        pair.network.run(3 * CmNetwork.MS);
        assertEquals(RejectReason.INVALID_SERVICE_ID.code(), pair.client.take(CmEvent.Type.REJECTED).status());
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    @DisplayName("is rejected at once when nobody has the port any more")
    void isNotBound() {
        pair.server.service.bind(PortSpace.TCP, CmPair.PORT);
        pair.server.service.bind(PortSpace.TCP, CmPair.PORT);
        pair.server.service.unbind(PortSpace.TCP, CmPair.PORT);
        pair.connect();
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        assertNull(pair.client.channel.poll(), "one of two has it");
        pair.server.service.unbind(PortSpace.TCP, CmPair.PORT);
        pair.connect();
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.REJECTED);
    }

    @Test
    @DisplayName("is rejected at once when 64 wait already")
    void limit() {
        pair.server.service.bind(PortSpace.TCP, CmPair.PORT);
        for (int i = 0; i <= MOST; i++) {
            pair.connect();
        }
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        assertEquals(1, pair.network.sent(CmAttribute.REJ).size());
    }

    @Test
    @DisplayName("for a datagram service waits, too")
    void datagrams() {
        pair.server.service.bind(PortSpace.UDP, CmPair.PORT);
        pair.client.service.connector(pair.client.channel).resolve(pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(500 * CmNetwork.MS);
        assertEquals(0, pair.network.sent(CmAttribute.SIDR_REP).size());
        pair.server.service.listen(pair.server.channel, PortSpace.UDP, CmPair.PORT);
        pair.server.take(CmEvent.Type.CONNECT_REQUEST).connection()
            .accept(pair.server.queuePair(QueuePairType.UD), new ConnectParameters());
        pair.network.run(2 * CmNetwork.LATENCY_NS);
        pair.client.take(CmEvent.Type.ESTABLISHED);
    }

    @Test
    @DisplayName("for a datagram service is refused after a second")
    void datagramsInVain() {
        pair.server.service.bind(PortSpace.UDP, CmPair.PORT);
        pair.client.service.connector(pair.client.channel).resolve(pair.server.gid, CmPair.PORT, new ConnectParameters());
        pair.network.run(CmNetwork.SECOND + 3 * CmNetwork.MS);
        assertEquals("no listener on UDP port 7174 at 10.0.0.2 (SIDR status 1, nothing serves this service ID): start the server or check"
            + " the port", pair.client.take(CmEvent.Type.UNREACHABLE).explanation());
    }
}
