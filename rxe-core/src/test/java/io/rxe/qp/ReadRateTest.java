package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.ack;
import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readMiddle;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.readRequest;
import static io.rxe.qp.FrameExpectation.sendOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.read;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.send;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.counters.NicCounter;
import io.rxe.port.EcnOptions;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.DropReason;
import io.rxe.wire.Ecn;
import io.rxe.wire.FiveBitCode;
import io.rxe.wire.Opcode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules G9 and G11: a requester tells how fast its READ responses may leave, and may ask a known peer for more. */
public class ReadRateTest {
    /** 1,048,576 bytes a second. */
    private static final int MEBIBYTE = 7;
    private static final long PACKET_NS = 1024 * 1_000_000_000L >> 20;
    /** The first packet after a pause counts as late by so much. */
    private static final long BATCH_NS = 100_000;

    private static Trace known() {
        Trace trace = Trace.inRts().open();
        return trace.peerSends(writeOnly(0x100, 8).marked().ackReq()).expect(ack(0x100).marked(true));
    }

    /** With the first mark, 8 Mbit/s. */
    private static Trace eightMegabits() {
        return Trace.inRts().ecn(EcnOptions.ON).congestion(CongestionOptions.parse("dcqcn,rate_to_set_on_first_cnp=8mbit"), null).open();
    }

    private static PeerPacket paced(PeerPacket readRequest) {
        return readRequest.marked().change(buffer -> Bth.readRate(buffer, 0, MEBIBYTE));
    }

    @Test
    @DisplayName("G9 responses leave at the rate that their request told, and what is due behind them follows")
    void responsesArePaced() {
        Trace trace = known();
        trace.peerSends(paced(read(0x101, 3072)), writeOnly(0x104, 8).marked().ackReq()).expect(readFirst(0x101)).expectNothing();
        trace.advanceNs(PACKET_NS - BATCH_NS - 1).expectNothing();
        trace.advanceNs(1).expect(readMiddle(0x102)).expectNothing();
        trace.advanceNs(PACKET_NS - 1).expectNothing();
        trace.advanceNs(1).expect(readLast(0x103), ack(0x104)).expectNothing();
    }

    @Test
    @DisplayName("G9 G10 a request that tells when it left tells no rate: the one told before holds, for requests of this connection only")
    void theRateToldBeforeHolds() {
        Trace trace = known();
        PeerPacket timed = read(0x103, 2048).marked().change(buffer -> Bth.sendTime(buffer, 0, 1023));
        trace.peerSends(paced(read(0x101, 2048))).expect(readFirst(0x101)).expectNothing();
        trace.advanceNs(PACKET_NS).expect(readLast(0x102)).peerSends(timed).expectNothing();
        trace.advanceNs(PACKET_NS).expect(readFirst(0x103)).expectNothing();
        trace.advanceNs(PACKET_NS).expect(readLast(0x104)).expectNothing();
        trace.peerSends(read(0x105, 2048).marked()).advanceNs(PACKET_NS).expect(readFirst(0x105), readLast(0x106));
    }

    @Test
    @DisplayName("G9 requests of this side do not wait for responses that are paced")
    void requestsDoNotWait() {
        Trace trace = known();
        trace.peerSends(paced(read(0x101, 2048))).expect(readFirst(0x101)).expectNothing();
        trace.posts(send(8)).expect(sendOnly(0x100)).expectNothing();
        trace.advance(1, TimeUnit.MILLISECONDS).expect(readLast(0x102)).expectNothing();
    }

    @Test
    @DisplayName("G9 responses to a duplicate are paced as it tells; a READ behind them that tells no rate is not")
    void duplicatesArePaced() {
        Trace trace = known();
        trace.peerSends(read(0x101, 2048).marked()).expect(readFirst(0x101), readLast(0x102)).expectNothing();
        trace.peerSends(paced(read(0x101, 2048)), read(0x103, 8).marked()).expect(readFirst(0x101)).expectNothing();
        trace.advanceNs(PACKET_NS).expect(readLast(0x102), readOnly(0x103)).expectNothing();
    }

    @Test
    @DisplayName("G9 a READ that is kept behind a gap may arrive again with another rate: the first one counts")
    void aKeptReadMayTellAnotherRate() {
        Trace trace = known();
        trace.peerSends(paced(read(0x102, 2048))).takeAll();
        trace.peerSends(read(0x102, 2048).marked()).takeAll();
        trace.peerSends(writeOnly(0x101, 8).marked()).expect(readFirst(0x102)).expectNothing();
        trace.advanceNs(PACKET_NS).expect(readLast(0x103)).expectNothing();
        assertEquals(0, trace.dropped(DropReason.CONFLICTING_REQUEST));
    }

    @Test
    @DisplayName("G9 K13 the reserved bits of a peer that is not known mean nothing")
    void anUnknownPeerIsNotPaced() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(read(0x100, 2048).change(buffer -> Bth.readRate(buffer, 0, 1))).expect(readFirst(0x100), readLast(0x101));
    }

    @Test
    @DisplayName("G9 every second READ request tells the rate of a path that is paced, any other none; CNPs are for what requests carry")
    void requestsTellTheRate() {
        Trace trace = eightMegabits();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).marked()).posts(Trace.read(8)).expect(readRequest(0x101, 8).readRate(0));
        trace.posts(Trace.read(8)).expect(readRequest(0x102, 8));
        trace.peerSends(PeerPacket.of(Opcode.CNP, 0, 0).change(buffer -> Bth.notifyBackward(buffer, 0)));
        trace.posts(Trace.read(8), Trace.read(8)).expect(readRequest(0x103, 8).readRate(0), readRequest(0x104, 8));
        trace.sends(Trace.FROM_PEER.withTrafficClass(Ecn.CONGESTION_EXPERIENCED), PeerPacket.readOnly(0x101, 8).marked());
        trace.posts(Trace.read(8)).expect(readRequest(0x105, 8).readRate(FiveBitCode.READ_RATE.of(1_000_000 * 1024 / (1024 + 512))));
    }

    @Test
    @DisplayName("G9 where a known peer lets its responses be paced, marks on them slow this side, and no CNP leaves")
    void marksOnResponsesAreObeyed() {
        Trace trace = eightMegabits();
        trace.posts(send(8)).takeAll();
        trace.peerSends(ackOf(0x100).marked()).posts(Trace.read(8), Trace.read(2048));
        trace.expect(readRequest(0x101, 8).readRate(0), readRequest(0x102, 2048)).peerSends(PeerPacket.readOnly(0x101, 8).marked());
        trace.sends(Trace.FROM_PEER.withTrafficClass(Ecn.CONGESTION_EXPERIENCED), PeerPacket.readFirst(0x102, 1024).marked());
        trace.peerSends(PeerPacket.readLast(0x103, 1024).marked()).expectNothing();
        trace.advance(5, TimeUnit.MILLISECONDS).posts(Trace.read(8)).expect(readRequest(0x104, 8).readRate(6));
        assertEquals(1, trace.counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS));
        assertEquals(0, trace.counter(NicCounter.NP_CNP_SENT) + trace.counter(NicCounter.RP_CNP_HANDLED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("G11 where max_dest_rd_atomic is 128, 1024 READs of a known peer wait, and are remembered")
    void aKnownPeerAsksForMore(boolean isKnown) {
        int most = isKnown ? 1024 : 128;
        Trace trace = Trace.inRts().maxDestRdAtomic(128).open();
        trace.sink.room(0);
        sendReads(trace, 0x100, most, isKnown);
        trace.expectState(QueuePairState.RTS);
        trace.sink.room(most + 1);
        trace.run();
        for (int i = 0; i < most; i++) {
            trace.expect(readOnly(0x100 + i));
        }
        trace.advance(20, TimeUnit.MILLISECONDS).peerSends(read(0x100, 8)).expect(readOnly(0x100));
        trace.sink.room(0);
        sendReads(trace, 0x100 + most, most + 1, isKnown);
        trace.expectState(QueuePairState.ERROR).expectEvent(AsyncEvent.Type.QP_ACCESS_ERR);
    }

    private static void sendReads(Trace trace, int firstPsn, int count, boolean isKnown) {
        for (int psn = firstPsn; psn < firstPsn + count; psn++) {
            trace.peerSends(isKnown ? read(psn, 8).marked() : read(psn, 8));
        }
    }
}
