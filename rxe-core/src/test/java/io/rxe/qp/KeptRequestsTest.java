package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.nak;
import static io.rxe.qp.FrameExpectation.sequenceNak;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.wire.Syndrome.REMOTE_ACCESS_ERROR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.device.NicInspection;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.DropReason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule R1: requests kept behind a gap are believed only while nothing contradicts them, and are not kept for ever. */
public class KeptRequestsTest {
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
        assertEquals(2 * 128 + 1152, NicInspection.reorderBytesInUse(trace.nic), "two requests and a page of the index");
        trace.advance(1, TimeUnit.MILLISECONDS);
        assertEquals(0, NicInspection.reorderBytesInUse(trace.nic));
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
        assertEquals(0, NicInspection.reorderBytesInUse(trace.nic));
    }

    @Test
    @DisplayName("R1 a forged request behind the gap is executed before the true one arrives: then the queue pair ends, without a response")
    void aForgeryThatWasExecutedEndsTheConnection() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(writeOnly(0x102, 8)).expect(sequenceNak(0x100));
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(sequenceNak(0x101));
        trace.peerSends(writeOnly(0x101, 8).ackReq()).expect(ack(0x102)).expectNothing();
        trace.expectMemory(0, PeerPacket.payloadOf(0x102, 8));
        trace.peerSends(write(0x102)).expectNothing().expectState(QueuePairState.ERROR).expectUntouched(AT, 8);
        String text = trace.expectEvent(AsyncEvent.Type.QP_REQ_ERR).explanation();
        assertTrue(text.contains("0x000102") && text.contains("forged"), text);
        trace.expectNoEvent();
        assertEquals(1, trace.dropped(DropReason.CONFLICTING_DUPLICATE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"length", "opcode", "immediate", "read"})
    @DisplayName("R1 the true request differs from the forged one in its length, opcode, immediate data, or is no READ")
    void eachDifferenceOfTheHeadersEndsTheConnection(String difference) {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.postsReceives(64, 64);
        trace.peerSends(difference.equals("read") ? PeerPacket.read(0x101, 8) : PeerPacket.writeOnlyImmediate(0x101, 8).immediate(1));
        trace.peerSends(writeOnly(0x100, 8));
        trace.peerSends(switch (difference) {
            case "length" -> PeerPacket.writeOnlyImmediate(0x101, 12).immediate(1);
            case "opcode" -> writeOnly(0x101, 8);
            default -> PeerPacket.writeOnlyImmediate(0x101, 8).immediate(2);
        });
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.QP_REQ_ERR);
    }

    @Test
    @DisplayName("R1 R4 R5 R6 a go-back-N peer retransmits what was kept, with other AckReq, MigReq or payload, or a READ in part")
    void retransmissionsOfExecutedRequestsAreNoConflict() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x101).noAckReq(), PeerPacket.read(0x102, 2000), PeerPacket.fetchAdd(0x104, 1), writeOnly(0x100, 8));
        trace.advance(1, TimeUnit.MILLISECONDS);
        trace.takeAll();
        trace.peerSends(write(0x101), write(0x101).change(buffer -> buffer.putByte(1, (byte) (buffer.getByte(1) ^ 0x40))));
        trace.peerSends(write(0x101).payload((byte) 1, (byte) 2, (byte) 3, (byte) 4, (byte) 5, (byte) 6, (byte) 7, (byte) 8));
        trace.peerSends(PeerPacket.read(0x102, 1024), PeerPacket.read(0x103, 976).at(Trace.BASE + 1024), PeerPacket.fetchAdd(0x104, 1));
        trace.expectState(QueuePairState.RTS).expectNoEvent();
        assertEquals(0, trace.dropped(DropReason.CONFLICTING_DUPLICATE));
        trace.peerSends(write(0x105).ackReq()).expectState(QueuePairState.RTS);
    }

    @Test
    @DisplayName("R1 T11 a keep-alive with the PSN of a request that was kept is no forgery")
    void aKeepAliveIsNoForgery() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x101), writeOnly(0x100, 8));
        trace.advance(1, TimeUnit.MILLISECONDS);
        trace.takeAll();
        trace.peerSends(writeOnly(0x101, 0).at(0).key(0).ackReq()).expect(ack(0x101)).expectState(QueuePairState.RTS).expectNoEvent();
    }

    @Test
    @DisplayName("R1 a request that was executed when it arrived in order is not compared: a forged duplicate only gets an ACK")
    void aForgedDuplicateOfARequestInOrderChangesNothing() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(write(0x100)).expect(ack(0x100));
        trace.peerSends(writeOnly(0x100, 64)).expect(ack(0x100)).expectState(QueuePairState.RTS).expectNoEvent();
    }

    @Test
    @DisplayName("R3 R1 a kept request with a wrong key is not refused: a NAK requests it again, and the true one is executed")
    void aForgedRequestBehindAGapIsNotRefused() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(write(0x101).key(~Trace.KEY)).expect(sequenceNak(0x100));
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(sequenceNak(0x101)).expectNothing();
        trace.expectState(QueuePairState.RTS).expectNoEvent();
        assertEquals(1, trace.dropped(DropReason.KEPT_REQUEST_DOUBTED));
        trace.peerSends(write(0x101)).expect(ack(0x101)).expectMemory(AT, PeerPacket.payloadOf(0x101, 8));
    }

    @Test
    @DisplayName("R3 R1 what is kept behind a doubted request is executed when the doubted one has come again")
    void requestsBehindADoubtedOneStayKept() {
        Trace trace = Trace.inRts().hostilePeer().open();
        trace.peerSends(PeerPacket.writeMiddle(0x101, 1024), write(0x102)).expect(sequenceNak(0x100));
        trace.peerSends(writeOnly(0x100, 8)).expect(sequenceNak(0x101)).expectNothing();
        trace.peerSends(writeOnly(0x101, 8)).expect(ack(0x102)).expectNothing().expectMemory(AT, PeerPacket.payloadOf(0x102, 8));
    }

    @Test
    @DisplayName("R3 R13 a bad request behind a gap is refused when the peer sends it again in order")
    void aBadRequestIsRefusedInOrder() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(write(0x101).key(~Trace.KEY)).expect(sequenceNak(0x100));
        trace.peerSends(writeOnly(0x100, 8).ackReq()).expect(sequenceNak(0x101));
        trace.peerSends(write(0x101).key(~Trace.KEY)).expect(nak(0x101, REMOTE_ACCESS_ERROR)).expectState(QueuePairState.ERROR);
        trace.expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
    }
}
