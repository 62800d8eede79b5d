package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.rnr;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.sendOnly;
import static io.rxe.qp.PeerPacket.writeOnly;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.device.NicInspection;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.GapReport;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rules G1 to G3, the side of the receiver: who gets the mark and reports, what they say, and when they leave. */
public class GapReportRulesTest {
    /** A WRITE with the mark. */
    private static PeerPacket write(int psn) {
        return writeOnly(psn, 8).marked();
    }

    /** A trace whose peer is known: its first request, PSN 100, was executed. */
    private static Trace known(TraceSetup setup) {
        return known(setup, 0x100);
    }

    private static Trace known(TraceSetup setup, int psn) {
        Trace trace = setup.open();
        trace.peerSends(write(psn).ackReq()).expect(ack(psn).marked(true).noReport());
        return trace;
    }

    private static Trace known() {
        return known(Trace.inRts());
    }

    @Test
    @DisplayName("G1 K13 a peer without the mark gets neither mark nor report: a NAK names its gap")
    void anUnknownPeerGetsNothing() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100).marked(false).noReport());
        trace.peerSends(writeOnly(0x102, 8)).expect(sequenceNak(0x101).marked(false));
        trace.peerSends(writeOnly(0x100, 8)).expect(ack(0x100).marked(false).noReport());
        assertEquals(0, trace.counter(NicCounter.SENT_GAP_REPORTS));
    }

    @Test
    @DisplayName("G1 every kind of response to a peer with the mark has it: READ responses, atomics, RNR NAKs, NAKs, ACKs")
    void everyResponseHasTheMark() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(sendOnly(0x100, 8).marked()).expect(rnr(0x100, 12).marked(true));
        trace.peerSends(read(0x100, 1500).marked()).expect(readFirst(0x100).marked(true), readLast(0x101).marked(true));
        trace.peerSends(PeerPacket.fetchAdd(0x102, 1).marked()).expect(FrameExpectation.atomicAck(0x102, 0x362F_2821_1A13_0C05L)
            .marked(true));
        trace.peerSends(PeerPacket.atomicWrite(0x103).marked()).expect(readOnly(0x103).marked(true));
        trace.peerSends(PeerPacket.writeMiddle(0x104, 1024).marked()).expect(FrameExpectation.nak(0x104, 0x61).marked(true));
    }

    @Test
    @DisplayName("G8 K13 a response to a known peer tells how long its request may have waited, any other response nothing")
    void responsesTellTheHostDelay() {
        Trace trace = Trace.inRts().open();
        trace.engine.hostDelay().onReceive(60_000);
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100).hostDelay(0));
        trace.peerSends(write(0x101).ackReq()).expect(ack(0x101).hostDelay(5));
        trace.engine.hostDelay().onReceive(5_000);
        trace.peerSends(read(0x102, 1500).marked()).expect(readFirst(0x102).hostDelay(0), readLast(0x103));
        trace.engine.hostDelay().onReceive(20_000);
        trace.peerSends(read(0x104, 8).marked()).expect(readOnly(0x104).hostDelay(2));
    }

    @Test
    @DisplayName("G1 the NAK for a lost first request has the mark, and no report: the peer is known when a request arrives in order")
    void theFirstRequestIsLost() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x102)).expect(sequenceNak(0x100).marked(true)).expectNothing();
        trace.peerSends(write(0x100)).expect(ack(0x100).report("101+1 end 103", 0)).expectNothing();
        trace.peerSends(write(0x101).ackReq()).expect(ack(0x102).noReport()).expectNothing();
    }

    @Test
    @DisplayName("G1 a mark behind a gap may be forged: it brings no report, and what follows in order counts")
    void aForgedMarkBringsNoReport() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100).marked(false));
        trace.peerSends(write(0x102)).expect(sequenceNak(0x101));
        trace.peerSends(writeOnly(0x101, 8).ackReq()).expect(ack(0x102).noReport());
        trace.peerSends(writeOnly(0x104, 8)).expect(sequenceNak(0x103)).expectNothing();
        assertEquals(0, trace.counter(NicCounter.SENT_GAP_REPORTS));
    }

    @Test
    @DisplayName("G1 G3 a peer that stops to set the mark gets NAKs again")
    void aPeerThatStopsIsUnknownAgain() {
        Trace trace = known();
        trace.peerSends(writeOnly(0x101, 8).ackReq()).expect(ack(0x101).noReport());
        trace.peerSends(writeOnly(0x103, 8)).expect(sequenceNak(0x102)).expectNothing();
    }

    @Test
    @DisplayName("G1 a new connection knows nothing of the peer before it")
    void aNewConnectionStartsWithoutMarks() {
        Trace trace = known();
        trace.peerSends(write(0x102)).expect(ack(0x100).report("101+1 end 103", 0));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.pair.modify(QueuePairAttributes.toInit(trace.setup.access));
        trace.pair.modify(trace.toRtr());
        trace.pair.modify(trace.toRts());
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100).marked(false).noReport());
        trace.peerSends(writeOnly(0x102, 8)).expect(sequenceNak(0x101).marked(false)).expectNothing();
    }

    @Test
    @DisplayName("G2 G3 each request behind a gap brings a report of all gaps, with an ACK of the last executed; no NAK and no delay")
    void allGapsAreReported() {
        Trace trace = known();
        trace.peerSends(write(0x102)).expect(ack(0x100).report("101+1 end 103", 0));
        trace.peerSends(write(0x105)).expect(ack(0x100).report("101+1 103+2 end 106", 0));
        trace.peerSends(write(0x104)).expect(ack(0x100).report("101+1 103+1 end 106", 0));
        trace.peerSends(write(0x101)).expect(ack(0x102).report("103+1 end 106", 0));
        trace.peerSends(write(0x103).ackReq()).expect(ack(0x105).noReport()).expectNothing();
        assertEquals(4, trace.counter(NicCounter.SENT_GAP_REPORTS));
        assertEquals(0, trace.counter(NicCounter.SEND_SEQ_ERR));
    }

    @Test
    @DisplayName("G3 what arrives together brings one report, and an ACK that was asked for carries it")
    void aBatchBringsOneReport() {
        Trace trace = known();
        trace.peerSendsTogether(write(0x101).ackReq(), write(0x103), write(0x105).ackReq(), write(0x101));
        trace.expect(ack(0x101).report("102+1 104+1 end 106", 1)).expectNothing();
    }

    @Test
    @DisplayName("G2 across the wrap of the PSN")
    void acrossTheWrap() {
        Trace trace = Trace.inRts().receivePsn(0xFFFFFE).open();
        trace.peerSends(write(0xFFFFFE)).expectNothing();
        trace.peerSends(write(0)).expect(ack(0xFFFFFE).report("ffffff+1 end 1", 0));
        trace.peerSends(write(3)).expect(ack(0xFFFFFE).report("ffffff+1 1+2 end 4", 0));
    }

    @Test
    @DisplayName("G2 of more than 120 gaps the first 120 are told, and the end is the start of the next")
    void asManyGapsAsFitAreTold() {
        Trace trace = known();
        PeerPacket[] odd = new PeerPacket[125];
        StringBuilder gaps = new StringBuilder();
        for (int i = 0; i < odd.length; i++) {
            odd[i] = write(0x102 + 2 * i);
            gaps.append(i < GapReport.MAX_GAPS ? Integer.toHexString(0x101 + 2 * i) + "+1 " : "");
        }
        trace.peerSendsTogether(odd).expect(ack(0x100).report(gaps + "end 1f1", 0)).expectNothing();
    }

    @Test
    @DisplayName("G2 a kept READ request covers its responses")
    void aKeptReadCoversItsResponses() {
        Trace trace = known();
        trace.peerSends(read(0x102, 3000).marked()).expect(ack(0x100).report("101+1 end 105", 0));
        trace.peerSends(write(0x105)).expect(ack(0x100).report("101+1 end 106", 0));
        trace.peerSends(write(0x108)).expect(ack(0x100).report("101+1 106+2 end 109", 0));
    }

    @Test
    @DisplayName("G3 K1 P5 before the first SEND or WRITE the PSN is the one before the first request, behind READs too")
    void beforeTheFirstSend() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 8).marked()).expect(readOnly(0x100).marked(true));
        trace.peerSends(write(0x102)).expect(ack(0xFF).report("101+1 end 103", 0)).expectNothing();
    }

    @Test
    @DisplayName("G3 a report leaves before READ responses that are due, unless the last WRITE is behind that READ")
    void aReportDoesNotWaitForReads() {
        Trace trace = known();
        trace.peerSendsTogether(read(0x101, 1500).marked(), write(0x104));
        trace.expect(ack(0x100).report("103+1 end 105", 0), readFirst(0x101), readLast(0x102)).expectNothing();
        trace.peerSends(write(0x103).ackReq()).expect(ack(0x104));
        trace.peerSendsTogether(read(0x105, 8).marked(), write(0x106), write(0x108));
        trace.expect(readOnly(0x105), ack(0x106).report("107+1 end 109", 0)).expectNothing();
    }

    @Test
    @DisplayName("G3 a duplicate brings a report, with or without a gap; its number is that of all duplicates")
    void duplicatesAreCounted() {
        Trace trace = known();
        trace.peerSends(write(0x100)).expect(ack(0x100).report("end 101", 1));
        trace.peerSends(write(0x102), write(0x102)).expect(ack(0x100).report("101+1 end 103", 1), ack(0x100).report("101+1 end 103", 2));
        trace.peerSends(write(0x101).ackReq()).expect(ack(0x102).noReport());
        trace.peerSends(writeOnly(0x102, 0).at(0).key(0).marked().ackReq()).expect(ack(0x102).noReport()).expectNothing();
    }

    @Test
    @DisplayName("G3 R3 kept requests that are dropped because two differ are revoked by one plain NAK")
    void aConflictIsRevoked() {
        Trace trace = known(Trace.inRts().hostilePeer());
        trace.peerSends(write(0x102)).expect(ack(0x100).report("101+1 end 103", 0));
        trace.peerSends(write(0x102).at(Trace.BASE + 64)).expect(sequenceNak(0x101).marked(true), ack(0x100).report("end 101", 0));
        trace.expectNothing();
        trace.peerSends(write(0x101), write(0x102).ackReq()).expect(ack(0x102).noReport()).expectNothing();
    }

    @Test
    @DisplayName("G3 kept requests whose gap does not move for a second are revoked by one plain NAK")
    void anExpiryIsRevoked() {
        Trace trace = known();
        trace.peerSends(write(0x102)).expect(ack(0x100).report("101+1 end 103", 0));
        trace.advance(1, TimeUnit.SECONDS).expect(sequenceNak(0x101)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.REORDER_EXPIRED));
        assertEquals(0, NicInspection.reorderBytesInUse(trace.nic));
    }

    @Test
    @DisplayName("G3 R3 a bad kept request is revoked by one plain NAK; what is kept behind it is told again")
    void aDoubtedRequestIsRevoked() {
        Trace trace = known(Trace.inRts().hostilePeer());
        trace.peerSends(write(0x102).key(~Trace.KEY), write(0x103));
        trace.expect(ack(0x100).report("101+1 end 103", 0), ack(0x100).report("101+1 end 104", 0));
        trace.peerSends(write(0x101)).expect(sequenceNak(0x102), ack(0x101).report("102+1 end 104", 0)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.KEPT_REQUEST_DOUBTED));
    }

    @Test
    @DisplayName("G3 a revocation that finds the sink full names the PSN that is expected when it leaves")
    void aLateRevocationIsUpToDate() {
        Trace trace = known(Trace.inRts().hostilePeer());
        trace.peerSends(write(0x102)).expect(ack(0x100).report("101+1 end 103", 0));
        trace.sink.room(0);
        trace.peerSends(write(0x102).at(Trace.BASE + 64), write(0x101));
        trace.sink.room(10);
        trace.run().expect(sequenceNak(0x102), ack(0x101).report("end 102", 0)).expectNothing();
    }

    @Test
    @DisplayName("G3 R8 behind an RNR NAK nothing is kept and nothing is reported")
    void nothingIsReportedBehindAnRnrNak() {
        Trace trace = known();
        trace.peerSends(sendOnly(0x101, 8).marked()).expect(rnr(0x101, 12).marked(true));
        trace.peerSends(write(0x103)).expectNothing();
        trace.postsReceives(64).expect(ack(0x100).noReport());
        trace.peerSends(sendOnly(0x101, 8).marked().ackReq()).expect(ack(0x101).noReport()).expectNothing();
    }

    @Test
    @DisplayName("G2 R1 of a known peer 65,536 PSNs are kept from the expected one on, of any other 1024; room says how many can be")
    void theWindowOfAKnownPeerIsLong() {
        Trace trace = known(Trace.inRts().mtu(PathMtu.MTU_256));
        trace.peerSends(write(0x101 + 0xFFFF)).expect(ack(0x100).report("101+65535 end 10101", 0).room(65_536));
        trace.peerSends(write(0x101 + 0x10000)).expect(ack(0x100).report("101+65535 end 10101", 0));
        assertEquals(1, trace.dropped(DropReason.PSN_GAP));
        Trace other = Trace.inRts().mtu(PathMtu.MTU_256).open();
        other.peerSends(writeOnly(0x100, 8), writeOnly(0x101 + 1023, 8)).expect(sequenceNak(0x101));
        assertEquals(0, other.dropped(DropReason.PSN_GAP));
        other.peerSends(writeOnly(0x101 + 1024, 8)).expectNothing();
        assertEquals(1, other.dropped(DropReason.PSN_GAP));
    }

    @Test
    @DisplayName("G2 room follows what the frame pool has left, and one that is full keeps no more; the report still says what arrived")
    void roomIsBoundedByThePool() {
        Trace trace = known(Trace.inRts().mtu(PathMtu.MTU_4096).reorderBytes(3 << 18).memoryBytes(1 << 16));
        int kept = 0;
        int room = 1 << 16;
        for (int psn = 0x102; trace.dropped(DropReason.REORDER_BUFFER_FULL) == 0; psn++) {
            trace.peerSends(writeOnly(psn, 4096).marked());
            SentFrame report = trace.next();
            room = Integer.parseInt(report.report().replaceFirst(".* room ", ""));
            kept += trace.dropped(DropReason.REORDER_BUFFER_FULL) == 0 ? 1 : 0;
            assertEquals("101+1 end " + Integer.toHexString(0x102 + kept) + " duplicates 0 room " + room, report.report());
            assertTrue(Math.abs(room - (1 << 18) / 4224) <= 1, room + " behind " + kept);
        }
        assertEquals(kept, room);
        trace.peerSends(write(0x101).ackReq()).expect(ack(0x101 + kept).noReport());
        assertEquals(0, NicInspection.reorderBytesInUse(trace.nic));
    }

    @Test
    @DisplayName("G2 G3 whatever arrives in whatever order, each report says what has arrived, and how often something came twice")
    void everyReportIsRight() {
        Trace trace = known(Trace.inRts().receivePsn(0xFFFF00).hostilePeer(), 0xFFFF00);
        Random random = new Random(3);
        TreeSet<Integer> kept = new TreeSet<>();
        int expected = 1;
        int duplicates = 0;
        for (int step = 0; step < 3_000; step++) {
            int at = Math.max(0, expected + random.nextInt(random.nextInt(10) == 0 ? 60 : 6) - 1);
            boolean isNews = at >= expected && kept.add(at);
            duplicates += isNews ? 0 : 1;
            boolean isBehindGap = at > expected;
            while (kept.remove(expected)) {
                expected++;
            }
            trace.peerSends(write(0xFFFF00 + at & 0xFFFFFF));
            if (!isNews || isBehindGap || !kept.isEmpty()) {
                trace.expect(ack(0xFFFF00 + expected - 1).report(saying(expected, kept), duplicates));
            }
            trace.expectNothing();
        }
        assertTrue(duplicates > 500, duplicates + " duplicates");
        assertEquals(0, trace.counter(NicCounter.SEND_SEQ_ERR));
    }

    /** Gaps and end of what is kept behind the expected request, counted from PSN FFFF00. */
    private static String saying(int expected, TreeSet<Integer> kept) {
        StringBuilder text = new StringBuilder();
        int at = expected;
        int gaps = 0;
        for (int one : kept) {
            if (one > at && gaps++ == 16) {
                break;
            }
            text.append(one > at ? Integer.toHexString(0xFFFF00 + at & 0xFFFFFF) + "+" + (one - at) + " " : "");
            at = one + 1;
        }
        return text + "end " + Integer.toHexString(0xFFFF00 + at & 0xFFFFFF);
    }

    @Test
    @DisplayName("G2 G3 R1 a hostile peer with the mark: any request anywhere; reports stay well-formed and memory within the peer's share")
    void aHostilePeerWithTheMark() {
        long bytes = 1 << 16;
        Trace trace = known(Trace.inRts().reorderBytes(bytes).hostilePeer());
        Random random = new Random(4);
        for (int step = 0; step < 20_000 && trace.pair.state() == QueuePairState.RTS; step++) {
            int psn = 0x101 + 1 + random.nextInt(1 << random.nextInt(18));
            PeerPacket packet = switch (random.nextInt(4)) {
                case 0 -> read(psn, random.nextInt(4) == 0 ? 0xFFFF_FFFFL : random.nextInt(1 << 20));
                case 1 -> PeerPacket.fetchAdd(psn, 1);
                case 2 -> writeOnly(psn, random.nextInt(1024)).key(random.nextInt());
                default -> sendOnly(psn, random.nextInt(1024));
            };
            trace.peerSends(random.nextInt(10) == 0 ? packet : packet.marked());
            for (SentFrame frame : trace.takeAll()) {
                assertNotEquals("malformed", frame.report(), frame::toString);
            }
            assertTrue(NicInspection.reorderBytesInUse(trace.nic) <= bytes / 3 + 1152, "a third, and the frame that was taken last");
        }
        trace.expectState(QueuePairState.RTS);
        assertTrue(trace.counter(NicCounter.SENT_GAP_REPORTS) > 10_000);
        assertTrue(trace.dropped(DropReason.REORDER_BUFFER_FULL) > 0);
    }
}
