package io.rxe.tools.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenCaptures;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

    private final List<FlowPacket> packets = new ArrayList<>();
    private long nowNs;
    private int frames;

    /** Connections after both passes. */
    private static List<Connection> connections(List<FlowPacket> packets, Consumer<ClassifiedPacket> classified) {
        ConnectionTracker tracker = new ConnectionTracker();
        packets.forEach(tracker::add);
        tracker.connect(new TextSpool(), true);
        packets.forEach(packet -> classified.accept(tracker.classify(packet)));
        return tracker.end();
    }

    private static List<FlowPacket> packets(String name) {
        return GoldenCaptures.open(name).stream().map(frame -> FlowPacket.of(Integer.toString(frame.number()), frame.record(), frame.roce(),
            frame.roce().payloadOffset(), frame.roce().payloadLength(), null)).toList();
    }

    private static String text(List<FlowPacket> packets, int index, boolean everyLine) {
        ConnectionTracker tracker = new ConnectionTracker();
        packets.forEach(tracker::add);
        StringWriter text = new StringWriter();
        try (TextSpool spool = new TextSpool(); PrintWriter out = new PrintWriter(text)) {
            tracker.connect(spool, everyLine);
            packets.forEach(tracker::classify);
            tracker.end().get(index).print(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static List<Connection> golden(String name) {
        return connections(packets(name), packet -> { });
    }

    private List<Connection> connections() {
        return connections(packets, packet -> { });
    }

    private String text() {
        return text(packets, 0, false);
    }

    private void right(Opcode opcode, int psn, boolean ackRequested) {
        packet(true, opcode, psn, ackRequested, -1, -1);
    }

    private void left(Opcode opcode, int psn, int syndrome) {
        packet(false, opcode, psn, false, syndrome, -1);
    }

    private void packet(boolean toRight, Opcode opcode, int psn, boolean ackRequested, int syndrome, long requestBytes) {
        nowNs += 10 * US;
        packets.add(FlowPackets.once(Integer.toString(++frames), nowNs, toRight ? LEFT : RIGHT, toRight ? RIGHT : LEFT, opcode,
            toRight ? RIGHT_QPN : LEFT_QPN, psn, ackRequested, syndrome, 1024, requestBytes, -1, null, null, "", false, ""));
    }

    private String letters() {
        StringBuilder letters = new StringBuilder();
        assertEquals(1, connections(packets, packet -> letters.append(packet.packetClass().letter())).size());
        return letters.toString().replace(' ', '.');
    }

    @Test
    void everyPacketOfEveryGoldenCaptureIsInExactlyOneConnection() {
        for (String name : GoldenCaptures.names()) {
            List<Connection> connections = golden(name);
            long placed = connections.stream().mapToLong(Connection::packets).sum();
            assertEquals(GoldenCaptures.open(name).size(), placed, name);
            for (int i = 0; i < connections.size(); i++) {
                assertFalse(text(packets(name), i, true).isEmpty(), name);
            }
        }
    }

    @Test
    void aCleanPingPongIsOneConnectionWithoutAnomalies() {
        for (String name : List.of("rc_pingpong", "rc_pingpong_v6", "uc_pingpong", "rdma_read", "rdma_write", "atomic_cas")) {
            List<Connection> connections = golden(name);
            assertEquals(1, connections.size(), name);
            assertTrue(connections.get(0).isClean(), name + "\n" + text(packets(name), 0, true));
        }
        String text = text(packets("rc_pingpong"), 0, false);
        assertTrue(text.contains("|SEND df6d51..df6d55 (5) ------"), text);
        assertTrue(text.contains("------ ACK df6d55|"), text);
        assertTrue(text.contains("amplification  1.00"), text);
        assertTrue(text.contains("requests       25 packets, 25 distinct, 0 retransmitted; 25,000 payload bytes"), text);
    }

    private void onSecondPath(boolean toRight, Opcode opcode, int psn, int syndrome) {
        Gid left = Gid.parse("10.1.0.1");
        Gid right = Gid.parse("10.1.0.2");
        nowNs += 10 * US;
        packets.add(FlowPackets.once(Integer.toString(++frames), nowNs, toRight ? left : right, toRight ? right : left, opcode,
            toRight ? RIGHT_QPN : LEFT_QPN, psn, toRight, syndrome, 1024, -1, -1, null, null, "", true, ""));
    }

    /** Rule M1. */
    @Test
    void aMigratedConnectionIsOnePictureWithItsGap() {
        for (int psn = 10; psn < 20; psn++) {
            right(Opcode.RC_SEND_ONLY, psn, true);
            left(Opcode.RC_ACKNOWLEDGE, psn, ACK);
        }
        right(Opcode.RC_SEND_ONLY, 20, true);
        nowNs += 500_000 * US;
        for (int psn = 20; psn < 25; psn++) {
            onSecondPath(true, Opcode.RC_SEND_ONLY, psn, -1);
            onSecondPath(false, Opcode.RC_ACKNOWLEDGE, psn, ACK);
        }
        List<Connection> connections = connections();
        assertEquals(1, connections.size());
        assertEquals(packets.size(), connections.get(0).packets());
        String text = text();
        assertTrue(text.contains("path 10.1.0.1 > 10.1.0.2"), text);
        assertTrue(text.contains("500"), text);
        assertTrue(text.contains("requests       16 packets, 15 distinct, 1 retransmitted"), text);
    }

    /** Queue pairs of other hosts may have the same numbers. */
    @Test
    void otherHostsWithTheSameNumbersAreAnotherConnection() {
        right(Opcode.RC_SEND_ONLY, 10, true);
        left(Opcode.RC_ACKNOWLEDGE, 10, ACK);
        onSecondPath(true, Opcode.RC_SEND_ONLY, 11, -1);
        onSecondPath(false, Opcode.RC_ACKNOWLEDGE, 11, ACK);
        packets.replaceAll(packet -> FlowPackets.once(packet.name(), packet.timeNs(), packet.source(), packet.destination(),
            packet.opcode(), packet.qpn(), packet.psn(), packet.ackRequested(), packet.syndrome(), 1024, -1, -1, null, null, "",
            false, ""));
        assertEquals(2, connections().size());
    }

    @Test
    @DisplayName("G2 an acknowledgement with a gap report is shown, on a line of its own, with what is missing")
    void gapReportsAreShown() {
        for (int psn = 10; psn < 60; psn++) {
            right(Opcode.RC_SEND_ONLY, psn, true);
            left(Opcode.RC_ACKNOWLEDGE, psn, ACK);
        }
        FlowPacket last = packets.get(packets.size() - 1);
        packets.add(60, FlowPackets.once("x", packets.get(60).timeNs(), last.source(), last.destination(), last.opcode(), last.qpn(), 39,
            false, ACK, 24, -1, -1, null, null, "", false, ", missing 000028+3"));
        assertTrue(text().contains("ACK 000027, missing 000028+3"), text());
    }

    @Test
    void connectionManagementAndItsConnectionsAreShown() {
        List<Connection> connections = golden("rping_udaddy_cm");
        assertEquals(3, connections.size());
        String management = text(packets("rping_udaddy_cm"), 0, true);
        for (String message : List.of("CM REQ", "CM REP", "CM RTU", "CM DREQ", "CM DREP", "CM SIDR_REQ", "CM SIDR_REP")) {
            assertTrue(management.contains(message), message + " in\n" + management);
        }
        assertTrue(text(packets("rping_udaddy_cm"), 1, true).contains("READ"), "rping reads");
        assertTrue(text(packets("rping_udaddy_cm"), 2, true).contains("UD SEND"), "udaddy sends datagrams");
    }

    @Test
    void goBackNIsVisibleInALossyRunOfAKernelPeer() {
        Connection connection = golden("write_loss5").get(0);
        String text = text(packets("write_loss5"), 0, false);
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
        String text = text(packets("cases/04_rnr_t12_r7"), 0, false);
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
        FlowStatistics statistics = connections().get(0).leftStatistics();
        assertEquals(7, statistics.requests());
        assertEquals(2, statistics.requestsRetransmitted());
        assertEquals(7.0 / 5, statistics.amplification());
        assertTrue(text().contains("000000 missing"));
    }

    @Test
    @DisplayName("a gap of several requests is named whole: first and last PSN and their number, across the wrap")
    void aWholeGapIsNamed() {
        right(Opcode.RC_SEND_FIRST, 0xFFFFFC, false);
        right(Opcode.RC_SEND_LAST, 3, true);
        left(Opcode.RC_ACKNOWLEDGE, 0xFFFFFD, SEQUENCE_NAK);
        assertEquals(".GN", letters());
        assertTrue(text().contains("|  fffffd..000002 (6) missing\n"), text());
        assertTrue(text().contains("gaps           1 of 6 packets; 6 not captured"), text());
    }

    @Test
    @DisplayName("a gap of READ responses is named whole, also when it spans READs with another request between them")
    void aWholeGapOfResponsesIsNamed() {
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 10, false, -1, 4096);
        right(Opcode.RC_SEND_ONLY, 14, true);
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 15, false, -1, 4096);
        left(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 10, ACK);
        left(Opcode.RC_RDMA_READ_RESPONSE_LAST, 18, ACK);
        assertEquals("....G", letters());
        assertTrue(text().contains("00000b..00000d (3), 00000f..000011 (3) missing"), text());
        assertTrue(text().contains("gaps           1 of 6 packets"), text());
    }

    @Test
    @DisplayName("a gap behind a part of a READ that was requested again is named")
    void aGapBehindAPartRequestedAgainIsNamed() {
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 10, false, -1, 10 * 1024);
        left(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 10, ACK);
        left(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 12, ACK);
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 11, false, -1, 1024);
        left(Opcode.RC_RDMA_READ_RESPONSE_ONLY, 11, ACK);
        left(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 16, ACK);
        assertTrue(text().contains("00000d..00000f (3) missing"), text());
    }

    @Test
    void aGapThatSpansTwoReadsIsOne() {
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 10, false, -1, 4096);
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 14, false, -1, 4096);
        left(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 10, ACK);
        left(Opcode.RC_RDMA_READ_RESPONSE_LAST, 17, ACK);
        assertTrue(text().contains("00000b..000010 (6) missing"), text());
    }

    @Test
    void xrcIsFollowedAsRcIs() {
        right(Opcode.XRC_SEND_FIRST, 4, false);
        right(Opcode.XRC_SEND_LAST, 6, true);
        left(Opcode.XRC_ACKNOWLEDGE, 5, SEQUENCE_NAK);
        right(Opcode.XRC_SEND_MIDDLE, 5, false);
        right(Opcode.XRC_SEND_LAST, 6, true);
        left(Opcode.XRC_ACKNOWLEDGE, 6, ACK);
        assertEquals(".GNFR.", letters());
        assertTrue(text().contains("XRC SEND"), text());
        assertTrue(text().contains("000005 missing"), text());
    }

    @Test
    void roundTripsAreMeasuredOnPacketsSentOnce() {
        right(Opcode.RC_SEND_ONLY, 5, true);
        left(Opcode.RC_ACKNOWLEDGE, 5, ACK);
        right(Opcode.RC_SEND_ONLY, 6, true);
        nowNs += 900 * US;
        right(Opcode.RC_SEND_ONLY, 6, true);
        left(Opcode.RC_ACKNOWLEDGE, 6, ACK);
        String text = text();
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
        String text = text();
        assertTrue(text.contains("longest stall  500.01 ms, at PSN 000006, no response captured"), text);
    }

    @Test
    void unreliableTransportsDoNotStall() {
        right(Opcode.UC_SEND_ONLY, 5, false);
        nowNs += 500_000 * US;
        right(Opcode.UC_SEND_ONLY, 6, false);
        String text = text();
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
            packets.add(FlowPackets.once("1", 1, LEFT, RIGHT, Opcode.RC_SEND_ONLY, 0x100, 500 + i, true, -1, 8, -1, -1, null, null, "",
                false, ""));
            packets.add(FlowPackets.once("2", 2, LEFT, RIGHT, Opcode.RC_SEND_ONLY, 0x200, 900 + i, true, -1, 8, -1, -1, null, null, "",
                false, ""));
            packets.add(FlowPackets.once("3", 3, RIGHT, LEFT, Opcode.RC_ACKNOWLEDGE, 0x902, 900 + i, false, ACK, 0, -1, -1, null, null, "",
                false, ""));
            packets.add(FlowPackets.once("4", 4, RIGHT, LEFT, Opcode.RC_ACKNOWLEDGE, 0x501, 500 + i, false, ACK, 0, -1, -1, null, null, "",
                false, ""));
        }
        List<String> names = new ArrayList<>();
        connections().forEach(connection -> names.add(connection.leftName() + " " + connection.rightName()));
        assertEquals(List.of("10.0.0.1 qpn 0x501 10.0.0.2 qpn 0x100", "10.0.0.1 qpn 0x902 10.0.0.2 qpn 0x200"), names);
        assertTrue(connections().get(0).involves(0x501));
        assertFalse(connections().get(0).involves(0x200));
    }

    @Test
    void longRunsOfOrdinaryPacketsAreLeftOutWithoutVerbose() {
        for (int psn = 0; psn < 100; psn++) {
            right(Opcode.RC_SEND_ONLY, psn, true);
            left(Opcode.RC_ACKNOWLEDGE, psn, ACK);
        }
        assertTrue(text().contains(": 196 ordinary packets"), text());
        assertTrue(text(packets, 0, true).lines().count() > 200);
    }

    @Test
    void aRefusalOfConnectionManagementIsRemarked() {
        packets.add(FlowPackets.once("1", 1, LEFT, RIGHT, Opcode.UD_SEND_ONLY, 1, 5, false, -1, 256, -1, 1, null, "CM REQ", "", false, ""));
        packets.add(FlowPackets.once("2", 2, RIGHT, LEFT, Opcode.UD_SEND_ONLY, 1, 9, false, -1, 256, -1, 1, null, "CM REJ",
            "reason 8 (invalid service ID)", false, ""));
        assertTrue(text().contains("- CM REJ 000009|  reason 8 (invalid service ID)\n"), text());
    }

    @Test
    void aDiagramThatDoesNotFitTheMemoryOfItsTextIsPrintedWhole() {
        for (int psn = 0; psn < 5000; psn++) {
            right(Opcode.RC_SEND_ONLY, psn, true);
            left(Opcode.RC_ACKNOWLEDGE, psn, ACK);
        }
        List<String> drawn = text(packets, 0, true).lines().filter(line -> line.contains("|SEND ")).toList();
        assertEquals(5000, drawn.size());
        for (int psn = 0; psn < drawn.size(); psn++) {
            assertTrue(drawn.get(psn).contains("|SEND " + String.format("%06x", psn) + " -"), drawn.get(psn));
        }
    }

    @Test
    void copiesOfAReadRequestAreNoRetransmissions() {
        for (int copy = 0; copy < 3; copy++) {
            packets.add(new FlowPacket(Integer.toString(++frames), ++nowNs, LEFT, RIGHT, Opcode.RC_RDMA_READ_REQUEST, RIGHT_QPN, 100,
                true, -1, 0, 1024, -1, null, null, "", false, "", true, FlowPacket.Details.NONE));
        }
        packet(true, Opcode.RC_RDMA_READ_REQUEST, 100, true, -1, 1024);
        assertEquals("...R", letters());
    }
}
