package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.frame;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.PeerPacket.atomicAckOf;
import static io.rxe.qp.PeerPacket.nakOf;
import static io.rxe.qp.PeerPacket.readOnly;
import static io.rxe.qp.PeerPacket.rnrOf;
import static io.rxe.qp.Trace.BASE;
import static io.rxe.qp.Trace.KEY;
import static io.rxe.qp.Trace.fetchAdd;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.BAD_RESP_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_PROT_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_QP_OP_ERR;
import static io.rxe.verbs.CompletionStatus.REM_ACCESS_ERR;
import static io.rxe.verbs.CompletionStatus.REM_INV_REQ_ERR;
import static io.rxe.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.RNR_RETRY_EXC_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static io.rxe.wire.Syndrome.INVALID_REQUEST;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.MemoryWindow;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Opcode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rules Q8, Q9, Q10, Q14: a failure belongs to the request it answers. Those before it keep their own outcome, in order. */
class FailureOrderTest {
    @Test
    @DisplayName("Q8 Q9 Q14 rnr_retry exhausted behind an unanswered READ: the READ is requested again, succeeds, then the SEND fails")
    void anRnrFailureWaitsForTheReadBeforeIt() {
        Trace trace = Trace.inRts().rnrRetry(0).open();
        trace.posts(read(8), send(8), send(8)).takeAll();
        trace.peerSends(rnrOf(0x101, 1));
        trace.expect(readRequest(0x100, 8)).expectNothing().expectNoCompletion().expectState(QueuePairState.RTS);
        trace.posts(send(8)).expectNothing();
        trace.peerSends(readOnly(0x100, 8)).expectNothing().expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        assertTrue(trace.expectCompletion(2, RNR_RETRY_EXC_ERR).explanation().contains("000101"));
        trace.expectCompletion(3, WR_FLUSH_ERR);
        trace.expectCompletion(4, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectNoEvent();
    }

    @Test
    @DisplayName("Q8 Q14 rnr_retry exhausted behind an unanswered atomic: the atomic is replayed, then the SEND fails")
    void anRnrFailureWaitsForTheAtomicBeforeIt() {
        Trace trace = Trace.inRts().rnrRetry(1).open();
        trace.posts(fetchAdd(3), send(8)).takeAll();
        trace.peerSends(rnrOf(0x101, 1)).advance(1, TimeUnit.MILLISECONDS);
        trace.takeAll();
        trace.peerSends(rnrOf(0x101, 1)).expectNoCompletion();
        trace.advance(80, TimeUnit.MILLISECONDS);
        trace.expect(frame(Opcode.RC_FETCH_ADD, 0x100));
        trace.peerSends(atomicAckOf(0x100, 77));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, RNR_RETRY_EXC_ERR);
    }

    @Test
    @DisplayName("Q9 Q14 a refusal behind an unanswered READ is remembered, and applied when the READ has its response")
    void aRefusalWaitsForTheReadBeforeIt() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), send(8), read(8)).takeAll();
        trace.peerSends(nakOf(0x102, REMOTE_ACCESS_ERROR)).expect(readRequest(0x100, 8)).expectNothing().expectNoCompletion();
        trace.posts(send(8)).expectNothing();
        trace.peerSends(readOnly(0x100, 8)).expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, REM_ACCESS_ERR);
        trace.expectCompletion(4, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectNoEvent();
    }

    @Test
    @DisplayName("Q9 an invalid request names the path MTU: the peer may use another")
    void anInvalidRequestNamesThePathMtu() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(nakOf(0x100, INVALID_REQUEST)).expectState(QueuePairState.ERROR);
        String text = trace.expectCompletion(1, REM_INV_REQ_ERR).explanation();
        assertTrue(text.contains("both sides use path MTU "), text);
    }

    @Test
    @DisplayName("Q9 T3 a READ that stays unanswered before a refusal fails with RETRY_EXC_ERR, which names the refusal")
    void anUnansweredReadNamesTheRefusalBehindIt() {
        Trace trace = Trace.inRts().retryCount(1).open();
        trace.posts(read(8), read(8)).takeAll();
        trace.peerSends(nakOf(0x101, REMOTE_ACCESS_ERROR)).advance(1, TimeUnit.SECONDS);
        for (SentFrame sent : trace.takeAll()) {
            assertTrue(sent.psn() == 0x100, sent::toString);
        }
        String text = trace.expectCompletion(1, RETRY_EXC_ERR).explanation();
        assertTrue(text.contains("000100") && text.contains("refused PSN 0x000101"), text);
        trace.expectCompletion(2, WR_FLUSH_ERR);
    }

    @Test
    @DisplayName("Q10 Q14 a bad response fails the request it answers, after those before it have completed")
    void aBadResponseFailsItsOwnRequest() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), read(8), send(8)).takeAll();
        trace.peerSends(readOnly(0x101, 4)).expectNothing().expectNoCompletion();
        trace.peerSends(readOnly(0x100, 8)).expectNothing().expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        assertTrue(trace.expectCompletion(2, BAD_RESP_ERR).explanation().contains("000101"));
        trace.expectCompletion(3, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectNoEvent();
    }

    @Test
    @DisplayName("Q10 Q14 two failures: the older request has its own status, the younger one is flushed")
    void theOlderOfTwoFailuresCounts() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), read(8), read(8)).takeAll();
        trace.peerSends(readOnly(0x102, 4), readOnly(0x101, 4), readOnly(0x100, 8));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, BAD_RESP_ERR);
        trace.expectCompletion(3, WR_FLUSH_ERR);
    }

    @Test
    @DisplayName("Q4 Q14 a response without memory for its data still acknowledges the SEND before it: only the READ fails")
    void aResponseWithoutMemoryAcknowledgesWhatLiesBefore() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), read(8), send(8)).takeAll();
        trace.region.close();
        trace.peerSends(readOnly(0x101, 8)).expectNothing().expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, LOC_PROT_ERR);
        trace.expectCompletion(3, WR_FLUSH_ERR);
        trace.expectNoCompletion().expectNoEvent();
    }

    @Test
    @DisplayName("Q14 W3 a request that fails before it begins fails at once, also behind one that sent no packet and has just run")
    void aLocalFailureBehindALocalRequestIsReported() {
        Trace trace = Trace.inRts().open();
        MemoryWindow window = trace.domain.allocateWindow(MemoryWindowType.TYPE_2);
        trace.posts(new WorkRequest().localInvalidate(window.rKey()), new WorkRequest().write(0x5000_0000L, 0x99).add(BASE, 8, ~KEY));
        trace.expectNothing().expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, LOC_PROT_ERR);
        trace.expectNoCompletion().expectNoEvent();
    }

    @Test
    @DisplayName("Q14 W4 an invalidation that fails behind a request that sent no packet and has just run is reported at once")
    void aFailedInvalidationBehindALocalRequestIsReported() {
        Trace trace = Trace.inRts().open();
        MemoryWindow window = trace.domain.allocateWindow(MemoryWindowType.TYPE_2);
        trace.posts(new WorkRequest().localInvalidate(window.rKey()), new WorkRequest().localInvalidate(~KEY), send(8));
        trace.expectNothing().expectState(QueuePairState.ERROR);
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, LOC_QP_OP_ERR);
        trace.expectCompletion(3, WR_FLUSH_ERR);
    }
}
