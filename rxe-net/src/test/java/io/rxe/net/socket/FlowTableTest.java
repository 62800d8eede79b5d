package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.Frames;
import io.rxe.port.Flow;
import io.rxe.wire.Icrc;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FlowTableTest {
    private final FlowTable table = new FlowTable(new InetSocketAddress("127.0.0.1", 4791));

    @Test
    void aPeerIsCreatedOnceAndItsFlowLeadsFromItToUs() {
        Peer first = table.peer(new InetSocketAddress("10.1.2.3", 5000));
        assertSame(first, table.peer(new InetSocketAddress("10.1.2.3", 5000)));
        assertEquals(Frames.flow("10.1.2.3", 5000, "127.0.0.1", 4791), first.flow);
        Peer second = table.peer(new InetSocketAddress("10.1.2.3", 5001));
        assertEquals(5001, second.flow.sourcePort());
        assertSame(first, table.peer(new InetSocketAddress("10.1.2.3", 5000)));
    }

    /** A source with the same sum of address and port as every other, so the same InetSocketAddress.hashCode. */
    private static InetSocketAddress colliding(int index) throws Exception {
        byte[] address = ByteBuffer.allocate(4).putInt(0x0A000000 + index).array();
        return new InetSocketAddress(InetAddress.getByAddress(address), 60_000 - index);
    }

    private void verify(Peer peer) {
        UnsafeBuffer frame = new UnsafeBuffer(new byte[32]);
        Icrc.write(frame, 28, new Icrc().compute(frame, 0, 28, peer.flow.icrcSeed(), true, 0));
        table.onFrame(frame, 0, 32, peer);
    }

    @Test
    void sourcesChosenToCollideCostNoMoreComparisonsThanOthers() throws Exception {
        assertEquals(colliding(1).hashCode(), colliding(9999).hashCode());
        for (int verifiedToo = 0; verifiedToo < 2; verifiedToo++) {
            for (int index = 0; index < 16_000; index++) {
                long before = table.comparisons();
                Peer peer = table.peer(colliding(index));
                assertTrue(table.comparisons() - before <= 2 * PeerTable.WAYS, "source " + index);
                if (verifiedToo == 1) {
                    verify(peer);
                }
            }
        }
    }

    @Test
    void theTableIsBoundedAndPeersWithoutAGoodFrameHaveLittleOfIt() {
        assertTrue(remembered(peer -> { }) <= FlowTable.UNVERIFIED_LIMIT);
        int verified = remembered(this::verify);
        assertTrue(verified <= FlowTable.VERIFIED_LIMIT);
        assertTrue(verified > FlowTable.VERIFIED_LIMIT / 2, "sets fill evenly: " + verified);
    }

    /** How many of many new peers the table still has. Looks for the latest first: one that it has not takes the place of an older one. */
    private int remembered(Consumer<Peer> first) {
        List<InetSocketAddress> sources = IntStream.range(0, 3 * FlowTable.VERIFIED_LIMIT)
            .mapToObj(index -> new InetSocketAddress("10." + (index >> 16) + ".0.1", index & 0xFFFF)).toList();
        List<Peer> peers = sources.stream().map(table::peer).toList();
        peers.forEach(first);
        int same = 0;
        for (int index = peers.size() - 1; index >= 0; index--) {
            same += table.peer(sources.get(index)) == peers.get(index) ? 1 : 0;
        }
        return same;
    }

    @Test
    void aFloodOfGarbageForgetsNoVerifiedPeer() {
        Peer good = table.peer(new InetSocketAddress("10.1.2.3", 4791));
        verify(good);
        for (int port = 1; port < 60_000; port++) {
            table.onFrame(new UnsafeBuffer(new byte[44]), 0, 44, table.peer(new InetSocketAddress("10.9.9.9", port)));
        }
        assertSame(good, table.peer(new InetSocketAddress("10.1.2.3", 4791)));
    }

    @Test
    void theOldestOfASetMakesRoom() {
        PeerTable one = new PeerTable(PeerTable.WAYS, 1, 2);
        Peer[] peers = new Peer[PeerTable.WAYS + 1];
        for (int index = 0; index < peers.length; index++) {
            peers[index] = new Peer(Frames.flow("10.0.0.1", 1 + index, "127.0.0.1", 4791));
            if (index == PeerTable.WAYS) {
                assertSame(peers[0], find(one, peers[0]));
            }
            one.add(peers[index]);
        }
        assertNull(find(one, peers[1]));
        assertSame(peers[0], find(one, peers[0]));
        assertSame(peers[PeerTable.WAYS], find(one, peers[PeerTable.WAYS]));
    }

    private static Peer find(PeerTable in, Peer peer) {
        return in.find(peer.flow.source().high(), peer.flow.source().low(), peer.flow.sourcePort());
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
