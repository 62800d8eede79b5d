package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.frame;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.atomicAckOf;
import static io.rxe.qp.PeerPacket.nakOf;
import static io.rxe.qp.PeerPacket.readFirst;
import static io.rxe.qp.PeerPacket.readLast;
import static io.rxe.qp.PeerPacket.readMiddle;
import static io.rxe.qp.PeerPacket.readOnly;
import static io.rxe.qp.PeerPacket.rnrOf;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.BAD_RESP_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_PROT_ERR;
import static io.rxe.verbs.CompletionStatus.REM_ACCESS_ERR;
import static io.rxe.verbs.CompletionStatus.REM_INV_REQ_ERR;
import static io.rxe.verbs.CompletionStatus.REM_OP_ERR;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static io.rxe.wire.Syndrome.INVALID_REQUEST;
import static io.rxe.wire.Syndrome.PSN_SEQUENCE_ERROR;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static io.rxe.wire.Syndrome.REMOTE_OPERATIONAL_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q4 to Q10: the effect of a response on its request and on those before it. */
class CompleterRulesTest {
    private static final int MTU = 1024;

    @Test
    @DisplayName("Q4 an ACK beyond the oldest request is cumulative")
    void anAckIsCumulative() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), write(3000), send(8), write(8)).takeAll();
        trace.peerSends(ackOf(0x104));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
        trace.expectNoCompletion();
    }

    @Test
    @DisplayName("Q4 an ACK inside a message completes what is before it")
    void anAckInsideAMessageCompletesWhatIsBefore() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), write(3000)).takeAll();
        trace.peerSends(ackOf(0x102));
        trace.expectCompletion(1, SUCCESS);
        trace.expectNoCompletion();
        trace.peerSends(ackOf(0x103)).expectCompletion(2, SUCCESS);
    }

    @Test
    @DisplayName("Q4 an ACK beyond an unanswered READ is an implied NAK: the READ is retransmitted, executed requests are not")
    void anAckOverAReadIsAnImpliedNak() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), read(3000), send(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x104));
        trace.expectCompletion(1, SUCCESS);
        trace.expect(readRequest(0x101, 3000)).expectNothing().expectNoCompletion();
        assertEquals(1, trace.counter(NicCounter.IMPLIED_NAK));
        trace.peerSends(readFirst(0x101, MTU), readMiddle(0x102, MTU), readLast(0x103, 952));
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
        trace.expectNoCompletion();
        trace.peerSends(ackOf(0x105)).expectCompletion(4, SUCCESS);
    }

    @Test
    @DisplayName("Q4 an ACK beyond an unanswered atomic is an implied NAK: the peer replays the atomic")
    void anAckOverAnAtomicIsAnImpliedNak() {
        Trace trace = Trace.inRts().open();
        trace.posts(Trace.fetchAdd(3), send(8)).takeAll();
        trace.peerSends(ackOf(0x101)).expect(frame(Opcode.RC_FETCH_ADD, 0x100)).expectNothing().expectNoCompletion();
        trace.peerSends(atomicAckOf(0x100, 77));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        assertEquals(77, trace.memory.getLong(0));
    }

    @Test
    @DisplayName("Q4 T6 implied NAKs use up retry_cnt")
    void impliedNaksUseUpRetries() {
        Trace trace = Trace.inRts().timeout(0).retryCount(0).open();
        trace.posts(read(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x101)).expectNothing();
        trace.expectCompletion(1, RETRY_EXC_ERR);
        trace.expectCompletion(2, WR_FLUSH_ERR);
    }

    @Test
    @DisplayName("Q4 a plain ACK at the PSN of a READ or an atomic does not complete it (a kernel takes it for success)")
    void aPlainAckAnswersNoRead() {
        for (WorkRequest request : List.of(read(8), read(3000), Trace.fetchAdd(1))) {
            Trace trace = Trace.inRts().open();
            trace.posts(send(8), request).takeAll();
            trace.peerSends(ackOf(0x101));
            trace.expectCompletion(1, SUCCESS);
            trace.expectNoCompletion().expectUntouched(0, 64).expectState(QueuePairState.RTS);
        }
    }

    @Test
    @DisplayName("Q5 a READ response beyond the expected one: only missing responses are requested again")
    void aGapInReadResponsesIsAskedForAgain() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(5000)).takeAll();
        trace.peerSends(readFirst(0x100, MTU), readMiddle(0x103, MTU));
        trace.expect(readRequest(0x101, 2 * MTU).at(0x5000_0000L + MTU)).expectNothing();
        trace.peerSends(readLast(0x104, 5000 - 4 * MTU)).expectNothing();
        trace.peerSends(readFirst(0x101, MTU), readLast(0x102, MTU));
        assertEquals(5000, trace.expectCompletion(1, SUCCESS).byteLength());
        for (int i = 0; i < 4; i++) {
            trace.expectMemory(i * MTU, PeerPacket.payloadOf(0x100 + i, MTU));
        }
        trace.expectUntouched(5000, 100);
    }

    @Test
    @DisplayName("Q5 a later gap of a READ is requested only after the earlier one closed: rxe serves no earlier part after a later one")
    void gapsOfAReadAreClosedInOrder() {
        Trace trace = Trace.inRts().retryCount(7).open();
        trace.posts(read(6 * MTU)).takeAll();
        trace.peerSends(readFirst(0x100, MTU), readMiddle(0x102, MTU), readLast(0x105, MTU));
        for (int repetitions = 0; repetitions < 3; repetitions++) {
            trace.advance(150, TimeUnit.MILLISECONDS);
            List<SentFrame> asked = trace.takeAll();
            assertFalse(asked.isEmpty());
            assertTrue(asked.stream().allMatch(frame -> frame.psn() == 0x101));
        }
        trace.peerSends(readMiddle(0x101, MTU)).advance(10, TimeUnit.MILLISECONDS);
        List<SentFrame> further = trace.takeAll();
        assertFalse(further.isEmpty());
        assertTrue(further.stream().allMatch(frame -> frame.psn() == 0x103));
        trace.peerSends(readMiddle(0x103, MTU), readMiddle(0x104, MTU));
        assertEquals(6 * MTU, trace.expectCompletion(1, SUCCESS).byteLength());
    }

    @Test
    @DisplayName("Q5 a response to a later READ or atomic is an implied NAK for the earlier one")
    void aLaterAnswerIsAnImpliedNak() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), read(16), Trace.fetchAdd(1)).takeAll();
        trace.peerSends(readOnly(0x101, 16)).expect(readRequest(0x100, 8)).expectNothing();
        trace.peerSends(atomicAckOf(0x102, 5)).expectNothing();
        trace.peerSends(readOnly(0x100, 8));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
    }

    @Test
    @DisplayName("Q5 lost responses at the end of a READ are requested again after the timeout")
    void aLostEndIsAskedForAfterTheTimeout() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(3000)).takeAll();
        trace.peerSends(readFirst(0x100, MTU)).expectNothing();
        trace.advance(70, TimeUnit.MILLISECONDS).expect(readRequest(0x101, 3000 - MTU).at(0x5000_0000L + MTU));
    }

    @Test
    @DisplayName("Q6 a response below the expected PSN is a duplicate and is dropped, data and all")
    void aDuplicateResponseIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(3000)).takeAll();
        trace.peerSends(readFirst(0x100, MTU), readMiddle(0x101, MTU));
        trace.memory.putLong(0, 0x1122334455667788L);
        trace.peerSends(readFirst(0x100, MTU), readMiddle(0x101, MTU)).expectNothing();
        assertEquals(0x1122334455667788L, trace.memory.getLong(0));
        assertEquals(2, trace.dropped(DropReason.DUPLICATE_RESPONSE));
        trace.peerSends(readLast(0x102, 952)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("Q6 a duplicate AtomicAck is not written again")
    void aDuplicateAtomicAnswerIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), Trace.fetchAdd(1)).takeAll();
        trace.peerSends(atomicAckOf(0x101, 5));
        trace.takeAll();
        trace.memory.putLong(0, 99);
        trace.peerSends(atomicAckOf(0x101, 6)).expectNothing();
        assertEquals(99, trace.memory.getLong(0));
    }

    @Test
    @DisplayName("Q6 a response on exactly the PSN of a request that is still pending completes it")
    void aResponseOnExactlyThePendingPsnCompletesIt() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(3000)).takeAll();
        trace.peerSends(readFirst(0x100, MTU), readMiddle(0x101, MTU), readMiddle(0x101, MTU), readLast(0x102, 952));
        trace.expectCompletion(1, SUCCESS);
        trace.posts(send(8)).expect(sendOnly(0x103));
        trace.peerSends(ackOf(0x102)).expectNoCompletion();
        trace.peerSends(ackOf(0x103)).expectCompletion(2, SUCCESS);
    }

    @Test
    @DisplayName("Q7 a PSN sequence NAK acknowledges everything before it, then the requester goes back to it")
    void aSequenceNakGoesBack() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x102, PSN_SEQUENCE_ERROR));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectNoCompletion().expect(sendOnly(0x102));
        trace.peerSends(ackOf(0x102)).expect(sendOnly(0x103)).expectNothing();
        trace.peerSends(ackOf(0x103));
        trace.expectCompletion(3, SUCCESS);
        trace.expectCompletion(4, SUCCESS);
    }

    @Test
    @DisplayName("Q7 to a selective-repeat peer only the missing packet is retransmitted")
    void whatThePeerKeptIsNotSentAgain() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x101, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x101)).expectNothing();
        trace.peerSends(ackOf(0x103)).expectNothing();
        for (int id = 1; id <= 4; id++) {
            trace.expectCompletion(id, SUCCESS);
        }
    }

    @Test
    @DisplayName("Q7 a lost acknowledgement says nothing of what the peer keeps: a loss after it shows that the peer goes back")
    void aProbeForALostAckLearnsNothing() {
        Trace trace = answered();
        trace.posts(send(8), send(8)).takeAll();
        trace.advance(6, TimeUnit.MILLISECONDS).expect(sendOnly(0x101)).expectNothing();
        trace.peerSends(ackOf(0x102)).posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x103, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x103)).expectNothing();
        trace.peerSends(ackOf(0x103)).expect(sendOnly(0x104), sendOnly(0x105)).expectNothing();
    }

    @Test
    @DisplayName("Q7 a NAK whose repair has to be sent twice shows that the peer goes back, as one whose repair arrives")
    void aRepairThatIsSentTwiceLearnsTheMode() {
        Trace trace = answered();
        trace.posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x102, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x102)).expectNothing();
        trace.advance(6, TimeUnit.MILLISECONDS).expect(sendOnly(0x102)).expectNothing();
        trace.peerSends(ackOf(0x102)).expect(sendOnly(0x103)).expectNothing();
        trace.peerSends(ackOf(0x103)).posts(send(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x105, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x105), sendOnly(0x106)).expectNothing();
    }

    /** A requester whose peer has answered once. */
    private static Trace answered() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.advance(1, TimeUnit.MILLISECONDS).peerSends(ackOf(0x100));
        return trace;
    }

    @Test
    @DisplayName("Q7 Q4 a sequence NAK behind a READ whose response was lost: both the READ and the missing packet are retransmitted")
    void aSequenceNakBehindALostReadAnswer() {
        Trace trace = Trace.inRts().retryCount(1).open();
        trace.posts(read(8), send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x101, PSN_SEQUENCE_ERROR));
        trace.expect(readRequest(0x100, 8), sendOnly(0x101)).expectNothing().expectState(QueuePairState.RTS);
        trace.peerSends(readOnly(0x100, 8), ackOf(0x102));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, SUCCESS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    @DisplayName("Q7 T6 sequence NAKs without progress exhaust retry_cnt: RETRY_EXC_ERR, ERROR, flush")
    void sequenceNaksExhaustTheRetries(int retryCount) {
        Trace trace = Trace.inRts().retryCount(retryCount).timeout(0).open();
        trace.posts(send(8), send(8)).takeAll();
        for (int i = 0; i < retryCount; i++) {
            trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expectState(QueuePairState.RTS).takeAll();
            trace.advance(10, TimeUnit.MILLISECONDS);
        }
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expectNothing();
        trace.expectCompletion(1, RETRY_EXC_ERR);
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("Q7 T6 a network copy of a sequence NAK charges no retry")
    void aCopyOfASequenceNakIsIgnored() {
        Trace trace = Trace.inRts().retryCount(1).open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR), nakOf(0x100, PSN_SEQUENCE_ERROR)).expect(sendOnly(0x100)).expectNothing();
        trace.expectState(QueuePairState.RTS);
        trace.peerSends(ackOf(0x101)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("Q8 nothing leaves behind a request that was refused twice, until the peer takes it")
    void nothingFollowsWhatIsRefusedAgain() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x100, 1)).advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(0x100), sendOnly(0x101));
        trace.peerSends(rnrOf(0x100, 1)).posts(send(8)).advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(0x100)).expectNothing();
        trace.peerSends(ackOf(0x100)).expect(sendOnly(0x101), sendOnly(0x102));
    }

    @Test
    @DisplayName("Q8 an RNR NAK acknowledges what is before it and fails nothing by itself")
    void anRnrNakFailsNothing() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x101, 1));
        trace.expectCompletion(1, SUCCESS);
        trace.expectNoCompletion().expectState(QueuePairState.RTS);
        assertEquals(1, trace.counter(NicCounter.RCVD_RNR_ERR));
    }

    /** A NAK that is never retried. */
    private record Final(int syndrome, CompletionStatus status) {
    }

    static List<Final> finals() {
        return List.of(new Final(INVALID_REQUEST, REM_INV_REQ_ERR), new Final(REMOTE_ACCESS_ERROR, REM_ACCESS_ERR),
            new Final(REMOTE_OPERATIONAL_ERROR, REM_OP_ERR), new Final(0x64, REM_OP_ERR), new Final(0x7F, REM_OP_ERR));
    }

    @ParameterizedTest
    @MethodSource("finals")
    @DisplayName("Q9 other NAKs are never retried: the failed request has the status, ERROR first, all later ones flush")
    void otherNaksFailTheRequest(Final nak) {
        Trace trace = Trace.inRts().open();
        trace.postsReceives(64);
        trace.posts(send(8), write(3000), send(8)).takeAll();
        trace.peerSends(nakOf(0x102, nak.syndrome())).expectNothing().expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        String text = trace.expectCompletion(2, nak.status()).explanation();
        assertTrue(text.contains("10.0.0.2") && text.contains("000102"), text);
        trace.expectCompletion(3, WR_FLUSH_ERR);
        trace.expectCompletion(100, WR_FLUSH_ERR);
        trace.expectNoCompletion();
        trace.posts(send(8)).expectNothing();
        trace.expectCompletion(4, WR_FLUSH_ERR);
        trace.advance(1, TimeUnit.SECONDS).expectNothing();
    }

    @Test
    @DisplayName("Q9 a NAK of a READ at its first PSN fails it")
    void aNakOfAReadFailsIt() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(3000), send(8)).takeAll();
        trace.peerSends(nakOf(0x100, REMOTE_ACCESS_ERROR));
        trace.expectCompletion(1, REM_ACCESS_ERR);
        trace.expectCompletion(2, WR_FLUSH_ERR);
    }

    @Test
    @DisplayName("Q9 R14 a NAK inside a begun READ fails it and never completes it with data missing")
    void aNakInsideABegunReadFailsIt() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(3000)).takeAll();
        trace.peerSends(readFirst(0x100, MTU), nakOf(0x101, REMOTE_ACCESS_ERROR));
        trace.expectCompletion(1, REM_ACCESS_ERR);
    }

    @Test
    @DisplayName("Q9 an unsignaled request that fails is reported")
    void anUnsignaledFailureIsReported() {
        Trace trace = Trace.inRts().open();
        trace.posts(write(8).signaled(false)).takeAll();
        trace.peerSends(nakOf(0x100, REMOTE_ACCESS_ERROR)).expectCompletion(1, REM_ACCESS_ERR);
    }

    @Test
    @DisplayName("Q9 an old NAK for a request that was executed since is dropped")
    void anOldNakIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x101)).takeAll();
        trace.peerSends(nakOf(0x101, INVALID_REQUEST), rnrOf(0x101, 1)).expectState(QueuePairState.RTS).expectNoCompletion();
    }

    private record Bad(String name, WorkRequest request, PeerPacket... responses) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Bad> badResponses() {
        return List.of(
            new Bad("READ response for a SEND", send(8), readOnly(0x100, 8)),
            new Bad("AtomicAck for a SEND", send(8), atomicAckOf(0x100, 1)),
            new Bad("AtomicAck for a READ", read(8), atomicAckOf(0x100, 1)),
            new Bad("READ response for an atomic", Trace.fetchAdd(1), readOnly(0x100, 8)),
            new Bad("middle without first", read(3000), readMiddle(0x100, MTU)),
            new Bad("last without first", read(8), readLast(0x100, 8)),
            new Bad("first for a single packet", read(8), readFirst(0x100, 8)),
            new Bad("only for several packets", read(3000), readOnly(0x100, MTU)),
            new Bad("first twice", read(3000), readFirst(0x100, MTU), readFirst(0x101, MTU)),
            new Bad("last too early", read(3000), readFirst(0x100, MTU), readLast(0x101, MTU)),
            new Bad("middle at the end", read(3000), readFirst(0x100, MTU), readMiddle(0x101, MTU), readMiddle(0x102, 952)),
            new Bad("only shorter than asked", read(8), readOnly(0x100, 4)),
            new Bad("only longer than asked", read(8), readOnly(0x100, 12)),
            new Bad("first shorter than the MTU", read(3000), readFirst(0x100, MTU - 4)),
            new Bad("last shorter than asked", read(2000), readFirst(0x100, MTU), readLast(0x101, 972)),
            new Bad("NAK in a READ response", read(8), readOnly(0x100, 8).syndrome(REMOTE_ACCESS_ERROR)),
            new Bad("NAK in an AtomicAck", Trace.fetchAdd(1), atomicAckOf(0x100, 1).syndrome(INVALID_REQUEST)));
    }

    @ParameterizedTest
    @MethodSource("badResponses")
    @DisplayName("Q10 a response that does not fit its request: BAD_RESP_ERR, ERROR, flush, no event, no data beyond the request")
    void badResponsesFailTheRequest(Bad bad) {
        Trace trace = Trace.inRts().open();
        trace.posts(bad.request(), send(8)).takeAll();
        trace.peerSends(bad.responses()).expectNothing().expectState(QueuePairState.ERROR);
        assertTrue(trace.expectCompletion(1, BAD_RESP_ERR).explanation().contains("10.0.0.2"));
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectNoEvent().expectUntouched(3000, 200);
    }

    @Test
    @DisplayName("Q10 a response without the headers of its opcode is dropped and counted before it is processed")
    void aResponseWithoutItsHeadersIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).cutTo(16), atomicAckOf(0x100, 1).cutTo(20)).expectNoCompletion();
        assertEquals(2, trace.dropped(DropReason.HEADERS_TRUNCATED));
        trace.expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("Q10 a response with a reserved syndrome is dropped")
    void aReservedSyndromeIsDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).syndrome(0x40), ackOf(0x100).syndrome(0x9F)).expectNoCompletion();
        assertEquals(2, trace.dropped(DropReason.RESERVED_SYNDROME));
        trace.peerSends(ackOf(0x100)).expectCompletion(1, SUCCESS);
    }

    @Test
    @DisplayName("Q2 Q10 local memory deregistered before the response: LOC_PROT_ERR, ERROR, no event")
    void memoryForAnAnswerThatGoesAway() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion window = trace.domain.register(AccessFlags.LOCAL_WRITE, 0x9000, ByteBuffer.allocateDirect(4096));
        trace.posts(new WorkRequest().read(0, 1).add(0x9000, 8, 0x5151), send(8)).takeAll();
        window.close();
        trace.peerSends(readOnly(0x100, 8));
        trace.expectCompletion(1, LOC_PROT_ERR);
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("Q5 scattered READ data lands in every piece and nowhere else")
    void readDataIsScattered() {
        Trace trace = Trace.inRts().open();
        trace.posts(new WorkRequest().read(0, 1).add(Trace.BASE + 100, 1000, Trace.KEY).add(Trace.BASE + 5000, 0, Trace.KEY)
            .add(Trace.BASE + 3000, 500, Trace.KEY)).expect(readRequest(0x100, 1500));
        trace.peerSends(readFirst(0x100, MTU), readLast(0x101, 1500 - MTU));
        WorkCompletion completion = trace.expectCompletion(1, SUCCESS);
        assertEquals(1500, completion.byteLength());
        byte[] first = PeerPacket.payloadOf(0x100, MTU);
        trace.expectMemory(100, Arrays.copyOf(first, 1000));
        trace.expectMemory(3000, Arrays.copyOfRange(first, 1000, MTU));
        trace.expectMemory(3024, PeerPacket.payloadOf(0x101, 476));
        trace.expectUntouched(0, 100).expectUntouched(1100, 1900).expectUntouched(3500, 2000);
    }
}
