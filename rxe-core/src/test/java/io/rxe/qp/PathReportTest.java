package io.rxe.qp;

import static io.rxe.qp.PeerPacket.ackOf;
import static io.rxe.qp.PeerPacket.writeOnly;
import static io.rxe.qp.Trace.FROM_PEER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.EcnOptions;
import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.port.PathFigures;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Ecn;
import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a queue pair reports of its path")
class PathReportTest {
    private static final class Recorder implements EngineObserver {
        private final List<List<Long>> paths = new ArrayList<>();

        @Override
        public void onEvent(EngineEvent event, long nowNs, int qpn, int psn, long value) {
            // Paths alone are of interest.
        }

        @Override
        public void onPath(int qpn, PathFigures figures) {
            assertEquals(Trace.QPN, qpn);
            paths.add(List.of(figures.windowBytes(), figures.bitsPerSecond(), figures.roundTripNs(), figures.shortestRoundTripNs(),
                figures.marked(), figures.notificationsSent(), figures.notificationsObeyed()));
        }
    }

    private final Trace trace = Trace.inRts().ecn(EcnOptions.ON).open();
    private final Recorder recorder = new Recorder();

    private List<Long> last() {
        return recorder.paths.get(recorder.paths.size() - 1);
    }

    @Test
    @DisplayName("window, rate, round trip, marks and CNPs: when the first round trip was measured, then each 100 ms")
    void everyFigure() {
        trace.engine.observe(recorder);
        trace.posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS);
        assertEquals(1, recorder.paths.size());
        List<Long> first = last();
        assertTrue(first.get(0) >= 16 * 1024 && first.get(0) % 1024 == 0, first.toString());
        assertEquals(List.of(0L, 0L, 0L, 0L, 0L, 0L), first.subList(1, 7));
        trace.peerSends(ackOf(0x100).marked());
        assertEquals(2, recorder.paths.size());
        assertEquals(List.of(3_000_000L, 3_000_000L), last().subList(2, 4));
        trace.sends(FROM_PEER.withTrafficClass(Ecn.CONGESTION_EXPERIENCED), writeOnly(0x100, 8).marked());
        trace.peerSends(PeerPacket.of(Opcode.CNP, 0, 0), PeerPacket.of(Opcode.CNP, 0, 0));
        trace.advance(100, TimeUnit.MILLISECONDS).posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS)
            .peerSends(ackOf(0x101).marked());
        trace.advance(100, TimeUnit.MILLISECONDS).posts(Trace.write(8));
        assertEquals(4, recorder.paths.size());
        assertEquals(List.of(3_000_000L, 3_000_000L, 1L, 1L, 1L), last().subList(2, 7));
        // Full packets of 1024 bytes count with what they take beside that, and a second has 333 round trips.
        assertTrue(last().get(1) > 8 * last().get(0) * 333, last().toString());
    }

    /** Measures a round trip of three milliseconds. */
    private void measure() {
        trace.engine.observe(recorder);
        for (int psn = 0x100; psn < 0x102; psn++) {
            trace.posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS).peerSends(ackOf(psn).marked());
            trace.advance(100, TimeUnit.MILLISECONDS);
        }
        trace.posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS).peerSends(ackOf(0x102).marked());
        assertEquals(3_000_000, last().get(2));
    }

    /** An ACK after a pause ends the round trip, in which nothing else was measured. */
    private void assertSameWindow() {
        long bytes = last().get(0);
        trace.advance(20, TimeUnit.MILLISECONDS).posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS)
            .peerSends(ackOf(0x106).marked());
        trace.advance(200, TimeUnit.MILLISECONDS).posts(Trace.write(8));
        assertEquals(bytes, last().get(0), recorder.paths::toString);
    }

    @Test
    @DisplayName("an ACK of packets that did not request it came because of a later packet: it does not cut the window")
    void anAckThatWasNotRequested() {
        measure();
        trace.posts(Trace.write(3 * 1024)).advance(4, TimeUnit.MILLISECONDS).peerSends(ackOf(0x103).marked());
        trace.advance(3, TimeUnit.MILLISECONDS).peerSends(ackOf(0x104).marked());
        assertSameWindow();
    }

    @Test
    @DisplayName("what was sent before a gap closed may have waited for that: it does not cut the window")
    void anAckBehindARepair() {
        measure();
        trace.posts(Trace.write(8)).posts(Trace.write(8)).advance(3, TimeUnit.MILLISECONDS)
            .peerSends(ackOf(0x102).report("103+1 end 105"));
        trace.posts(Trace.write(8)).advance(6, TimeUnit.MILLISECONDS).peerSends(ackOf(0x104).marked(), ackOf(0x105).marked());
        assertSameWindow();
    }

    /** Drains the queue pair and changes an attribute. Returns what the next request finds of the path. */
    private List<Long> afterDrainedChange(QueuePairAttributes change) {
        measure();
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.SQD));
        trace.pair.modify(change);
        trace.pair.modify(QueuePairAttributes.to(QueuePairState.RTS));
        trace.advance(200, TimeUnit.MILLISECONDS).posts(Trace.write(8));
        return last();
    }

    @Test
    @DisplayName("Q13 an address vector given in SQD is another path: nothing is known of it yet")
    void anotherPath() {
        List<Long> path = afterDrainedChange(QueuePairAttributes.to(QueuePairState.SQD).addressVector(
            new AddressVector(Trace.PEER_GID, AddressVector.ROCE_PORT, 0x20, 64)));
        assertEquals(List.of(0L, 0L, 0L), path.subList(1, 4));
    }

    @Test
    @DisplayName("Q13 another attribute given in SQD leaves the path as it is: what is known of it stays")
    void samePath() {
        List<Long> path = afterDrainedChange(QueuePairAttributes.to(QueuePairState.SQD).maxRdAtomic(1));
        assertEquals(List.of(3_000_000L, 3_000_000L), path.subList(2, 4));
        assertTrue(path.get(1) > 0, path.toString());
    }

    @Test
    @DisplayName("an idle queue pair tells nothing")
    void nothingWhileIdle() {
        trace.engine.observe(recorder);
        trace.advance(1, TimeUnit.SECONDS);
        assertTrue(recorder.paths.size() <= 1, recorder.paths.toString());
    }
}
