package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.atomicAck;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.rnr;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.PeerPacket.fetchAdd;
import static io.rxe.qp.PeerPacket.payloadOf;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.sendOnly;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.counters.NicCounter;
import io.rxe.qp.context.NakDelay;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules R1 to R3 and R15: the order of requests, gaps, and NAKs. */
class ResponderSequenceTest {
    @Test
    @DisplayName("R1 the request with the expected PSN is executed")
    void theExpectedRequestIsExecuted() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 64).at(Trace.BASE + 512).ackReq());
        trace.expect(ack(0x100).msn(1)).expectNothing();
        trace.expectMemory(512, payloadOf(0x100, 64)).expectUntouched(0, 512).expectUntouched(576, 64);
    }

    @Test
    @DisplayName("R1 a request without AckReq gets no response")
    void nothingIsAnsweredUnasked() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 64)).expectNothing();
        trace.peerSends(writeOnly(0x101, 64).ackReq()).expect(ack(0x101).msn(2)).expectNothing();
    }

    @Test
    @DisplayName("R1 K11 a gap gets one NAK with the expected PSN, then no other until the expected PSN arrives")
    void aGapGetsOneNak() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x102, 64).ackReq());
        trace.expect(sequenceNak(0x100).msn(0)).expectNothing();
        trace.peerSends(writeOnly(0x103, 64).ackReq(), writeOnly(0x104, 64).ackReq(), writeOnly(0x102, 64).ackReq()).expectNothing();
        trace.advance(1, TimeUnit.SECONDS).expectNothing();
        assertEquals(1, trace.counter(NicCounter.SEND_SEQ_ERR));
        assertEquals(4, trace.counter(NicCounter.OUT_OF_SEQ_REQUEST));
    }

    @Test
    @DisplayName("R1 a second gap behind the first gets a NAK of its own once the expected PSN arrived")
    void theNextGapGetsANakAgain() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x104, 64).ackReq()).expect(sequenceNak(0x100));
        trace.peerSends(writeOnly(0x100, 64).ackReq());
        trace.expect(sequenceNak(0x101).msn(1)).expectNothing();
    }

    @Test
    @DisplayName("R1 requests kept behind a gap are executed in order when it closes, and acknowledged together")
    void whatWasKeptIsExecutedInOrder() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x102, 64).at(Trace.BASE).ackReq(), writeOnly(0x101, 64).at(Trace.BASE).ackReq());
        trace.expect(sequenceNak(0x100)).expectNothing();
        trace.expectUntouched(0, 64);
        trace.peerSends(writeOnly(0x100, 64).at(Trace.BASE).ackReq());
        trace.expect(ack(0x102).msn(3)).expectNothing();
        trace.expectMemory(0, payloadOf(0x102, 64));
    }

    @Test
    @DisplayName("R1 duplicates are answered while a gap is open, and do not arm another NAK")
    void duplicatesAreAnsweredDuringAGap() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 64).ackReq()).expect(ack(0x100));
        trace.peerSends(writeOnly(0x102, 64).ackReq()).expect(sequenceNak(0x101));
        trace.peerSends(writeOnly(0x100, 64).ackReq()).expect(ack(0x100).msn(1));
        trace.peerSends(writeOnly(0x103, 64).ackReq()).expectNothing();
    }

    @Test
    @DisplayName("R1 P3 the window wraps: 0xFFFFFF is followed by 0")
    void thePsnWraps() {
        Trace trace = Trace.inRts().receivePsn(0xFFFFFE).open();
        trace.peerSends(writeOnly(0xFFFFFE, 8).ackReq(), writeOnly(0xFFFFFF, 8).ackReq(), writeOnly(0, 8).ackReq(),
            writeOnly(1, 8).ackReq());
        trace.expect(ack(0xFFFFFE), ack(0xFFFFFF), ack(0), ack(1).msn(4));
        trace.peerSends(writeOnly(0xFFFFFE, 8).ackReq()).expect(ack(1).msn(4));
        trace.peerSends(writeOnly(4, 8)).expect(sequenceNak(2)).expectNothing();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 0x7F_FFFF, 0x80_0000})
    @DisplayName("R1 P3 a PSN up to 2^23 before the expected one is a duplicate")
    void upToHalfTheCircleBehindIsADuplicate(int behind) {
        Trace trace = Trace.inRts().receivePsn(0x10).open();
        trace.peerSends(writeOnly(0x10, 8).ackReq()).expect(ack(0x10));
        trace.peerSends(writeOnly(0x11 - behind & 0xFFFFFF, 8).ackReq());
        trace.expect(ack(0x10).msn(1)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.DUPLICATE_REQUEST));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 0x7F_FFFF})
    @DisplayName("R1 P3 a PSN up to 2^23 - 1 after the expected one is a gap")
    void upToHalfTheCircleAheadIsAGap(int ahead) {
        Trace trace = Trace.inRts().receivePsn(0xFFFFF0).open();
        trace.peerSends(writeOnly(0xFFFFF0 + ahead & 0xFFFFFF, 8).ackReq());
        trace.expect(sequenceNak(0xFFFFF0)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.OUT_OF_SEQ_REQUEST));
    }

    @Test
    @DisplayName("R1 a NAK that has not left is withdrawn when the missing request arrives")
    void anUnsentNakIsWithdrawn() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.peerSends(writeOnly(0x101, 8).ackReq(), writeOnly(0x100, 8).ackReq());
        trace.sink.room(10);
        trace.run().expect(ack(0x101).msn(2)).expectNothing();
    }

    @Test
    @DisplayName("R2 a NAK leaves after everything before it is executed and answered")
    void aNakFollowsTheAnswersBeforeIt() {
        Trace trace = Trace.inRts().open();
        trace.peerSendsTogether(read(0x100, 16), fetchAdd(0x101, 5), writeOnly(0x102, 8).key(0xBAD).ackReq());
        trace.expect(readOnly(0x100).msn(1), atomicAck(0x101, originalOfFirstWord()).msn(2),
            nak(0x102, REMOTE_ACCESS_ERROR).msn(2)).expectNothing();
    }

    private static long originalOfFirstWord() {
        return ByteBuffer.wrap(Trace.memoryBytes(0, 8)).order(ByteOrder.nativeOrder()).getLong();
    }

    @Test
    @DisplayName("R2 a sequence NAK follows the responses to READs before the gap, also when the sink was full")
    void aSequenceNakFollowsReadAnswers() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(1);
        trace.peerSends(read(0x100, 2000), writeOnly(0x104, 8).ackReq());
        trace.expect(FrameExpectation.readFirst(0x100));
        trace.sink.room(10);
        trace.run().expect(FrameExpectation.readLast(0x101), sequenceNak(0x102)).expectNothing();
    }

    @Test
    @DisplayName("R3 nothing is NAKed while handling a duplicate, whatever is wrong with it")
    void duplicatesAreNeverNaked() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8).ackReq(), read(0x101, 8), fetchAdd(0x102, 1));
        trace.takeAll();
        trace.peerSends(writeOnly(0x100, 8).key(0xBAD).ackReq()).expect(ack(0x100));
        trace.peerSends(writeOnly(0x100, 8).dmaLength(99).ackReq()).expect(ack(0x100));
        trace.peerSends(PeerPacket.sendMiddle(0x100, 8).ackReq()).expect(ack(0x100));
        trace.peerSends(sendOnly(0x100, 8).ackReq()).expect(ack(0x100));
        trace.peerSends(read(0x101, 8).key(0xBAD)).expectNothing();
        trace.peerSends(fetchAdd(0x101, 1)).expectNothing();
        trace.expectState(QueuePairState.RTS).expectNoEvent();
    }

    @Test
    @DisplayName("R3 an invalid request behind a gap may be forged: it is NAKed only when it arrives again in order")
    void aWrongRequestAheadOfAGapWaits() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x101, 8).key(0xBAD).ackReq()).expect(sequenceNak(0x100)).expectNothing();
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(sequenceNak(0x101).msn(1)).expectNothing();
        trace.peerSends(writeOnly(0x101, 8).key(0xBAD).ackReq()).expect(nak(0x101, REMOTE_ACCESS_ERROR).msn(1)).expectNothing();
    }

    @Test
    @DisplayName("R8 R1 K10 packets behind an RNR NAK are dropped: no sequence NAK follows the RNR NAK")
    void noSequenceNakFollowsAnRnrNak() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(sendOnly(0x100, 8).ackReq(), sendOnly(0x101, 8).ackReq(), sendOnly(0x102, 8).ackReq());
        trace.expect(rnr(0x100, 12).msn(0)).expectNothing();
        assertEquals(2, trace.dropped(DropReason.RNR_HOLD));
        trace.postsReceives(64, 64, 64);
        trace.advance(1, TimeUnit.SECONDS).expectNothing();
        trace.peerSends(sendOnly(0x100, 8).ackReq(), sendOnly(0x101, 8).ackReq(), sendOnly(0x102, 8).ackReq());
        trace.expect(ack(0x100), ack(0x101), ack(0x102).msn(3)).expectNothing();
    }

    @Test
    @DisplayName("R8 the RNR NAK is sent also for a request that waited behind a gap")
    void aKeptRequestWithoutReceiveGetsAnRnrNak() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64);
        trace.peerSends(sendOnly(0x101, 8).ackReq(), sendOnly(0x102, 8).ackReq()).expect(sequenceNak(0x100));
        trace.peerSends(sendOnly(0x100, 8).ackReq());
        trace.expect(rnr(0x101, 12).msn(1)).expectNothing();
        trace.expectCompletion(100, SUCCESS);
        trace.advance(20, TimeUnit.MILLISECONDS).expectNothing();
    }

    @Test
    @DisplayName("R8 an RNR NAK that has not left is withdrawn when the request is executed after all")
    void anUnsentRnrNakIsWithdrawn() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.peerSends(sendOnly(0x100, 8).ackReq());
        trace.postsReceives(64);
        trace.peerSends(sendOnly(0x100, 8).ackReq());
        trace.sink.room(10);
        trace.run().expect(ack(0x100).msn(1)).expectNothing();
    }

    @Test
    @DisplayName("R8 a delayed sequence NAK is not sent behind the RNR NAK of the request that closed the gap")
    void aDelayedNakEndsWithTheRnrNak() {
        Trace trace = Trace.inRts().open();
        learnDelay(trace);
        trace.peerSends(sendOnly(0x103, 8).ackReq()).expectNothing();
        trace.peerSends(sendOnly(0x102, 8).ackReq()).expect(rnr(0x102, 12)).expectNothing();
        trace.advance(100, TimeUnit.MILLISECONDS).expectNothing();
    }

    /** A gap that was reported closes by itself: from now on NAKs are delayed a little. Consumes PSN 100 and 101. */
    private static void learnDelay(Trace trace) {
        trace.peerSends(writeOnly(0x101, 8).ackReq()).expect(sequenceNak(0x100));
        trace.advance(2, TimeUnit.MILLISECONDS);
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x101));
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x101)).expectNothing();
    }

    @Test
    @DisplayName("R1 after a needless NAK the next one is delayed, by at most 8 ms")
    void aDelayedNakIsSentInTheEnd() {
        Trace trace = Trace.inRts().open();
        learnDelay(trace);
        trace.peerSends(writeOnly(0x103, 8).ackReq()).expectNothing();
        trace.advanceNs(NakDelay.MAX_DELAY_NS).expect(sequenceNak(0x102)).expectNothing();
    }

    @Test
    @DisplayName("R1 R4 while a NAK is delayed, a duplicate of what is before the gap is acknowledged at once")
    void aDuplicateIsAcknowledgedDuringTheDelay() {
        Trace trace = Trace.inRts().open();
        learnDelay(trace);
        trace.peerSends(writeOnly(0x104, 8)).expectNothing();
        trace.peerSends(writeOnly(0x102, 8).ackReq()).expectNothing();
        trace.peerSends(writeOnly(0x102, 8).ackReq()).expect(ack(0x102)).expectNothing();
    }

    @Test
    @DisplayName("R15 the MSN counts completed messages and is in every AETH")
    void msnCountsCompletedMessages() {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(4096);
        trace.peerSends(PeerPacket.sendFirst(0x100, 1024).ackReq()).expect(ack(0x100).msn(0));
        trace.peerSends(PeerPacket.sendMiddle(0x101, 1024).ackReq()).expect(ack(0x101).msn(0));
        trace.peerSends(PeerPacket.sendLast(0x102, 10).ackReq()).expect(ack(0x102).msn(1));
        trace.peerSends(read(0x103, 1500)).expect(FrameExpectation.readFirst(0x103).msn(2), FrameExpectation.readLast(0x104).msn(2));
        trace.peerSends(fetchAdd(0x105, 1)).expect(FrameExpectation.frame(Opcode.RC_ATOMIC_ACKNOWLEDGE, 0x105).msn(3));
        trace.peerSends(writeOnly(0x107, 8)).expect(sequenceNak(0x106).msn(3));
        trace.peerSends(sendOnly(0x106, 8).ackReq()).expect(rnr(0x106, 12).msn(3));
        trace.peerSends(sendOnly(0x102, 8)).expect(ack(0x102).msn(3));
    }
}
