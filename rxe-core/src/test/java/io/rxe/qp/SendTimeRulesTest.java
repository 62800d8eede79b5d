package io.rxe.qp;

import static io.rxe.qp.FrameExpectation.readFirst;
import static io.rxe.qp.FrameExpectation.readLast;
import static io.rxe.qp.FrameExpectation.readOnly;
import static io.rxe.qp.FrameExpectation.writeOnly;
import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.Trace.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.device.NicInspection;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Bth;
import io.rxe.wire.SendTime;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rule G10: requests and READ responses tell when they leave: so the peer knows how long its acknowledgements wait on their way back. */
public class SendTimeRulesTest {
    private static final long MS = 1_000_000;

    private static SentFrame next(Trace trace) {
        return trace.takeAll().get(0);
    }

    @Test
    @DisplayName("G10 a request to a known peer tells when it leaves, of READ requests every second")
    void requestsTellWhenTheyLeave() {
        Trace trace = Trace.inRts().open();
        assertFalse(Bth.isTimed(next(trace.posts(write(8))).buffer(), 0));
        trace.peerSends(ackOf(0x100).marked());
        for (int i = 0; i < 5; i++) {
            SentFrame frame = next(trace.advanceNs(7 * MS).posts(write(8)));
            assertTrue(Bth.isTimed(frame.buffer(), 0));
            assertEquals(SendTime.of(frame.atNs()), Bth.sendTime(frame.buffer(), 0));
        }
        for (int i = 0; i < 6; i++) {
            SentFrame frame = next(trace.posts(Trace.read(8)));
            assertEquals(i % 2 == 1, Bth.isTimed(frame.buffer(), 0));
            assertEquals(i % 2 == 1 ? SendTime.of(frame.atNs()) : 0, Bth.sendTime(frame.buffer(), 0));
        }
    }

    @Test
    @DisplayName("G10 K13 a request to any other peer has none of these bits")
    void anUnknownPeerGetsNoTime() {
        Trace trace = Trace.inRts().open();
        trace.posts(write(8)).takeAll();
        trace.peerSends(ackOf(0x100));
        SentFrame frame = next(trace.advanceNs(7 * MS).posts(write(8)));
        assertEquals(0, frame.bytes()[4]);
        assertEquals(0, frame.hostDelay());
    }

    @Test
    @DisplayName("G10 the next request of a known peer tells how long acknowledgements wait; no other packet does")
    void onlyTheNextRequestOfAKnownPeerCounts() {
        long untold = windowAfter(PeerPacket.writeOnly(0x103, 8).marked());
        assertTrue(windowAfter(late(PeerPacket.writeOnly(0x103, 8).marked())) > untold, "the window has room for what waits");
        assertEquals(untold, windowAfter(late(PeerPacket.writeOnly(0x103, 8))), "without the mark");
        assertEquals(untold, windowAfter(late(PeerPacket.writeOnly(0x104, 8).marked())), "behind a gap");
        assertEquals(untold, windowAfter(late(PeerPacket.writeOnly(0x102, 8).marked())), "a duplicate");
        assertTrue(windowAfter(late(PeerPacket.read(0x103, 8).marked())) > untold, "a READ request");
    }

    @Test
    @DisplayName("G10 a READ response tells how long the last one with a time waited, in a second: the next shorter code of a host delay")
    void responsesTellHowLongTheirRequestWaited() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(timed(PeerPacket.writeOnly(0x100, 8).marked(), 0), timed(PeerPacket.writeOnly(0x101, 8).marked(), 0));
        trace.advanceNs(1_000).peerSends(PeerPacket.read(0x102, 2048).marked());
        trace.expect(readFirst(0x102).requestWait(0), readLast(0x103));
        trace.advanceNs(MS).peerSends(timed(PeerPacket.read(0x104, 8).marked(), 0)).expect(readOnly(0x104).requestWait(12));
        trace.advanceNs(900 * MS).peerSends(PeerPacket.read(0x105, 8).marked()).expect(readOnly(0x105).requestWait(12));
        trace.advanceNs(200 * MS).peerSends(PeerPacket.read(0x106, 8).marked()).expect(readOnly(0x106).requestWait(0));
        trace.peerSends(timed(PeerPacket.read(0x104, 8).marked(), 0)).expect(readOnly(0x104).requestWait(0));
    }

    @Test
    @DisplayName("G10 a queue pair that was reset and sends to nobody yet knows no wait, whatever the peer before it told")
    void aResetForgetsThePeer() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(timed(PeerPacket.writeOnly(0x100, 8).marked(), 0), timed(PeerPacket.writeOnly(0x101, 8).marked(), 0));
        trace.advanceNs(MS).peerSends(timed(PeerPacket.read(0x102, 8).marked(), 0)).expect(readOnly(0x102).requestWait(12));
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        trace.pair.modify(QueuePairAttributes.toInit(trace.setup.access));
        trace.pair.modify(trace.toRtr());
        trace.peerSends(PeerPacket.read(0x100, 8).marked()).expect(readOnly(0x100).requestWait(0));
        trace.peerSends(timed(PeerPacket.read(0x101, 8).marked(), -200 * MS)).expect(readOnly(0x101).requestWait(0));
    }

    @Test
    @DisplayName("G10 of each four responses to a READ of a known peer the second tells when it leaves, and no delay")
    void responsesTellWhenTheyLeave() {
        Trace trace = Trace.inRts().open();
        trace.peerSends(PeerPacket.writeOnly(0x100, 8).marked());
        trace.advanceNs(7 * MS).peerSends(PeerPacket.read(0x101, 7 * 1024).marked());
        List<SentFrame> frames = trace.takeAll();
        assertEquals(7, frames.size());
        for (int i = 0; i < 7; i++) {
            SentFrame frame = frames.get(i);
            assertEquals(i % 4 == 1, Bth.isTimed(frame.buffer(), 0));
            assertEquals(i % 4 == 1 ? SendTime.of(frame.atNs()) : 0, Bth.sendTime(frame.buffer(), 0));
        }
    }

    @Test
    @DisplayName("G10 a READ response of a known peer that tells when it left tells how long acknowledgements wait")
    void responsesOfAKnownPeerCount() {
        long untold = windowAfterRead(4 * MS, 4 * MS);
        assertTrue(windowAfterRead(4 * MS, 0) > untold, "the window has room for what waits");
    }

    /** The window when two READ responses have arrived that left then, and then an acknowledgement. */
    private static long windowAfterRead(long firstNs, long secondNs) {
        Trace trace = Trace.inRts().open();
        for (int psn = 0x100; psn < 0x110; psn++) {
            trace.posts(write(8)).expect(writeOnly(psn));
            trace.advanceNs(MS).peerSends(ackOf(psn).marked());
        }
        trace.posts(Trace.read(4 * 1024), write(8)).takeAll();
        trace.advanceNs(MS).peerSends(PeerPacket.readFirst(0x110, 1024).marked());
        trace.peerSends(timed(PeerPacket.readMiddle(0x111, 1024).marked(), firstNs));
        trace.peerSends(PeerPacket.readMiddle(0x112, 1024).marked(), timed(PeerPacket.readLast(0x113, 1024).marked(), secondNs));
        trace.peerSends(ackOf(0x114).marked());
        return NicInspection.path(trace.pair).windowBytes();
    }

    /** The window when a request of the peer has arrived after three that waited for nothing, and then an acknowledgement. */
    private static long windowAfter(PeerPacket request) {
        Trace trace = Trace.inRts().open();
        for (int psn = 0x100; psn < 0x110; psn++) {
            trace.posts(write(8)).expect(writeOnly(psn));
            trace.advanceNs(MS).peerSends(ackOf(psn).marked());
        }
        for (int psn = 0x100; psn < 0x103; psn++) {
            trace.peerSends(timed(PeerPacket.writeOnly(psn, 8).marked(), 20 * MS));
        }
        trace.posts(write(8)).takeAll();
        trace.advanceNs(MS).peerSends(request).peerSends(ackOf(0x110).marked());
        return NicInspection.path(trace.pair).windowBytes();
    }

    /** A request that left 16 ms before the three. */
    private static PeerPacket late(PeerPacket request) {
        return timed(request, 4 * MS);
    }

    private static PeerPacket timed(PeerPacket request, long ns) {
        return request.change(buffer -> Bth.sendTime(buffer, 0, SendTime.of(ns)));
    }
}
