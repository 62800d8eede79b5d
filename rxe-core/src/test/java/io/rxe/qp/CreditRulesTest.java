package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.atomicAck;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.rnr;
import static io.rxe.qp.FrameExpectation.sendFirst;
import static io.rxe.qp.FrameExpectation.sendLast;
import static io.rxe.qp.FrameExpectation.sendMiddle;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.FrameExpectation.writeFirst;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.readOnly;
import static io.rxe.qp.PeerPacket.rnrOf;
import static io.rxe.qp.Trace.BASE;
import static io.rxe.qp.Trace.KEY;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Opcode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** End-to-end credits: a requester obeys those of the peer (rule Q15), a responder gives them (rule R19). */
class CreditRulesTest {
    private static final int MTU = 1024;

    @Test
    @DisplayName("Q15 credit code 31 means no flow control")
    void unlimitedCreditsLimitNothing() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).msn(1).credits(0));
        trace.posts(send(8), send(8)).expectNothing();
        trace.peerSends(ackOf(0x100).msn(1).credits(31)).expect(sendOnly(0x101), sendOnly(0x102));
        trace.posts(send(8), send(8)).expect(sendOnly(0x103), sendOnly(0x104));
    }

    @Test
    @DisplayName("Q15 without credits and without a grant one packet is sent at a time, with AckReq; WRITEs and READs need no credits")
    void withoutCreditsOnePacketGoesAtATime() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).msn(1).credits(1));
        trace.posts(send(8), write(8), read(8), send(2000));
        trace.expect(sendOnly(0x101), writeOnly(0x102), readRequest(0x103, 8)).expectNothing();
        trace.peerSends(ackOf(0x102).msn(3).credits(0), readOnly(0x103, 8).msn(4).credits(0));
        trace.expectNothing();
        trace.advance(199, TimeUnit.MILLISECONDS).expectNothing();
        trace.advance(1, TimeUnit.MILLISECONDS).expect(sendFirst(0x104).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x104).msn(4).credits(0)).expect(sendLast(0x105).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x105).msn(5).credits(2));
        trace.posts(send(8), send(8), send(8)).expect(sendOnly(0x106), sendOnly(0x107)).expectNothing();
    }

    @Test
    @DisplayName("Q15 credits that run out in the middle of a message stop nothing: no response is due that could bring more")
    void creditsThatRunOutInAMessageDoNotStopIt() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(2);
        trace.posts(send(8), send(3 * MTU)).expect(sendOnly(0x100).ackReq(), sendFirst(0x101).noAckReq()).expectNothing();
        trace.peerSends(ackOf(0x100).msn(1).credits(0));
        trace.sink.room(8);
        trace.run().expect(sendMiddle(0x102).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x102).msn(1).credits(0)).expect(sendLast(0x103).ackReq());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    @DisplayName("Q15 the table of credit codes")
    void creditCodesMeanAsManyMessages(int code) {
        int[] credits = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).msn(1).credits(31));
        for (int i = 0; i < 100; i++) {
            trace.posts(send(8));
            trace.peerSends(ackOf(0x101 + i).msn(2 + i).credits(31));
        }
        trace.takeAll();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x165).msn(102).credits(code));
        for (int i = 0; i < 70; i++) {
            trace.posts(send(8));
        }
        assertEquals(credits[code], trace.takeAll().size());
    }

    @Test
    @DisplayName("Q15 R15 each request of a long READ counts as a message, as in the peer's MSN")
    void chunksOfAReadCountAsMessages() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(33 * MTU)).expect(readRequest(0x100, 32 * MTU));
        for (int i = 0; i < 32; i++) {
            int psn = 0x100 + i;
            trace.peerSends(i == 0 ? PeerPacket.readFirst(psn, MTU).msn(1)
                : i == 31 ? PeerPacket.readLast(psn, MTU).msn(1) : PeerPacket.readMiddle(psn, MTU));
        }
        trace.expect(readRequest(0x120, MTU));
        trace.peerSends(readOnly(0x120, MTU).msn(2).credits(1)).expectCompletion(1, SUCCESS);
        trace.posts(send(8), send(8), send(8)).expect(sendOnly(0x121)).expectNothing();
        trace.peerSends(ackOf(0x121).msn(3).credits(2)).expect(sendOnly(0x122), sendOnly(0x123));
    }

    @Test
    @DisplayName("Q15 before the peer has given credits, sixteen messages may be sent")
    void theFirstFlightIsBounded() {
        Trace trace = Trace.inRts().open();
        for (int i = 0; i < 20; i++) {
            trace.posts(send(8));
        }
        assertEquals(16, trace.takeAll().size());
        trace.peerSends(ackOf(0x100).msn(1).credits(31));
        assertEquals(4, trace.takeAll().size());
    }

    @Test
    @DisplayName("Q15 a peer that gives no credits, as connection management says, is never waited for, whatever its ACKs carry")
    void aPeerWithoutCreditsIsNotWaitedFor() {
        Trace trace = Trace.inRts().in(QueuePairState.RTR).open();
        trace.pair.modify(QueuePairAttributes.toReadyToSend(0x100).endToEndCredits(false));
        assertFalse(trace.pair.query().isEndToEndCredits());
        for (int i = 0; i < 20; i++) {
            trace.posts(send(8));
        }
        assertEquals(20, trace.takeAll().size());
        trace.peerSends(ackOf(0x113).msn(20).credits(0));
        trace.posts(send(8), send(8)).expect(sendOnly(0x114), sendOnly(0x115)).expectNothing();
        assertEquals(0, trace.counter(NicCounter.CREDIT_WAITS));
    }

    @Test
    @DisplayName("Q15 a grant ends the wait at once, for as many messages as it says; it costs no RNR NAK")
    void aGrantEndsTheWait() {
        Trace trace = outOfCredits(3);
        trace.advance(150, TimeUnit.MILLISECONDS).expectNothing();
        trace.peerSends(ackOf(0x100).msn(1).credits(2)).expect(sendOnly(0x101), sendOnly(0x102)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.CREDIT_WAITS));
        assertEquals(1, trace.counter(NicCounter.RCVD_CREDIT_GRANTS));
    }

    /** One message is acknowledged with no credit left; these many more are posted. */
    private static Trace outOfCredits(int posts) {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100).msn(1).credits(0));
        for (int i = 0; i < posts; i++) {
            trace.posts(send(8));
        }
        return trace.expectNothing();
    }

    @Test
    @DisplayName("Q15 a peer that takes the packet after the wait did not grant: it is not waited for again, until it grants")
    void aPeerThatDoesNotGrantIsNotWaitedFor() {
        Trace trace = outOfCredits(4);
        trace.advance(200, TimeUnit.MILLISECONDS).expect(sendOnly(0x101)).expectNothing();
        trace.peerSends(ackOf(0x101).msn(2).credits(0)).expect(sendOnly(0x102).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x102).msn(3).credits(0)).expect(sendOnly(0x103).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x103).msn(4).credits(0)).expect(sendOnly(0x104).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x104).msn(5).credits(0), ackOf(0x104).msn(5).credits(1));
        trace.posts(send(8), send(8)).expect(sendOnly(0x105)).expectNothing();
        trace.peerSends(ackOf(0x105).msn(6).credits(0)).expectNothing();
    }

    @Test
    @DisplayName("Q15 an RNR NAK after the wait shows that the peer had nothing to grant: the next message waits again")
    void aPeerThatIsNotReadyIsWaitedFor() {
        Trace trace = outOfCredits(2);
        trace.advance(200, TimeUnit.MILLISECONDS).expect(sendOnly(0x101)).expectNothing();
        trace.peerSends(rnrOf(0x101, 12).msn(1)).expectNothing();
        trace.advance(640, TimeUnit.MICROSECONDS).expect(sendOnly(0x101));
        trace.peerSends(ackOf(0x101).msn(2).credits(0)).expectNothing();
        trace.advance(199, TimeUnit.MILLISECONDS).expectNothing();
        trace.advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(0x102));
    }

    @Test
    @DisplayName("Q15 a credit is never taken back: a count that was rounded down leaves the limit where it was")
    void creditsAreNotTakenBack() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).msn(1).credits(5));
        trace.posts(send(8)).expect(sendOnly(0x101));
        trace.peerSends(ackOf(0x101).msn(2).credits(4));
        trace.posts(send(8), send(8), send(8), send(8), send(8), send(8));
        trace.expect(sendOnly(0x102), sendOnly(0x103), sendOnly(0x104), sendOnly(0x105), sendOnly(0x106)).expectNothing();
    }

    @Test
    @DisplayName("Q15 forged credits: an ACK of a PSN that was not sent brings none; what a lie brings costs RNR NAKs and never a stall")
    void forgedCredits() {
        Trace trace = outOfCredits(4);
        trace.peerSends(ackOf(0x500).msn(2).credits(30), ackOf(0x101).msn(2).credits(30)).expectNothing();
        trace.peerSends(ackOf(0x100).msn(0x7F_FF00).credits(30));
        trace.expect(sendOnly(0x101), sendOnly(0x102), sendOnly(0x103), sendOnly(0x104)).expectNothing();
        trace.peerSends(rnrOf(0x101, 12).msn(1)).expectNothing();
        trace.advance(640, TimeUnit.MICROSECONDS).expect(sendOnly(0x101), sendOnly(0x102), sendOnly(0x103), sendOnly(0x104));
        trace.peerSends(ackOf(0x104).msn(5).credits(0));
        trace.posts(send(8)).expect(sendOnly(0x105)).expectNothing();
        trace.peerSends(ackOf(0x105).msn(6).credits(0));
        trace.posts(send(8)).expect(sendOnly(0x106)).expectNothing();
    }

    @Test
    @DisplayName("Q15 a WRITE with immediate needs its credit at the last packet")
    void aWriteWithImmediateWaitsAtItsEnd() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100).msn(1).credits(0));
        trace.posts(new WorkRequest().writeWithImmediate(0x5000_0000L, 0x99, 7).add(BASE, 2 * MTU, KEY));
        trace.expect(writeFirst(0x101).ackReq()).expectNothing();
        trace.peerSends(ackOf(0x101).msn(1).credits(0)).expectNothing();
        trace.peerSends(ackOf(0x101).msn(1).credits(1));
        trace.expect(FrameExpectation.frame(Opcode.RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 0x102)).expectNothing();
    }

    @Test
    @DisplayName("R19 every positive AETH carries the receive requests left, rounded down to a code")
    void everyPositiveResponseTellsTheCredits() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64, 64, 64, 64, 64, 64);
        trace.peerSends(PeerPacket.sendOnly(0x100, 8).ackReq()).expect(ack(0x100).msn(1).credits(4));
        trace.peerSends(PeerPacket.read(0x101, 8)).expect(FrameExpectation.readOnly(0x101).msn(2).credits(4));
        trace.peerSends(PeerPacket.sendOnly(0x102, 8).ackReq()).expect(ack(0x102).msn(3).credits(4));
        trace.peerSends(PeerPacket.fetchAdd(0x103, 1)).expect(atomicAck(0x103, trace.memory.getLong(0) - 1).msn(4).credits(4));
        trace.peerSends(PeerPacket.sendOnly(0x104, 8).ackReq(), PeerPacket.sendOnly(0x105, 8).ackReq());
        trace.expect(ack(0x104).credits(3), ack(0x105).credits(2)).expectNothing();
    }

    @Test
    @DisplayName("R19 the receive request of the message in progress counts until its end")
    void theMessageInProgressKeepsItsCredit() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(4096, 4096);
        trace.peerSends(PeerPacket.sendFirst(0x100, MTU).ackReq()).expect(ack(0x100).msn(0).credits(2));
        trace.peerSends(PeerPacket.sendLast(0x101, 8).ackReq()).expect(ack(0x101).msn(1).credits(1));
    }

    @Test
    @DisplayName("R19 receives posted while the peer has no credit are granted at once by an unsolicited ACK")
    void postedReceivesAreGranted() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64).expectNothing();
        trace.peerSends(PeerPacket.sendOnly(0x100, 8).ackReq()).expect(ack(0x100).msn(1).credits(0)).expectNothing();
        trace.postsReceives(64).expect(ack(0x100).msn(1).credits(1)).expectNothing();
        trace.postsReceives(64, 64).expectNothing();
        trace.postsReceives(64).expect(ack(0x100).msn(1).credits(4)).expectNothing();
        trace.postsReceives(64, 64, 64, 64, 64, 64, 64, 64).expectNothing();
        assertEquals(2, trace.counter(NicCounter.SENT_CREDIT_GRANTS));
    }

    @Test
    @DisplayName("R19 P5 a grant before the first SEND or WRITE has the PSN before the first request")
    void theFirstGrantLiesBeforeTheFirstRequest() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(PeerPacket.read(0x100, 8)).expect(FrameExpectation.readOnly(0x100).credits(0));
        trace.postsReceives(64).expect(ack(0xFF).msn(1).credits(1)).expectNothing();
    }

    @Test
    @DisplayName("R19 R8 Q15 a grant behind an RNR NAK shows the peer that waiting pays, and nothing else changes")
    void aGrantFollowsAnRnrNak() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64);
        trace.peerSends(PeerPacket.sendOnly(0x100, 8).ackReq(), PeerPacket.sendOnly(0x101, 8).ackReq());
        trace.expect(ack(0x100).credits(0), rnr(0x101, 12)).expectNothing();
        trace.postsReceives(64, 64).expect(ack(0x100).credits(2)).expectNothing();
        trace.peerSends(PeerPacket.sendOnly(0x101, 8).ackReq()).expect(ack(0x101).credits(1)).expectNothing();
    }

    @Test
    @DisplayName("R19 a queue pair that fails or is reset grants nothing")
    void aFailedQueuePairGrantsNothing() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64);
        trace.peerSends(PeerPacket.sendOnly(0x100, 8).ackReq()).expect(ack(0x100).credits(0));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.postsReceives(64).expectNothing();
    }
}
