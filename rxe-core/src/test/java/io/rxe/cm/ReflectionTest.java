package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.exchange.CmDropReason;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRej;
import io.rxe.cm.mad.CmReq;
import io.rxe.cm.mad.RejectReason;
import io.rxe.qp.AttributeLimits;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Gid;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Nothing is sent to an address that did not ask for it itself: a peer cannot point our queue pair, or our replies, at a third party. */
class ReflectionTest {
    private static final Gid ATTACKER = Gid.parse("10.0.0.66");

    private final CmPair pair = new CmPair();

    private void inject(Gid source, UnsafeBuffer mad) {
        pair.network.inject(source, pair.server.gid, mad.byteArray());
        pair.network.settle();
    }

    @Test
    @DisplayName("a REQ whose primary local GID is not its source address is rejected")
    void reqMustNameItsSource() {
        List<Gid> victims = List.of(Gid.parse("10.0.0.99"), Gid.parse("239.1.2.3"), Gid.parse("255.255.255.255"), Gid.parse("0.0.0.0"),
            pair.server.gid, Gid.parse("127.0.0.1"), Gid.parse("fd99::1"));
        for (Gid victim : victims) {
            UnsafeBuffer req = Forged.req(ATTACKER, pair.server.gid, 5);
            CmReq.PRIMARY_LOCAL_GID.set(req, 0, victim);
            inject(ATTACKER, req);
            assertNull(pair.server.channel.poll(), "the application received a request that names " + victim);
            assertEquals(CmAttribute.REJ, pair.network.last().attribute());
            assertEquals(ATTACKER, pair.network.last().destination());
            assertEquals(RejectReason.PRIMARY_REMOTE_GID.code(), CmRej.REASON.get(pair.network.last().buffer(), 0));
        }
        assertEquals(victims.size(), pair.network.sent.size());
        assertEquals(0, pair.server.core.exchanges());
    }

    @Test
    void aReqOfAnotherHostCannotEndAConnectionAsStale() {
        CmPair connected = CmPair.connected();
        UnsafeBuffer req = Forged.req(connected.client.gid, connected.server.gid, connected.clientPair.number());
        CmReq.LOCAL_CA_GUID.set(req, 0, connected.client.gid.adapterGuid());
        CmReq.PRIMARY_LOCAL_GID.set(req, 0, ATTACKER);
        connected.network.inject(connected.client.gid, connected.server.gid, req.byteArray());
        connected.network.settle();
        assertTrue(connected.passive().isOpen());
        assertNull(connected.server.channel.poll());
    }

    @Test
    @DisplayName("a MAD from a group, the broadcast or the unspecified address gets no reply")
    void noReplyToAGroup() {
        String[] sources = {"239.1.2.3", "255.255.255.255", "0.0.0.0", "ff02::1", "::"};
        for (String source : sources) {
            Gid gid = Gid.parse(source);
            inject(gid, Forged.req(gid, pair.server.gid, 5));
            inject(gid, Forged.message(CmAttribute.DREQ, 7, 8, 9));
        }
        assertEquals(0, pair.network.sent.size());
        assertNull(pair.server.channel.poll());
        assertEquals(2 * sources.length, pair.server.service.counters().get(CmDropReason.SOURCE_NOT_UNICAST));
    }

    @Test
    void noRequestGoesToAGroup() {
        Connector connector = pair.client.service.connector(pair.client.channel);
        for (String peer : new String[] {"239.1.2.3", "255.255.255.255", "0.0.0.0"}) {
            String message = assertThrows(IllegalArgumentException.class,
                () -> connector.connect(pair.client.queuePair(), Gid.parse(peer), 1, new ConnectParameters())).getMessage();
            assertEquals("peer " + peer + " is a group, broadcast or unspecified address: use the unicast address of one host", message);
        }
    }

    @Test
    @DisplayName("an RC or UC queue pair refuses a destination that is no unicast address")
    void queuePairsRefuseGroups() {
        for (String[] addresses : new String[][] {{"10.0.0.1", "224.0.0.1"}, {"10.0.0.1", "239.255.255.255"},
            {"10.0.0.1", "255.255.255.255"}, {"10.0.0.1", "0.0.0.0"}, {"fd99::1", "ff02::1"}, {"fd99::1", "::"}}) {
            Gid peer = Gid.parse(addresses[1]);
            QueuePairAttributes change = QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(peer, 4791));
            String message = assertThrows(IllegalArgumentException.class,
                () -> AttributeLimits.check(change, List.of(Gid.parse(addresses[0])), 1, PathMtu.MTU_1024, PartitionKeys.DEFAULT))
                .getMessage();
            assertTrue(message.startsWith("ADDRESS_VECTOR destination " + peer), message);
            assertTrue(message.contains("use the peer's unicast GID"), message);
        }
        for (String[] addresses : new String[][] {{"10.0.0.1", "10.0.0.2"}, {"127.0.0.1", "127.0.0.2"}, {"10.0.0.1", "223.255.255.255"},
            {"fd99::1", "fe80::1"}, {"::1", "::1"}}) {
            QueuePairAttributes change =
                QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(Gid.parse(addresses[1]), 4791));
            AttributeLimits.check(change, List.of(Gid.parse(addresses[0])), 1, PathMtu.MTU_1024, PartitionKeys.DEFAULT);
            assertTrue(change.addressVector().destination().isUnicast());
        }
    }
}
