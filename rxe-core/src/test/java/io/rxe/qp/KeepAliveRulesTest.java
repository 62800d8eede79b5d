package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.readOnly;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.device.NicInspection;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keep-alive of idle connections (rule T11). */
class KeepAliveRulesTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long T14_NS = 4096L << 14;

    private static TraceSetup withKeepAlive() {
        return Trace.inRts().keepAliveNs(SECOND_NS);
    }

    /** What asks: an RDMA WRITE of no bytes with this PSN. */
    private static FrameExpectation keepAlive(int psn) {
        return writeOnly(psn).ackReq();
    }

    @Test
    @DisplayName("T11 off unless set")
    void nothingIsSentWithoutIt() {
        Trace trace = Trace.inRts().open();
        trace.advanceNs(3600 * SECOND_NS).expectNothing();
        assertEquals("no timer runs", NicInspection.timers(trace.pair));
    }

    @Test
    @DisplayName("T11 an idle peer is asked once in each interval, with the PSN before the next request, and its answer changes nothing")
    void anIdlePeerIsAsked() {
        Trace trace = withKeepAlive().open();
        trace.advanceNs(SECOND_NS - 1).expectNothing();
        trace.advanceNs(1).expect(keepAlive(0xFF)).expectNothing();
        trace.peerSends(ackOf(0xFF).msn(0)).advanceNs(SECOND_NS).expect(keepAlive(0xFF)).expectNothing();
        trace.peerSends(ackOf(0xFF).msn(0));
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100).msn(1)).expectCompletion(1, SUCCESS);
        trace.advanceNs(SECOND_NS).expect(keepAlive(0x100)).expectNothing();
        trace.peerSends(ackOf(0x100).msn(1)).expectNoEvent().expectNoCompletion();
        assertEquals(3, trace.counter(NicCounter.SENT_KEEP_ALIVES));
        assertEquals(0, trace.counter(NicCounter.RETRANSMITTED_PKTS));
    }

    @Test
    @DisplayName("T11 the peer is asked when the time has passed, also if a request completed a moment before")
    void whatCompletedAMomentBeforeChangesNothing() {
        Trace trace = withKeepAlive().open();
        trace.advanceNs(SECOND_NS - 1);
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.peerSends(ackOf(0x100).msn(1)).expectCompletion(1, SUCCESS);
        trace.advanceNs(1).expect(keepAlive(0x100)).expectNothing();
    }

    @Test
    @DisplayName("T11 behind a READ the peer answers with the PSN of the last SEND or WRITE")
    void anAnswerMayLieFurtherBack() {
        Trace trace = withKeepAlive().open();
        trace.posts(send(8), read(8)).expect(sendOnly(0x100), readRequest(0x101, 8));
        trace.peerSends(ackOf(0x100).msn(1), readOnly(0x101, 8).msn(2));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.advanceNs(SECOND_NS).expect(keepAlive(0x101)).peerSends(ackOf(0x100).msn(2));
        trace.advanceNs(SECOND_NS - 1).expectNothing();
        assertEquals(1, trace.counter(NicCounter.RCVD_KEEP_ALIVES));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 7})
    @DisplayName("T11 T3 without an answer in 1 + retry_cnt transmissions the queue pair fails, with one event and a flush")
    void aPeerThatIsGoneIsNoticed(int retries) {
        Trace trace = withKeepAlive().retryCount(retries).open();
        trace.postsReceives(64);
        trace.advanceNs(SECOND_NS).expect(keepAlive(0xFF));
        for (int i = 0; i < retries; i++) {
            trace.advanceNs(T14_NS - 1).expectNothing().advanceNs(1).expect(keepAlive(0xFF));
        }
        trace.advanceNs(T14_NS - 1).expectState(QueuePairState.RTS).advanceNs(1).expectState(QueuePairState.ERROR);
        String why = trace.expectEvent(AsyncEvent.Type.QP_FATAL).explanation();
        assertTrue(why.contains("10.0.0.2 QPN 0x777 did not answer " + (1 + retries) + " keep-alives"), why);
        trace.expectNoEvent().expectCompletion(100, WR_FLUSH_ERR);
        trace.advanceNs(10 * SECOND_NS).expectNothing();
        assertEquals("no timer runs", NicInspection.timers(trace.pair));
    }

    @Test
    @DisplayName("T11 a request of the peer answers as well")
    void aRequestOfThePeerIsASignOfLife() {
        Trace trace = withKeepAlive().retryCount(0).open();
        trace.advanceNs(SECOND_NS).expect(keepAlive(0xFF));
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        trace.advanceNs(T14_NS).expectNothing().expectState(QueuePairState.RTS).expectNoEvent();
    }

    @Test
    @DisplayName("T11 a request that was posted meanwhile has its own timer, and its acknowledgement answers both")
    void anOutstandingRequestTakesOver() {
        Trace trace = withKeepAlive().retryCount(1).open();
        trace.advanceNs(SECOND_NS).expect(keepAlive(0xFF));
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.advanceNs(T14_NS).expect(sendOnly(0x100)).expectNothing();
        trace.advanceNs(T14_NS * 5 / 4).expectCompletion(1, RETRY_EXC_ERR);
        trace.expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("T11 T5 with timeout code 0 the keep-alives are one interval apart")
    void withoutATimeoutTheIntervalIsUsed() {
        Trace trace = withKeepAlive().timeout(0).retryCount(1).open();
        trace.advanceNs(SECOND_NS).expect(keepAlive(0xFF)).advanceNs(SECOND_NS).expect(keepAlive(0xFF));
        trace.advanceNs(SECOND_NS).expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("T11 the time changes in RTS, and 0 ends it")
    void theTimeChanges() {
        Trace trace = Trace.inRts().open();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS).keepAliveNs(SECOND_NS / 2));
        trace.advanceNs(SECOND_NS / 2).expect(keepAlive(0xFF));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS).keepAliveNs(0));
        trace.advanceNs(10 * SECOND_NS).expectNothing().expectState(QueuePairState.RTS);
        String text = assertThrows(IllegalArgumentException.class,
            () -> trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS).keepAliveNs(999_999))).getMessage();
        assertTrue(text.contains("999999 ns is not in 1000000..3600000000000"), text);
    }

    @Test
    @DisplayName("T11 rdma_rxe acknowledges with PSN 0xFFFFFF before it has executed anything: nothing is sent where that could come next")
    void anAnswerOfRxeMustNotLookLikeAnAcknowledgement() {
        Trace far = withKeepAlive().sendPsn(0xFE_FFFF).open();
        far.advanceNs(SECOND_NS).expect(keepAlive(0xFE_FFFE)).peerSends(ackOf(0xFF_FFFF).msn(0));
        far.advanceNs(SECOND_NS - 1).expectNothing();
        assertEquals(1, far.counter(NicCounter.RCVD_KEEP_ALIVES));
        Trace near = withKeepAlive().sendPsn(0xFF_0000).open();
        near.advanceNs(5 * SECOND_NS).expectNothing().expectState(QueuePairState.RTS);
        near.posts(send(8)).expect(sendOnly(0xFF_0000)).peerSends(ackOf(0xFF_0000).msn(1));
        near.advanceNs(SECOND_NS).expect(keepAlive(0xFF_0000));
    }

    @Test
    @DisplayName("T11 a new connection begins without one")
    void aResetEndsIt() {
        Trace trace = withKeepAlive().open();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.pair.modify(QueuePairAttributes.toInit(0));
        trace.pair.modify(trace.toRtr());
        trace.pair.modify(QueuePairAttributes.toReadyToSend(0x100));
        trace.advanceNs(10 * SECOND_NS).expectNothing().expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("T11 a full sink loses no keep-alive and uses up no retry")
    void aFullSinkDelaysIt() {
        Trace trace = withKeepAlive().retryCount(0).open();
        trace.sink.room(0);
        trace.advanceNs(SECOND_NS + T14_NS).expectNothing().expectState(QueuePairState.RTS);
        trace.sink.room(8);
        trace.run().expect(keepAlive(0xFF)).peerSends(ackOf(0xFF).msn(0));
        trace.advanceNs(T14_NS).expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("T11 R4 the peer is a responder of ours: it acknowledges and writes nothing")
    void ourResponderAnswers() {
        Trace trace = Trace.inRts().access(0).open();
        trace.peerSends(PeerPacket.writeOnly(0xFF, 0).ackReq()).expect(ack(0xFF).msn(0)).expectNothing();
        assertEquals(1, trace.counter(NicCounter.DUPLICATE_REQUEST));
        trace.expectState(QueuePairState.RTS).expectNoEvent();
    }
}
