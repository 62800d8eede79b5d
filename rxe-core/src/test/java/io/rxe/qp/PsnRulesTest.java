package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.frame;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.sendFirst;
import static io.rxe.qp.FrameExpectation.sendLast;
import static io.rxe.qp.FrameExpectation.sendMiddle;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.FrameExpectation.writeFirst;
import static io.rxe.qp.FrameExpectation.writeLast;
import static io.rxe.qp.FrameExpectation.writeMiddle;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.nakOf;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.wire.Syndrome.PSN_SEQUENCE_ERROR;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.qp.send.SendState;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules P1 to P7: the PSNs of requests, and which responses are accepted. */
class PsnRulesTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x123456, 0xFFFFFF})
    @DisplayName("P1 the first request carries the start PSN, which the application or the connection manager chooses")
    void theFirstRequestCarriesTheStartPsn(int psn) {
        Trace trace = Trace.inRts().sendPsn(psn).open();
        trace.posts(send(8)).expect(sendOnly(psn).ackReq()).expectNothing();
    }

    @Test
    @DisplayName("P2 next PSN = previous + 1, after a READ + its response packets; zero-length counts one")
    void everyRequestTakesAsManyPsnsAsItHasPackets() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(0), write(3000), read(5000), read(0), Trace.fetchAdd(1), read(1024), send(8));
        trace.expect(sendOnly(0x100).payload(0), writeFirst(0x101), writeMiddle(0x102), writeLast(0x103), readRequest(0x104, 5000),
            readRequest(0x109, 0), frame(Opcode.RC_FETCH_ADD, 0x10A), readRequest(0x10B, 1024), sendOnly(0x10C)).expectNothing();
    }

    @Test
    @DisplayName("P3 PSNs wrap, and comparisons follow")
    void psnsWrap() {
        Trace trace = Trace.inRts().sendPsn(0xFFFFF0).open();
        trace.peerSends(ackOf(0xFFFFEF).msn(0).credits(31));
        for (int i = 0; i < 32; i++) {
            trace.posts(send(8)).expect(sendOnly(0xFFFFF0 + i));
        }
        trace.peerSends(ackOf(0xFFFFFF));
        for (int i = 1; i <= 16; i++) {
            trace.expectCompletion(i, SUCCESS);
        }
        trace.expectNoCompletion();
        trace.peerSends(ackOf(0xF));
        for (int i = 17; i <= 32; i++) {
            trace.expectCompletion(i, SUCCESS);
        }
        trace.expectNoCompletion();
    }

    @Test
    @DisplayName("P3 a READ across the wrap")
    void aReadAcrossTheWrap() {
        Trace trace = Trace.inRts().sendPsn(0xFFFFFF).open();
        trace.posts(read(3000)).expect(readRequest(0xFFFFFF, 3000));
        trace.peerSends(PeerPacket.readFirst(0xFFFFFF, 1024), PeerPacket.readMiddle(0, 1024), PeerPacket.readLast(1, 952));
        trace.expectCompletion(1, SUCCESS);
        trace.expectMemory(1024, PeerPacket.payloadOf(0, 1024));
        trace.posts(send(1)).expect(sendOnly(2));
    }

    @Test
    @DisplayName("P4 the longest READ, 2^31 bytes at MTU 256, never requests 2^23 PSNs at once")
    void theUnackedRegionStaysBelowHalfTheCircle() {
        Trace trace = Trace.inRts().mtu(PathMtu.MTU_256).maxRdAtomic(128).memoryBytes(1 << 26).open();
        WorkRequest longest = new WorkRequest().read(0, 0x99);
        for (int i = 0; i < 32; i++) {
            longest.add(Trace.BASE, 1 << 26, Trace.KEY);
        }
        trace.posts(longest, read(8));
        long asked = 0;
        for (SentFrame frame : trace.takeAll()) {
            asked += (frame.dmaLength() + 255) / 256;
        }
        assertTrue(asked > 0 && asked < SendState.MAX_UNACKED_PACKETS, () -> "requested too much at once");
        trace.advance(100, TimeUnit.SECONDS);
        trace.expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("P5 a response in the unacked region moves the edge")
    void unackedResponsesCount() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8));
        trace.peerSends(ackOf(0x101));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectNoCompletion();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x104, 0x200, 0x8000FF})
    @DisplayName("P5 a ghost response, for a PSN that was never sent, is dropped without effect")
    void ghostsAreDropped(int psn) {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(ackOf(psn), nakOf(psn, REMOTE_ACCESS_ERROR), nakOf(psn, PSN_SEQUENCE_ERROR), PeerPacket.rnrOf(psn, 1),
            PeerPacket.readOnly(psn, 8), PeerPacket.atomicAckOf(psn, 1));
        trace.expectNothing().expectNoCompletion().expectState(QueuePairState.RTS);
        assertEquals(6, trace.dropped(DropReason.GHOST_RESPONSE));
    }

    @Test
    @DisplayName("Q7 a PSN sequence NAK for the next PSN to be sent acknowledges all before it; other responses to that PSN are ghosts")
    void aSequenceNakForTheNextPsnAcknowledges() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x103), nakOf(0x103, REMOTE_ACCESS_ERROR), PeerPacket.rnrOf(0x103, 1), PeerPacket.readOnly(0x103, 8),
            PeerPacket.atomicAckOf(0x103, 1));
        trace.expectNothing().expectNoCompletion().expectState(QueuePairState.RTS);
        assertEquals(5, trace.dropped(DropReason.GHOST_RESPONSE));
        trace.peerSends(nakOf(0x103, PSN_SEQUENCE_ERROR));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
        trace.peerSends(nakOf(0x103, PSN_SEQUENCE_ERROR));
        trace.expectNothing().expectNoCompletion().expectState(QueuePairState.RTS);
        assertEquals(6, trace.dropped(DropReason.GHOST_RESPONSE), "nothing is outstanding");
    }

    @ParameterizedTest
    @ValueSource(ints = {0xFF, 0x100, 0x101, 0x102 - 0x800000 & 0xFFFFFF})
    @DisplayName("P5 a response in the acked region is dropped without effect")
    void ackedResponsesAreDropped(int psn) {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x101));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.peerSends(ackOf(psn), nakOf(psn, REMOTE_ACCESS_ERROR), nakOf(psn, PSN_SEQUENCE_ERROR), PeerPacket.rnrOf(psn, 1),
            PeerPacket.readOnly(psn, 8), PeerPacket.atomicAckOf(psn, 1));
        trace.expectNothing().expectNoCompletion().expectState(QueuePairState.RTS);
        assertEquals(6, trace.dropped(DropReason.DUPLICATE_RESPONSE));
    }

    @Test
    @DisplayName("P5 Q15 credits are taken from a duplicate acknowledgement before it is dropped")
    void creditsAreHarvestedFromARepeatedAcknowledgement() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100).msn(1).credits(0));
        trace.posts(send(8), send(8), send(8), send(8)).expectNothing();
        trace.peerSends(ackOf(0x100).msn(1).credits(3));
        trace.expect(sendOnly(0x101), sendOnly(0x102), sendOnly(0x103)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.RCVD_CREDIT_GRANTS));
        trace.peerSends(ackOf(0x100).msn(1).credits(3)).expectNothing();
        assertEquals(1, trace.dropped(DropReason.DUPLICATE_RESPONSE));
    }

    @Test
    @DisplayName("P5 Q15 an old acknowledgement does not take credits back")
    void anOldAcknowledgementTakesNoCreditsBack() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100).msn(1).credits(1));
        trace.posts(send(8)).expect(sendOnly(0x101));
        trace.peerSends(ackOf(0x101).msn(2).credits(4), ackOf(0x100).msn(1).credits(1));
        trace.posts(send(8), send(8), send(8)).expect(sendOnly(0x102), sendOnly(0x103), sendOnly(0x104)).expectNothing();
    }

    @Test
    @DisplayName("P5 Q15 an unsolicited acknowledgement before the first request brings the initial credits")
    void initialCreditsComeUnsolicited() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(ackOf(0xFF).msn(0).credits(2));
        trace.posts(send(8), send(8), send(8), send(8));
        trace.expect(sendOnly(0x100), sendOnly(0x101)).expectNothing();
        trace.peerSends(ackOf(0x101).msn(2).credits(1));
        trace.expect(sendOnly(0x102)).expectNothing();
    }

    @Test
    @DisplayName("P6 a message resumed at the point of failure continues with MIDDLE and LAST, without a second RETH")
    void aMessageIsResumedInItsMiddle() {
        Trace trace = Trace.inRts().open();
        trace.posts(write(4096));
        trace.expect(writeFirst(0x100).dmaLength(4096), writeMiddle(0x101), writeMiddle(0x102), writeLast(0x103).ackReq());
        trace.peerSends(nakOf(0x102, PSN_SEQUENCE_ERROR));
        trace.expect(writeMiddle(0x102).bytes(Trace.memoryBytes(2048, 1024)));
        trace.peerSends(ackOf(0x102)).expect(writeLast(0x103).ackReq().bytes(Trace.memoryBytes(3072, 1024))).expectNothing();
        trace.peerSends(ackOf(0x103)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("P6 after a timeout without any response the message is retransmitted from its first packet")
    void aMessageIsResentFromItsStart() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(2050)).expect(sendFirst(0x100), sendMiddle(0x101), sendLast(0x102).ackReq().payload(2));
        trace.advance(300, TimeUnit.MILLISECONDS);
        trace.expect(sendFirst(0x100).bytes(Trace.memoryBytes(0, 1024)), sendMiddle(0x101), sendLast(0x102).ackReq());
    }

    @Test
    @DisplayName("P7 the number of a destroyed queue pair is not used again within the time-wait period")
    void aNumberRestsAfterUse() {
        Trace trace = Trace.inRts().open().run();
        trace.pair.close();
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, trace.completionQueue, trace.completionQueue);
        trace.nextDraws(Trace.QPN, 0x43);
        assertEquals(0x43, trace.domain.createQueuePair(config).number());
        trace.advance(3999, TimeUnit.MILLISECONDS);
        trace.nextDraws(Trace.QPN, 0x44);
        assertEquals(0x44, trace.domain.createQueuePair(config).number());
        trace.advance(2, TimeUnit.MILLISECONDS);
        trace.nextDraws(Trace.QPN);
        assertEquals(Trace.QPN, trace.domain.createQueuePair(config).number());
    }

    @Test
    @DisplayName("P7 numbers come from the injected entropy, are never in use twice, and never 0 or 1")
    void numbersAreUnpredictable() {
        Trace trace = Trace.inRts().open();
        QueuePairConfig config = QueuePairConfig.of(QueuePairType.RC, trace.completionQueue, trace.completionQueue)
            .withRequests(1, 1);
        trace.nextDraws(Trace.QPN, 0, 1, 0xFF000001, 0x7F000002);
        Set<Integer> numbers = new HashSet<>(List.of(Trace.QPN));
        int first = trace.domain.createQueuePair(config).number();
        assertEquals(2, first);
        numbers.add(first);
        int before = first;
        for (int i = 0; i < 100; i++) {
            int number = trace.domain.createQueuePair(config).number();
            assertTrue(number > 1 && number <= 0xFFFFFF && numbers.add(number));
            assertNotEquals(before + 1, number);
            before = number;
        }
        assertFalse(numbers.contains(0));
    }

    @Test
    @DisplayName("P7 packets for a destroyed or reset queue pair are dropped")
    void stalePacketsAreDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.peerSends(ackOf(0x100), PeerPacket.writeOnly(0x100, 8).ackReq()).expectNothing().expectNoCompletion();
        assertEquals(2, trace.dropped(DropReason.QUEUE_PAIR_NOT_READY));
        trace.pair.close();
        trace.peerSends(ackOf(0x100), PeerPacket.writeOnly(0x100, 8).ackReq()).expectNothing();
        assertEquals(2, trace.dropped(DropReason.UNKNOWN_QUEUE_PAIR));
    }

    @Test
    @DisplayName("a foreign peer is not asked for an acknowledgement of each packet, though each acknowledgement lets one packet out")
    void aForeignPeerAcknowledgesSeveralPackets() {
        Trace trace = Trace.inRts().timeout(0).memoryBytes(1 << 20).open();
        trace.posts(send(1 << 20));
        long asked = 0;
        int sent = 0;
        for (int acked = 0; acked < 320;) {
            List<SentFrame> frames = trace.takeAll();
            asked += frames.stream().filter(SentFrame::isAckRequested).count();
            sent += frames.size();
            trace.advance(100, TimeUnit.MICROSECONDS);
            if (acked < sent) {
                trace.peerSends(ackOf(0x100 + acked++));
            }
        }
        assertTrue(2 * asked <= sent, asked + " of " + sent);
    }
}
