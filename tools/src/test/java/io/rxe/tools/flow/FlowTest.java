package io.rxe.tools.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.tools.flow.Connection.ClassifiedPacket;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Pictures of connections, on captures of kernel peers and on packets made up")
class FlowTest {
    private static final Gid LEFT = Gid.parse("10.0.0.1");
    private static final Gid RIGHT = Gid.parse("10.0.0.2");
    private static final int LEFT_QPN = 0x11;
    private static final int RIGHT_QPN = 0x22;
    private static final int ACK = 0x1F;
    private static final int SEQUENCE_NAK = 0x60;
    private static final long US = 1000;

    private final ConnectionTracker tracker = new ConnectionTracker();
    private long nowNs;
    private int frames;

    private static List<Connection> golden(String name) {
        ConnectionTracker tracker = new ConnectionTracker();
        for (GoldenFrame frame : GoldenCaptures.open(name)) {
            tracker.add(FlowPacket.of(Integer.toString(frame.number()), frame.record(), frame.roce(), frame.roce().payloadOffset(),
                frame.roce().payloadLength(), null));
        }
        return tracker.connections();
    }

    private void right(Opcode opcode, int psn, boolean ackRequested) {
        packet(true, opcode, psn, ackRequested, -1, -1);
    }

    private void left(Opcode opcode, int psn, int syndrome) {
        packet(false, opcode, psn, false, syndrome, -1);
    }

    private void packet(boolean toRight, Opcode opcode, int psn, boolean ackRequested, int syndrome, long requestBytes) {
        nowNs += 10 * US;
        tracker.add(new FlowPacket(Integer.toString(++frames), nowNs, toRight ? LEFT : RIGHT, toRight ? RIGHT : LEFT, opcode,
            toRight ? RIGHT_QPN : LEFT_QPN, psn, ackRequested, syndrome, 1024, requestBytes, -1, null, null));
    }

    private String letters() {
        List<Connection> connections = tracker.connections();
        assertEquals(1, connections.size(), connections.toString());
        StringBuilder letters = new StringBuilder();
        connections.get(0).classified().stream().map(ClassifiedPacket::packetClass).map(PacketClass::letter).forEach(letters::append);
        return letters.toString().replace(' ', '.');
    }

    @Test
    void everyPacketOfEveryGoldenCaptureIsInExactlyOneConnection() {
        for (String name : GoldenCaptures.names()) {
            List<Connection> connections = golden(name);
            int packets = connections.stream().mapToInt(connection -> connection.classified().size()).sum();
            assertEquals(GoldenCaptures.open(name).size(), packets, name);
            connections.forEach(connection -> assertFalse(connection.toText(true).isEmpty(), name));
        }
    }

    @Test
    void aCleanPingPongIsOneConnectionWithoutAnomalies() {
        for (String name : List.of("rc_pingpong", "rc_pingpong_v6", "uc_pingpong", "rdma_read", "rdma_write", "atomic_cas")) {
            List<Connection> connections = golden(name);
            assertEquals(1, connections.size(), name);
            assertTrue(connections.get(0).isClean(), name + "\n" + connections.get(0).toText(true));
        }
        String text = golden("rc_pingpong").get(0).toText(false);
        assertTrue(text.contains("|SEND df6d51..df6d55 (5) ------"), text);
        assertTrue(text.contains("------ ACK df6d55|"), text);
        assertTrue(text.contains("amplification  1.00"), text);
        assertTrue(text.contains("requests       25 packets, 25 distinct, 0 retransmitted; 25,000 payload bytes"), text);
    }

    @Test
    void connectionManagementAndItsConnectionsAreShown() {
        List<Connection> connections = golden("rping_udaddy_cm");
        assertEquals(3, connections.size());
        String management = connections.get(0).toText(true);
        for (String message : List.of("CM REQ", "CM REP", "CM RTU", "CM DREQ", "CM DREP", "CM SIDR_REQ", "CM SIDR_REP")) {
            assertTrue(management.contains(message), message + " in\n" + management);
        }
        assertTrue(connections.get(1).toText(true).contains("READ"), "rping reads");
        assertTrue(connections.get(2).toText(true).contains("UD SEND"), "udaddy sends datagrams");
    }

    @Test
    void goBackNIsVisibleInALossyRunOfAKernelPeer() {
        Connection connection = golden("write_loss5").get(0);
        String text = connection.toText(false);
        assertTrue(text.contains("G |WRITE e43fdc..e43fe4 (9) "), text);
        assertTrue(text.contains("|  e43fdb missing"), text);
        assertTrue(text.contains("N |<---"), text);
        assertTrue(text.contains("F |WRITE e43fdb ====="), text);
        assertTrue(text.contains("R |WRITE e43fdc..e43fe4 (9) ==="), text);
        assertTrue(text.contains("requests       245 packets, 138 distinct, 107 retransmitted"), text);
        assertTrue(text.contains("amplification  1.78"), text);
        assertEquals(2, connection.leftStatistics().naks());
    }

    @Test
    void anRnrNakIsShownWithItsWait() {
        Connection connection = golden("cases/04_rnr_t12_r7").get(0);
        String text = connection.toText(false);
        assertTrue(text.contains("W |<---------------------------------"), text);
        assertTrue(text.contains("after an RNR wait of 6.69 ms"), text);
        assertTrue(connection.leftStatistics().rnrNaks() > 100, text);
    }

    @Test
    void gapsAreFilledOrRetransmitted() {
        right(Opcode.RC_SEND_FIRST, 0xFFFFFE, false);
        right(Opcode.RC_SEND_MIDDLE, 0xFFFFFF, false);
        right(Opcode.RC_SEND_MIDDLE, 1, false);
        right(Opcode.RC_SEND_LAST, 2, true);
        left(Opcode.RC_ACKNOWLEDGE, 0, SEQUENCE_NAK);
        right(Opcode.RC_SEND_MIDDLE, 0, false);
        right(Opcode.RC_SEND_MIDDLE, 1, false);
        right(Opcode.RC_SEND_LAST, 2, true);
        left(Opcode.RC_ACKNOWLEDGE, 2, ACK);
        assertEquals("..G.NFRR.", letters());
        FlowStatistics statistics = tracker.connections().get(0).leftStatistics();
        assertEquals(7, statistics.requests());
        assertEquals(2, statistics.requestsRetransmitted());
        assertEquals(7.0 / 5, statistics.amplification());
        assertTrue(tracker.connections().get(0).toText(false).contains("000000 missing"));
    }

    @Test
    void roundTripsAreMeasuredOnPacketsSentOnce() {
        right(Opcode.RC_SEND_ONLY, 5, true);
        left(Opcode.RC_ACKNOWLEDGE, 5, ACK);
        right(Opcode.RC_SEND_ONLY, 6, true);
        nowNs += 900 * US;
        right(Opcode.RC_SEND_ONLY, 6, true);
        left(Opcode.RC_ACKNOWLEDGE, 6, ACK);
        String text = tracker.connections().get(0).toText(false);
        assertTrue(text.contains("round trip     min 10.0 us, 50% 10.0 us, 90% 10.0 us, 99% 10.0 us, max 10.0 us (1 samples)"), text);
        assertTrue(text.contains("longest stall  920.0 us, at PSN 000006"), text);
    }

    @Test
    void aPeerThatStopsRespondingIsTheLongestStall() {
        right(Opcode.RC_SEND_ONLY, 5, true);
        left(Opcode.RC_ACKNOWLEDGE, 5, ACK);
        right(Opcode.RC_SEND_ONLY, 6, true);
        nowNs += 500_000 * US;
        right(Opcode.RC_SEND_ONLY, 6, true);
        String text = tracker.connections().get(0).toText(false);
        assertTrue(text.contains("longest stall  500.01 ms, at PSN 000006, no response captured"), text);
    }

    @Test
    void unreliableTransportsDoNotStall() {
        right(Opcode.UC_SEND_ONLY, 5, false);
        nowNs += 500_000 * US;
        right(Opcode.UC_SEND_ONLY, 6, false);
        String text = tracker.connections().get(0).toText(false);
        assertFalse(text.contains("longest stall"), text);
    }

    @Test
    void aLostReadResponseIsAGapThatItsRetransmissionFills() {
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 10, true, -1, 4096);
        left(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 10, ACK);
        left(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 12, -1);
        left(Opcode.RC_RDMA_READ_RESPONSE_LAST, 13, ACK);
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 11, true, -1, 1024);
        left(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 11, ACK);
        left(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 11, ACK);
        assertEquals("..G.RFR", letters());
    }

    @Test
    void connectionsBetweenTheSameHostsAreDistinguishedByTheirResponses() {
        for (int i = 0; i < 3; i++) {
            tracker.add(new FlowPacket("1", 1, LEFT, RIGHT, Opcode.RC_SEND_ONLY, 0x100, 500 + i, true, -1, 8, -1, -1, null, null));
            tracker.add(new FlowPacket("2", 2, LEFT, RIGHT, Opcode.RC_SEND_ONLY, 0x200, 900 + i, true, -1, 8, -1, -1, null, null));
            tracker.add(new FlowPacket("3", 3, RIGHT, LEFT, Opcode.RC_ACKNOWLEDGE, 0x902, 900 + i, false, ACK, 0, -1, -1, null, null));
            tracker.add(new FlowPacket("4", 4, RIGHT, LEFT, Opcode.RC_ACKNOWLEDGE, 0x501, 500 + i, false, ACK, 0, -1, -1, null, null));
        }
        List<String> names = new ArrayList<>();
        tracker.connections().forEach(connection -> names.add(connection.leftName() + " " + connection.rightName()));
        assertEquals(List.of("10.0.0.1 qpn 0x501 10.0.0.2 qpn 0x100", "10.0.0.1 qpn 0x902 10.0.0.2 qpn 0x200"), names);
        assertTrue(tracker.connections().get(0).involves(0x501));
        assertFalse(tracker.connections().get(0).involves(0x200));
    }

    @Test
    void longRunsOfOrdinaryPacketsAreLeftOutWithoutVerbose() {
        for (int psn = 0; psn < 100; psn++) {
            right(Opcode.RC_SEND_ONLY, psn, true);
            left(Opcode.RC_ACKNOWLEDGE, psn, ACK);
        }
        Connection connection = tracker.connections().get(0);
        assertTrue(connection.toText(false).contains(": 196 ordinary packets"), connection.toText(false));
        assertTrue(connection.toText(true).lines().count() > 200);
    }
}
