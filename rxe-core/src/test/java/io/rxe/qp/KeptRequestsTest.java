package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.PeerPacket.writeOnly;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.device.NicInspection;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rule R1: requests kept behind a gap are believed only while nothing contradicts them, and are not kept for ever. */
class KeptRequestsTest {
    private static final int AT = 64;

    private static PeerPacket write(int psn) {
        return writeOnly(psn, 8).at(Trace.BASE + AT).ackReq();
    }

    @Test
    @DisplayName("R1 two requests that differ claim one PSN behind a gap: neither is executed, and the peer retransmits")
    void neitherOfTwoRequestsIsBelieved() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(write(0x102).payload((byte) 1, (byte) 2, (byte) 3, (byte) 4)).expect(sequenceNak(0x100));
        trace.peerSends(write(0x102)).expectNothing();
        assertEquals(2, trace.dropped(DropReason.CONFLICTING_REQUEST));
        trace.peerSends(writeOnly(0x100, 8).ackReq(), writeOnly(0x101, 8).ackReq()).expect(ack(0x100), ack(0x101)).expectNothing();
        trace.expectUntouched(AT, 8);
        trace.peerSends(write(0x102)).expect(ack(0x102)).expectMemory(AT, PeerPacket.payloadOf(0x102, 8));
    }

    @Test
    @DisplayName("R1 another address in the header is a conflict too")
    void anotherHeaderIsAConflict() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(write(0x101), write(0x101).at(Trace.BASE + 128)).expect(sequenceNak(0x100)).expectNothing();
        assertEquals(2, trace.dropped(DropReason.CONFLICTING_REQUEST));
    }

    @Test
    @DisplayName("R1 a retransmission that differs only in AckReq or congestion marks is the same request")
    void aRetransmissionIsNoConflict() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x101), write(0x101).noAckReq(), write(0x101).change(buffer -> buffer.putByte(4, (byte) 0xC0)));
        trace.expect(sequenceNak(0x100)).expectNothing();
        assertEquals(0, trace.dropped(DropReason.CONFLICTING_REQUEST));
        trace.peerSends(writeOnly(0x100, 8)).expect(ack(0x101)).expectNothing();
    }

    @Test
    @DisplayName("R1 requests behind a gap that does not move for a second return their frames to the pool")
    void keptRequestsExpire() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x101), write(0x102)).expect(sequenceNak(0x100));
        trace.advance(999, TimeUnit.MILLISECONDS);
        assertEquals(2, NicInspection.framesInUse(trace.nic));
        trace.advance(1, TimeUnit.MILLISECONDS);
        assertEquals(0, NicInspection.framesInUse(trace.nic));
        assertEquals(2, trace.dropped(DropReason.REORDER_EXPIRED));
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(ack(0x100)).expectNothing();
    }

    @Test
    @DisplayName("R1 Q12 a queue pair in ERROR keeps no frames of the pool")
    void anErrorReturnsTheFrames() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x101)).expect(sequenceNak(0x100));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        trace.run();
        assertEquals(0, NicInspection.framesInUse(trace.nic));
    }
}
