package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.frame;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.sendFirst;
import static io.rxe.qp.FrameExpectation.sendLast;
import static io.rxe.qp.FrameExpectation.sendMiddle;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.atomicAckOf;
import static io.rxe.qp.PeerPacket.nakOf;
import static io.rxe.qp.PeerPacket.readOnly;
import static io.rxe.qp.PeerPacket.rnrOf;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static io.rxe.qp.Trace.write;
import static io.rxe.verbs.CompletionStatus.LOC_LEN_ERR;
import static io.rxe.verbs.CompletionStatus.LOC_PROT_ERR;
import static io.rxe.verbs.CompletionStatus.REM_ACCESS_ERR;
import static io.rxe.verbs.CompletionStatus.SUCCESS;
import static io.rxe.verbs.CompletionStatus.WR_FLUSH_ERR;
import static io.rxe.wire.Syndrome.PSN_SEQUENCE_ERROR;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules Q1 to Q3 and Q11 to Q15: what the requester sends, when, and what it never sends. */
class RequesterRulesTest {
    private static final int MTU = 1024;

    @ParameterizedTest
    @EnumSource(value = QueuePairState.class, names = {"RESET", "INIT", "RTR"})
    @DisplayName("Q1 nothing is sent before RTS: posting is refused and says what to do")
    void nothingIsSentBeforeRts(QueuePairState state) {
        Trace trace = Trace.inRts().in(state).open();
        String text = assertThrows(IllegalStateException.class, () -> trace.pair.postSend(send(8))).getMessage();
        assertTrue(text.contains(state.name()) && text.contains("RTS"), text);
        trace.expectNothing();
    }

    @Test
    @DisplayName("Q1 Q12 in ERROR a posted request is flushed, not sent")
    void inErrorRequestsAreFlushed() {
        Trace trace = Trace.inRts().open();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.posts(send(8)).postsReceives(64).expectNothing();
        trace.expectCompletion(1, WR_FLUSH_ERR);
        trace.expectCompletion(100, WR_FLUSH_ERR);
        trace.expectNoCompletion();
    }

    @Test
    @DisplayName("Q2 there is no operation an RC queue pair accepts and cannot carry out; others are refused when posted")
    void operationsThatCannotBePostedAreRefused() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), new WorkRequest().sendWithImmediate(1), new WorkRequest().sendWithInvalidate(2), write(8),
            new WorkRequest().writeWithImmediate(0, 0, 1), read(8), Trace.fetchAdd(1),
            new WorkRequest().compareAndSwap(0, 0, 1, 2).add(Trace.BASE, 8, Trace.KEY));
        assertEquals(8, trace.takeAll().size());
        trace.expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("Q2 wrong local memory: LOC_PROT_ERR with its own status, ERROR, no event, SQ and RQ flushed, nothing on the wire")
    void wrongLocalMemoryFailsTheRequest() {
        List<WorkRequest> wrong = List.of(
            new WorkRequest().send().add(Trace.BASE, 8, 0xBAD),
            new WorkRequest().send().add(Trace.BASE + (1 << 18) - 7, 8, Trace.KEY),
            new WorkRequest().send().add(Trace.BASE - 1, 8, Trace.KEY),
            new WorkRequest().send().add(Trace.BASE, 8, Trace.KEY).add(Trace.BASE, 8, 0xBAD),
            new WorkRequest().write(0, 0).add(Trace.BASE, 3000, 0xBAD));
        for (WorkRequest request : wrong) {
            Trace trace = Trace.inRts().open();
            trace.postsReceives(64);
            trace.posts(request, send(8)).expectNothing();
            trace.expectState(QueuePairState.ERROR);
            assertTrue(trace.expectCompletion(1, LOC_PROT_ERR).explanation().contains("local key"));
            trace.expectCompletion(2, WR_FLUSH_ERR);
            trace.expectCompletion(100, WR_FLUSH_ERR);
            trace.expectNoCompletion();
            trace.expectNoEvent();
        }
    }

    @Test
    @DisplayName("Q2 wrong memory for a response: LOC_PROT_ERR when it arrives, ERROR, no event, flushed; the peer's refusal comes first")
    void wrongMemoryForAResponse() {
        for (WorkRequest request : List.of(new WorkRequest().read(0x9000, 7).add(Trace.BASE, 8, 0xBAD),
            new WorkRequest().fetchAndAdd(0x9000, 7, 1).add(Trace.BASE, 8, 0xBAD))) {
            for (boolean isRefused : new boolean[] {false, true}) {
                Trace trace = Trace.inRts().open();
                trace.posts(request, send(8));
                assertEquals(2, trace.takeAll().size());
                trace.peerSends(isRefused ? nakOf(0x100, REMOTE_ACCESS_ERROR)
                    : request.operation() == Operation.RDMA_READ ? readOnly(0x100, 8) : atomicAckOf(0x100, 1));
                trace.expectState(QueuePairState.ERROR);
                trace.expectCompletion(1, isRefused ? REM_ACCESS_ERR : LOC_PROT_ERR);
                trace.expectCompletion(2, WR_FLUSH_ERR);
                trace.expectNoCompletion();
                trace.expectNoEvent();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 7, 9, 16})
    @DisplayName("Q2 an atomic whose local memory has not 8 bytes: LOC_LEN_ERR, ERROR, no event, flushed, nothing on the wire")
    void atomicOfAnotherLength(int bytes) {
        for (WorkRequest request : List.of(new WorkRequest().fetchAndAdd(0, 0, 1), new WorkRequest().compareAndSwap(0, 0, 1, 2))) {
            Trace trace = Trace.inRts().open();
            trace.posts(bytes == 0 ? request : request.add(Trace.BASE, bytes, Trace.KEY), send(8)).expectNothing();
            trace.expectState(QueuePairState.ERROR);
            assertTrue(trace.expectCompletion(1, LOC_LEN_ERR).explanation().contains(" into " + bytes + " bytes"));
            trace.expectCompletion(2, WR_FLUSH_ERR);
            trace.expectNoCompletion().expectNoEvent();
        }
    }

    @Test
    @DisplayName("Q2 wrong local memory of a request that met a full sink: LOC_PROT_ERR once there is room, nothing on the wire")
    void wrongLocalMemoryBehindAFullSink() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.posts(new WorkRequest().send().add(Trace.BASE, 8, 0xBAD), send(8)).expectNothing();
        trace.sink.room(100);
        trace.run().expectNothing();
        trace.expectCompletion(1, LOC_PROT_ERR);
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.expectNoCompletion();
        trace.expectState(QueuePairState.ERROR).expectNoEvent();
    }

    @Test
    @DisplayName("Q2 Q14 requests before the failed one complete first, with their own status")
    void earlierRequestsCompleteBeforeTheFailedOne() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), send(8), new WorkRequest().send().add(Trace.BASE, 8, 0xBAD), send(8));
        trace.expect(sendOnly(0x100), sendOnly(0x101)).expectNothing().expectNoCompletion();
        trace.peerSends(ackOf(0x101));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.expectCompletion(3, LOC_PROT_ERR);
        trace.expectCompletion(4, WR_FLUSH_ERR);
        trace.expectState(QueuePairState.ERROR);
    }

    @Test
    @DisplayName("Q2 memory deregistered in the middle of a message fails it; earlier requests are still retried")
    void memoryThatGoesAwayFailsTheMessage() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion window = trace.domain.register(0, 0x9000, ByteBuffer.allocateDirect(4096));
        trace.posts(send(8)).takeAll();
        trace.sink.room(2);
        trace.posts(new WorkRequest().send().add(0x9000, 4096, 0x5151)).expect(sendFirst(0x101), sendMiddle(0x102));
        window.close();
        trace.sink.room(100);
        trace.run().expectNothing().expectNoCompletion();
        trace.peerSends(ackOf(0x100));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, LOC_PROT_ERR);
        trace.expectNoEvent();
    }

    @Test
    @DisplayName("Q2 a probe whose memory is gone is left out, since the packet may have arrived; after the ACK timeout it fails")
    void aProbeWithoutMemoryIsLeftOut() {
        Trace trace = Trace.inRts().open();
        trace.nextDraws(0x5151);
        MemoryRegion region = trace.domain.register(0, 0x9000, ByteBuffer.allocateDirect(8));
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100));
        trace.expectCompletion(1, SUCCESS);
        trace.posts(new WorkRequest().send().add(0x9000, 8, 0x5151)).expect(sendOnly(0x101));
        region.close();
        trace.advance(20, TimeUnit.MILLISECONDS).expectNothing().expectNoCompletion();
        assertTrue(trace.counter(NicCounter.LOSS_PROBE) > 0);
        trace.advance(60, TimeUnit.MILLISECONDS);
        trace.expectCompletion(2, LOC_PROT_ERR);
    }

    @Test
    @DisplayName("Q3 going back skips completed requests, retransmits pending ones, and continues with posted ones")
    void goingBackWalksTheQueue() {
        Trace trace = Trace.inRts().maxRdAtomic(1).open();
        trace.posts(send(8), read(8), read(8), send(8)).expect(sendOnly(0x100), readRequest(0x101, 8)).expectNothing();
        trace.advance(70, TimeUnit.MILLISECONDS).expect(sendOnly(0x100), readRequest(0x101, 8)).expectNothing();
        trace.peerSends(readOnly(0x101, 8)).expect(readRequest(0x102, 8), sendOnly(0x103)).expectNothing();
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        trace.advance(300, TimeUnit.MILLISECONDS);
        assertTrue(trace.takeAll().stream().allMatch(frame -> frame.psn() >= 0x102));
    }

    @Test
    @DisplayName("Q3 a partly answered READ resumes with the address and length that are missing")
    void aPartlyAnsweredReadIsShrunk() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(5000)).expect(readRequest(0x100, 5000).at(0x5000_0000L));
        trace.peerSends(PeerPacket.readFirst(0x100, MTU), PeerPacket.readMiddle(0x101, MTU));
        trace.advance(70, TimeUnit.MILLISECONDS);
        trace.expect(readRequest(0x102, 5000 - 2 * MTU).at(0x5000_0000L + 2 * MTU).key(0x99));
        trace.peerSends(PeerPacket.readFirst(0x102, MTU), PeerPacket.readMiddle(0x103, MTU), PeerPacket.readLast(0x104, 5000 - 4096));
        assertEquals(5000, trace.expectCompletion(1, SUCCESS).byteLength());
        trace.expectMemory(2 * MTU, PeerPacket.payloadOf(0x102, MTU)).expectUntouched(5000, 1000);
    }

    @Test
    @DisplayName("Q11 READs and atomics outstanding never exceed max_rd_atomic; the queue stalls behind the next one, in order")
    void readsAndAtomicsAreLimited() {
        Trace trace = Trace.inRts().maxRdAtomic(2).open();
        trace.posts(read(8), Trace.fetchAdd(1), read(2000), send(8));
        trace.expect(readRequest(0x100, 8), frame(Opcode.RC_FETCH_ADD, 0x101)).expectNothing();
        trace.peerSends(readOnly(0x100, 8)).expect(readRequest(0x102, 2000), sendOnly(0x104)).expectNothing();
        trace.posts(read(8)).expectNothing();
        trace.peerSends(PeerPacket.atomicAckOf(0x101, 5)).expect(readRequest(0x105, 8)).expectNothing();
        trace.posts(read(8));
        trace.peerSends(PeerPacket.readFirst(0x102, MTU)).expectNothing();
        trace.peerSends(PeerPacket.readLast(0x103, 2000 - MTU)).expect(readRequest(0x106, 8)).expectNothing();
    }

    @Test
    @DisplayName("Q11 a long READ is split into several requests, at most max_rd_atomic of them outstanding")
    void aLongReadIsAskedForInChunks() {
        Trace trace = Trace.inRts().maxRdAtomic(1).open();
        trace.posts(read(60 * MTU)).expect(readRequest(0x100, 32 * MTU)).expectNothing();
        trace.peerSends(PeerPacket.readFirst(0x100, MTU));
        for (int i = 1; i < 31; i++) {
            trace.peerSends(PeerPacket.readMiddle(0x100 + i, MTU));
        }
        trace.expectNothing();
        trace.peerSends(PeerPacket.readLast(0x11F, MTU));
        trace.expect(readRequest(0x120, 28 * MTU).at(0x5000_0000L + 32 * MTU)).expectNothing();
    }

    @Test
    @DisplayName("Q11 max_rd_atomic 0 rejects READs and atomics when they are posted")
    void withoutPlacesReadsAreRejected() {
        Trace trace = Trace.inRts().maxRdAtomic(0).open();
        for (WorkRequest request : List.of(read(8), Trace.fetchAdd(1), read(0))) {
            String text = assertThrows(IllegalArgumentException.class, () -> trace.pair.postSend(request)).getMessage();
            assertTrue(text.contains("MAX_RD_ATOMIC 0") && text.contains("at least 1"), text);
        }
        trace.posts(send(8)).expect(sendOnly(0x100));
    }

    @Test
    @DisplayName("Q11 a fenced request waits for the READs and atomics before it, an unfenced one does not")
    void aFenceWaitsForReads() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), send(8), send(8).fence(true), send(8)).expect(readRequest(0x100, 8), sendOnly(0x101)).expectNothing();
        trace.peerSends(ackOf(0x101)).expect(readRequest(0x100, 8)).expectNothing();
        trace.peerSends(readOnly(0x100, 8)).expect(sendOnly(0x102), sendOnly(0x103)).expectNothing();
    }

    @Test
    @DisplayName("Q12 in ERROR every arriving packet is dropped and counted; in RESET as well")
    void inErrorAndResetPacketsAreDropped() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8), read(8)).takeAll();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.run().expectCompletion(1, WR_FLUSH_ERR);
        trace.expectCompletion(2, WR_FLUSH_ERR);
        trace.peerSends(ackOf(0x100), readOnly(0x101, 8), PeerPacket.writeOnly(0x100, 8).ackReq()).expectNothing();
        assertEquals(3, trace.dropped(DropReason.QUEUE_PAIR_ERROR_STATE));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.peerSends(ackOf(0x100), PeerPacket.writeOnly(0x100, 8).ackReq()).expectNothing();
        assertEquals(2, trace.dropped(DropReason.QUEUE_PAIR_NOT_READY));
        trace.expectNoCompletion().expectUntouched(0, 64).advance(10, TimeUnit.SECONDS).expectNothing();
    }

    @Test
    @DisplayName("Q12 after RESET a queue pair can be connected again, with other PSNs and no state from before")
    void aResetQueuePairStartsAnew() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.posts(send(8), read(3000)).postsReceives(64).takeAll();
        trace.peerSends(rnrOf(0x100, 0));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.pair.modify(QueuePairAttributes.toInit(trace.setup.access));
        trace.pair.modify(trace.toRtr().receivePsn(0x900));
        trace.pair.modify(trace.toRts().sendPsn(0x800));
        trace.expectNothing().expectNoCompletion();
        trace.posts(send(8)).expect(sendOnly(0x800)).expectNothing();
        trace.peerSends(PeerPacket.sendOnly(0x900, 8).ackReq()).expect(FrameExpectation.rnr(0x900, 12));
        trace.peerSends(ackOf(0x800)).expectCompletion(3, SUCCESS);
    }

    @Test
    @DisplayName("Q13 SQD: the message in progress ends, nothing new begins; SQ_DRAINED once, when the last PSN is acknowledged")
    void drainingEndsTheMessageInProgress() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(1);
        trace.posts(send(3000), send(8)).expect(sendFirst(0x100));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD).drainedNotification(true));
        trace.sink.room(100);
        trace.run().expect(sendMiddle(0x101), sendLast(0x102)).expectNothing().expectNoEvent();
        trace.posts(send(8)).expectNothing();
        trace.peerSends(ackOf(0x101)).expectNoEvent().takeAll();
        trace.peerSends(ackOf(0x102)).expectCompletion(1, SUCCESS);
        assertSame(trace.pair, trace.expectEvent(AsyncEvent.Type.SQ_DRAINED).queuePair());
        trace.advance(1, TimeUnit.SECONDS).expectNothing().expectNoEvent().expectState(QueuePairState.SQD);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.run().expect(sendOnly(0x103), sendOnly(0x104)).expectNothing();
    }

    @Test
    @DisplayName("Q13 SQ_DRAINED only if requested for this drain")
    void drainedIsReportedOnlyIfAskedFor() {
        Trace trace = Trace.inRts().open();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.run().expectNoEvent();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD).drainedNotification(true));
        trace.run().expectEvent(AsyncEvent.Type.SQ_DRAINED);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.run().expectNoEvent();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD).drainedNotification(false));
        trace.run().expectNoEvent();
    }

    @Test
    @DisplayName("Q13 in SQD what is outstanding is still retried, also after an RNR NAK, and requests are still answered")
    void drainingStillRetries() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).expect(sendOnly(0x100));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD).drainedNotification(true));
        trace.peerSends(rnrOf(0x100, 12)).advance(1, TimeUnit.MILLISECONDS).expect(sendOnly(0x100));
        trace.advance(70, TimeUnit.MILLISECONDS).expect(sendOnly(0x100)).expectNoEvent();
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq()).expect(FrameExpectation.ack(0x100));
        trace.peerSends(ackOf(0x100)).expectEvent(AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    @DisplayName("Q14 unsignaled requests complete silently on success, always visibly on error, in posting order")
    void unsignaledRequestsCompleteSilently() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8).signaled(false), send(8), write(8).signaled(false), read(8).signaled(false), send(8));
        trace.peerSends(ackOf(0x102));
        trace.expectCompletion(2, SUCCESS);
        trace.expectNoCompletion();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.run().expectCompletion(4, WR_FLUSH_ERR);
        trace.expectCompletion(5, WR_FLUSH_ERR);
        trace.expectNoCompletion();
        assertEquals(0, trace.pair.outstandingSends());
    }

    @Test
    @DisplayName("Q14 with signalAll every request reports a completion")
    void signalAllSignalsAll() {
        Trace trace = Trace.inRts().signalAll().open();
        trace.posts(send(8).signaled(false), read(8).signaled(false));
        trace.peerSends(readOnly(0x101, 8));
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
    }

    @Test
    @DisplayName("Q14 CQEs of one queue pair appear in posting order, though a later one is answered first")
    void completionsAppearInPostingOrder() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(8), Trace.fetchAdd(1), write(8), read(8)).takeAll();
        trace.peerSends(readOnly(0x103, 8), ackOf(0x102), PeerPacket.atomicAckOf(0x101, 9)).expectNoCompletion();
        trace.peerSends(readOnly(0x100, 8));
        for (int id = 1; id <= 4; id++) {
            trace.expectCompletion(id, SUCCESS);
        }
    }

    @Test
    @DisplayName("R17 Q14 send completion queue full: CQ_ERR, ERROR, QP_FATAL, flush, on the send side too")
    void aFullSendCompletionQueueFailsTheQueuePair() {
        Trace trace = Trace.inRts().completions(2).open();
        trace.posts(send(8), send(8), send(8), send(8)).takeAll();
        trace.peerSends(ackOf(0x102)).expectState(QueuePairState.ERROR);
        trace.expectEvent(AsyncEvent.Type.CQ_ERR);
        trace.expectEvent(AsyncEvent.Type.QP_FATAL);
        trace.expectNoEvent();
        trace.expectCompletion(1, SUCCESS);
        trace.expectCompletion(2, SUCCESS);
        assertEquals(0, trace.pair.outstandingSends());
        trace.posts(send(8));
        trace.expectCompletion(5, WR_FLUSH_ERR);
    }

    @Test
    @DisplayName("Q3 P6 a packet that finds the sink full changes no state until it is sent")
    void aFullSinkOnlyDelays() {
        Trace trace = Trace.inRts().open();
        trace.sink.room(0);
        trace.posts(send(2000), read(8), write(8)).expectNothing();
        for (FrameExpectation expected : List.of(sendFirst(0x100), sendLast(0x101), readRequest(0x102, 8), writeOnly(0x103))) {
            trace.sink.room(1);
            trace.run().expect(expected).expectNothing();
        }
        trace.peerSends(nakOf(0x100, PSN_SEQUENCE_ERROR)).expectNothing();
        trace.sink.room(1);
        trace.run().expect(sendFirst(0x100));
        trace.expectNoCompletion().expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("Q1 the opcode and headers of every operation")
    void operationsAreWrittenRight() {
        Trace trace = Trace.inRts().open();
        trace.posts(new WorkRequest().sendWithImmediate(0x01020304).add(Trace.BASE, 5, Trace.KEY).solicited(true),
            new WorkRequest().sendWithInvalidate(0x55AA).add(Trace.BASE, 5, Trace.KEY),
            new WorkRequest().write(0x1234_5678_9ABCL, 0x42).add(Trace.BASE + 3, 5, Trace.KEY).add(Trace.BASE, 2, Trace.KEY)
                .solicited(true),
            new WorkRequest().writeWithImmediate(7, 8, 9).solicited(true),
            new WorkRequest().compareAndSwap(0x20, 0x43, 11, 22).add(Trace.BASE, 8, Trace.KEY),
            new WorkRequest().send().inline(ByteBuffer.wrap(new byte[] {1, 2, 3})));
        trace.expect(frame(Opcode.RC_SEND_ONLY_WITH_IMMEDIATE, 0x100).immediate(0x01020304).solicited(true).payload(5).ackReq(),
            frame(Opcode.RC_SEND_ONLY_WITH_INVALIDATE, 0x101).key(0x55AA).solicited(false).payload(5),
            writeOnly(0x102).at(0x1234_5678_9ABCL).key(0x42).dmaLength(7).solicited(false).bytes(concat()),
            frame(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 0x103).immediate(9).solicited(true).at(7).key(8).dmaLength(0),
            frame(Opcode.RC_COMPARE_SWAP, 0x104).at(0x20).key(0x43).field("swap", 22L, SentFrame::swapOrAdd)
                .field("compare", 11L, SentFrame::compare),
            sendOnly(0x105).bytes(new byte[] {1, 2, 3})).expectNothing();
    }

    private static byte[] concat() {
        byte[] bytes = new byte[7];
        System.arraycopy(Trace.memoryBytes(3, 5), 0, bytes, 0, 5);
        System.arraycopy(Trace.memoryBytes(0, 2), 0, bytes, 5, 2);
        return bytes;
    }

    @Test
    @DisplayName("Q1 the last packet of a message alone carries the solicited bit, and AckReq")
    void theSolicitedBitRidesAtTheEnd() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(3000).solicited(true)).expect(sendFirst(0x100).solicited(false).noAckReq(),
            sendMiddle(0x101).solicited(false).noAckReq(), sendLast(0x102).solicited(true).ackReq());
    }

    @Test
    @DisplayName("Q1 the last packet before the window closes carries AckReq, so the window always opens again")
    void theWindowClosesOnAnAckRequest() {
        Trace trace = Trace.inRts().timeout(0).open();
        trace.posts(send(100 * MTU));
        int sent = 0;
        while (sent < 100) {
            List<SentFrame> frames = trace.takeAll();
            assertTrue(!frames.isEmpty(), "stalled after " + sent);
            SentFrame last = frames.get(frames.size() - 1);
            assertTrue(last.isAckRequested(), last::toString);
            sent += frames.size();
            trace.peerSends(ackOf(last.psn()));
        }
        assertEquals(CompletionStatus.SUCCESS, trace.expectCompletion(1, SUCCESS).status());
    }
}
