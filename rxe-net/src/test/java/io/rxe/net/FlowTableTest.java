package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class FlowTableTest {
    private final FlowTable table = new FlowTable(new InetSocketAddress("127.0.0.1", 4791));

    @Test
    void aPeerIsMadeOnceAndItsFlowLeadsFromItToUs() {
        Peer first = table.peer(new InetSocketAddress("10.1.2.3", 5000));
        assertSame(first, table.peer(new InetSocketAddress("10.1.2.3", 5000)));
        assertEquals(Frames.flow("10.1.2.3", 5000, "127.0.0.1", 4791), first.flow);
        Peer second = table.peer(new InetSocketAddress("10.1.2.3", 5001));
        assertEquals(5001, second.flow.sourcePort());
        assertSame(first, table.peer(new InetSocketAddress("10.1.2.3", 5000)));
    }

    @Test
    void moreThanTheLimitIsForgottenAndLearntAgain() {
        Peer first = table.peer(new InetSocketAddress("10.1.2.3", 1));
        for (int port = 1; port <= FlowTable.LIMIT + 1; port++) {
            table.peer(new InetSocketAddress("10.1.2.3", port));
        }
        assertTrue(table.peerCount() <= FlowTable.LIMIT);
        assertEquals(first.flow, table.peer(new InetSocketAddress("10.1.2.3", 1)).flow);
    }

    @Test
    void aDestinationIsTheAddressOfTheFlow() throws Exception {
        Flow four = Frames.flow("127.0.0.1", 4791, "192.168.200.1", 4791);
        assertEquals(InetAddress.getByName("192.168.200.1"), table.destination(four));
        assertSame(table.destination(four), table.destination(four));
        assertEquals(InetAddress.getByName("fd00::5"), table.destination(Frames.flow("::1", 4791, "fd00::5", 4791)));
    }

    @Test
    void aLinkLocalDestinationIsOnTheInterfaceOfThePort() throws Exception {
        byte[] local = InetAddress.getByName("fe80::1").getAddress();
        FlowTable scoped = new FlowTable(new InetSocketAddress(Inet6Address.getByAddress(null, local, 3), 4791));
        InetAddress peer = scoped.destination(Frames.flow("fe80::1", 4791, "fe80::2", 4791));
        assertEquals(3, ((Inet6Address) peer).getScopeId());
    }
}
