package io.rxe.qp;

import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.rnrOf;
import static io.rxe.qp.Trace.read;
import static io.rxe.qp.Trace.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.device.NicInspection;
import io.rxe.port.Flow;
import io.rxe.qp.send.PeerSendWindow;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table of timers says at every moment which of them run: each timer of {@link QueuePairTimer} starts and stops here once. */
class QueuePairTimersTest {
    private static final long T14_NS = 4096L << 14;
    private static final long RNR_12_NS = 640_000;
    /** Before there are some samples of the round trip, a response is allowed 4 ms and is probed for after 5/4 of that. */
    private static final long CAUTIOUS_NS = 4_000_000;
    private static final long PROBE_NS = CAUTIOUS_NS * 5 / 4;

    private static void expectTimers(Trace trace, String timers) {
        assertEquals(timers, NicInspection.timers(trace.pair));
    }

    private static String at(QueuePairTimer timer, long deadlineNs) {
        return timer + " " + deadlineNs + " ns";
    }

    @Test
    @DisplayName("T2 the ACK timer runs while a response is due; a probe comes first once the peer has answered")
    void ackTimeoutAndProbe() {
        Trace trace = Trace.inRts().open();
        expectTimers(trace, "no timer runs");
        trace.posts(send(8));
        expectTimers(trace, at(QueuePairTimer.ACK_TIMEOUT, trace.nowNs() + T14_NS));
        trace.peerSends(ackOf(0x100));
        expectTimers(trace, "no timer runs");
        trace.posts(send(8));
        expectTimers(trace, at(QueuePairTimer.ACK_TIMEOUT, trace.nowNs() + T14_NS) + ", "
            + at(QueuePairTimer.PROBE, trace.nowNs() + PROBE_NS));
        long sentNs = trace.nowNs();
        trace.advanceNs(PROBE_NS);
        expectTimers(trace, at(QueuePairTimer.ACK_TIMEOUT, sentNs + T14_NS) + ", " + at(QueuePairTimer.PROBE, sentNs + 2 * PROBE_NS));
    }

    @Test
    @DisplayName("T5 no timer runs with timeout code 0")
    void noTimerWithoutTimeout() {
        Trace trace = Trace.inRts().timeout(0).open();
        trace.posts(send(8));
        expectTimers(trace, "no timer runs");
    }

    @Test
    @DisplayName("T8 during an RNR wait the ACK timer and the probe rest")
    void rnrWait() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).peerSends(ackOf(0x100));
        trace.posts(send(8)).peerSends(rnrOf(0x101, 12));
        expectTimers(trace, at(QueuePairTimer.RNR_WAIT, trace.nowNs() + RNR_12_NS));
        trace.advanceNs(RNR_12_NS);
        assertTrue(NicInspection.timers(trace.pair).startsWith(at(QueuePairTimer.ACK_TIMEOUT, trace.nowNs() + T14_NS)));
    }

    @Test
    @DisplayName("Q5 after a needless request for a late response, a missing response may arrive by itself for a while")
    void impliedNakDelay() {
        Trace trace = Trace.inRts().open();
        trace.posts(read(3000));
        trace.peerSends(PeerPacket.readFirst(0x100, 1024), PeerPacket.readLast(0x102, 952));
        trace.peerSends(PeerPacket.readMiddle(0x101, 1024), PeerPacket.readMiddle(0x101, 1024));
        trace.posts(read(3000));
        trace.peerSends(PeerPacket.readFirst(0x103, 1024), PeerPacket.readLast(0x105, 952));
        expectTimers(trace, at(QueuePairTimer.ACK_TIMEOUT, trace.nowNs() + T14_NS) + ", "
            + at(QueuePairTimer.PROBE, trace.nowNs() + PROBE_NS) + ", "
            + at(QueuePairTimer.REORDER_WINDOW, trace.nowNs() + CAUTIOUS_NS / 4));
        trace.peerSends(PeerPacket.readMiddle(0x104, 1024));
        expectTimers(trace, "no timer runs");
    }

    @Test
    @DisplayName("T11 the keep-alive runs while the queue pair is idle, and for one ACK timeout once it was sent")
    void keepAlive() {
        Trace trace = Trace.inRts().keepAliveNs(1_000_000_000).open();
        trace.run();
        long startedNs = trace.nowNs();
        expectTimers(trace, at(QueuePairTimer.KEEP_ALIVE, startedNs + 1_000_000_000));
        trace.advanceNs(1_000_000_000);
        expectTimers(trace, at(QueuePairTimer.KEEP_ALIVE, trace.nowNs() + T14_NS));
        trace.peerSends(ackOf(0xFF));
        expectTimers(trace, at(QueuePairTimer.KEEP_ALIVE, trace.nowNs() + 1_000_000_000));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        expectTimers(trace, "no timer runs");
    }

    @Test
    @DisplayName("R1 after a needless NAK, a gap may close by itself for a while")
    void nakDelay() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(PeerPacket.writeOnly(0x101, 8).ackReq());
        trace.advance(2, TimeUnit.MILLISECONDS);
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).ackReq(), PeerPacket.writeOnly(0x100, 8).ackReq());
        trace.peerSends(PeerPacket.writeOnly(0x103, 8).ackReq());
        expectTimers(trace, at(QueuePairTimer.NAK_DELAY, trace.nowNs() + 2_500_000) + ", "
            + at(QueuePairTimer.KEPT_REQUESTS, trace.nowNs() + 1_000_000_000));
        trace.peerSends(PeerPacket.writeOnly(0x102, 8).ackReq());
        expectTimers(trace, "no timer runs");
    }

    @Test
    @DisplayName("R1 NAKs in excess of 10,000 a second, with bursts of 1000, wait")
    void nakRate() {
        Trace trace = Trace.inRts().open();
        for (int i = 0; i < 1000; i++) {
            trace.peerSends(PeerPacket.sendOnly(0x100, 8).ackReq());
        }
        expectTimers(trace, "no timer runs");
        assertEquals(1000, trace.takeAll().size());
        trace.peerSends(PeerPacket.sendOnly(0x100, 8).ackReq()).expectNothing();
        expectTimers(trace, at(QueuePairTimer.NAK_RATE, trace.nowNs() + 100_000));
        trace.advanceNs(100_000);
        expectTimers(trace, "no timer runs");
        assertEquals(1, trace.takeAll().size());
    }

    @Test
    @DisplayName("Q15 a queue pair without credits wakes after 200 ms, or when the peer grants some")
    void creditWait() {
        Trace trace = Trace.inRts().open();
        trace.posts(send(8)).takeAll();
        trace.peerSends(PeerPacket.ackOf(0x100).msn(1).credits(0));
        trace.posts(send(8), send(8)).expectNothing();
        expectTimers(trace, at(QueuePairTimer.CREDIT_WAIT, trace.nowNs() + 200_000_000));
        trace.peerSends(PeerPacket.ackOf(0x100).msn(1).credits(1)).expect(FrameExpectation.sendOnly(0x101));
        trace.peerSends(PeerPacket.ackOf(0x101).msn(2).credits(1)).expect(FrameExpectation.sendOnly(0x102));
        trace.peerSends(PeerPacket.ackOf(0x102).msn(3).credits(1));
        expectTimers(trace, "no timer runs");
    }

    @Test
    @DisplayName("a queue pair that waits for the peer send window wakes after 50 ms; in ERROR no timer runs")
    void peerSendWindow() {
        Trace trace = Trace.inRts().open();
        Flow toPeer = new Flow(Trace.OUR_GID, Trace.PEER_GID, 4791, 4791);
        PeerSendWindow.Share other = trace.engine.peers().join(toPeer, CongestionOptions.DELAY, 1024, () -> { }).of(false);
        other.sent(1, 1L << 32);
        trace.posts(send(8)).expectNothing();
        expectTimers(trace, at(QueuePairTimer.PEER_SEND_WINDOW, trace.nowNs() + 50_000_000));
        other.leave();
        trace.run();
        trace.expect(FrameExpectation.sendOnly(0x100));
        expectTimers(trace, at(QueuePairTimer.ACK_TIMEOUT, trace.nowNs() + T14_NS));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        expectTimers(trace, "no timer runs");
    }
}
