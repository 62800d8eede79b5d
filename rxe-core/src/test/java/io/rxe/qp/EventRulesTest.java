package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.PeerPacket.sendOnly;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.send;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkRequest;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Rule A1: asynchronous events, each with the object concerned, once per cause. QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR and SQ_DRAINED
 * are also pinned beside the rules that raise them.
 */
class EventRulesTest {
    @Test
    @DisplayName("A1 COMM_EST once, for the first packet in RTR")
    void communicationIsEstablishedOnce() {
        Trace trace = Trace.inRtr().open();
        trace.expectNoEvent();
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100));
        assertSame(trace.pair, trace.expectEvent(AsyncEvent.Type.COMM_EST).queuePair());
        trace.peerSends(writeOnly(0x101, 8).ackReq()).expectNoEvent();
        trace.pair.modify(trace.toRts());
        trace.peerSends(writeOnly(0x102, 8).ackReq()).expectNoEvent();
    }

    @Test
    @DisplayName("A1 COMM_EST also when the first packet is out of sequence; never in RTS")
    void anyFirstPacketEstablishesCommunication() {
        Trace trace = Trace.inRtr().open();
        trace.peerSends(writeOnly(0x101, 8)).expect(sequenceNak(0x100)).expectEvent(AsyncEvent.Type.COMM_EST);
        Trace inRts = Trace.inRts().open();
        inRts.peerSends(writeOnly(0x100, 8)).expectNoEvent();
    }

    @Test
    @DisplayName("A1 CQ_ERR once per completion queue, QP_FATAL once per queue pair, each with its object")
    void anOverrunIsReportedOnce() {
        Trace trace = Trace.inRts().completions(1).open();
        trace.posts(send(8), send(8), send(8), send(8)).postsReceives(8, 8).takeAll();
        trace.peerSends(PeerPacket.ackOf(0x103));
        AsyncEvent first = trace.expectEvent(AsyncEvent.Type.CQ_ERR);
        assertSame(trace.completionQueue, first.completionQueue());
        assertNull(first.queuePair());
        assertTrue(first.explanation().contains("1 entries"), first.explanation());
        assertSame(trace.pair, trace.expectEvent(AsyncEvent.Type.QP_FATAL).queuePair());
        trace.posts(send(8));
        trace.expectNoEvent();
        trace.expectCompletion(1, SUCCESS);
        trace.posts(send(8)).expectCompletion(6, WR_FLUSH_ERR);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("A1 modify to ERROR raises no event; neither do exhausted retries, which a completion reports")
    void whatACompletionTellsIsNoEvent() {
        Trace trace = Trace.inRts().timeout(8).retryCount(0).open();
        trace.posts(send(8));
        trace.advance(1, TimeUnit.SECONDS).expectState(QueuePairState.ERROR).expectNoEvent();
        Trace modified = Trace.inRts().open();
        modified.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        modified.run().expectNoEvent();
    }

    @Test
    @DisplayName("A1 Q2 a failed request whose completion finds no place raises QP_FATAL; what is flushed after it raises nothing")
    void aFailureThatNoCompletionReports() {
        Trace trace = Trace.inRts().completions(1).open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(PeerPacket.ackOf(0x100));
        trace.posts(new WorkRequest().send().add(Trace.BASE, 8, 0xBAD), send(8)).expectNothing().expectState(QueuePairState.ERROR);
        trace.expectEvent(AsyncEvent.Type.CQ_ERR);
        AsyncEvent fatal = trace.expectEvent(AsyncEvent.Type.QP_FATAL);
        assertSame(trace.pair, fatal.queuePair());
        assertTrue(fatal.explanation().contains("local key"), fatal.explanation());
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("A1 requests in ERROR raise no further event")
    void oneCauseOneEvent() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(writeOnly(0x100, 8).key(1), writeOnly(0x100, 8).key(1), sendOnly(0x100, 8));
        trace.expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("A1 every event of the catalogue has a name")
    void everyEventHasAName() {
        Set<AsyncEvent.Type> catalogue = EnumSet.of(AsyncEvent.Type.QP_FATAL, AsyncEvent.Type.QP_REQ_ERR, AsyncEvent.Type.QP_ACCESS_ERR,
            AsyncEvent.Type.COMM_EST, AsyncEvent.Type.SQ_DRAINED, AsyncEvent.Type.PATH_MIG, AsyncEvent.Type.PATH_MIG_ERR,
            AsyncEvent.Type.QP_LAST_WQE_REACHED, AsyncEvent.Type.CQ_ERR, AsyncEvent.Type.SRQ_ERR, AsyncEvent.Type.SRQ_LIMIT_REACHED,
            AsyncEvent.Type.PORT_ACTIVE, AsyncEvent.Type.PORT_ERR, AsyncEvent.Type.DEVICE_FATAL, AsyncEvent.Type.LID_CHANGE,
            AsyncEvent.Type.PKEY_CHANGE, AsyncEvent.Type.SM_CHANGE, AsyncEvent.Type.CLIENT_REREGISTER, AsyncEvent.Type.GID_CHANGE);
        assertEquals(EnumSet.allOf(AsyncEvent.Type.class), catalogue);
    }
}
