package io.rxe.qp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.qp.congestion.WindowedMinimum;
import io.rxe.verbs.CongestionOptions;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The small parts of a queue pair against simple models: READ progress, request size, send window, RTT estimator, frame pool. */
public class SendSideTest {
    @Test
    @DisplayName("Q5 Q11 READ progress agrees with a plain list of what has arrived")
    void readProgressAgreesWithAList() {
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            int packets = 1 + random.nextInt(300);
            int requestPackets = 1 + random.nextInt(64);
            ReadProgress progress = new ReadProgress();
            progress.begin(1, 1);
            progress.begin(packets, requestPackets);
            boolean[] has = new boolean[packets + 1];
            int requested = 0;
            for (int step = 0; step < 4 * packets; step++) {
                if (requested < packets && random.nextInt(3) == 0) {
                    requested = (int) progress.requestEnd(requested);
                    progress.requestedTo(requested);
                } else if (requested > 0) {
                    int index = random.nextInt(requested);
                    assertEquals(has[index], progress.has(index));
                    if (!has[index]) {
                        assertTrue(progress.canAccept(index));
                        progress.arrived(index);
                        has[index] = true;
                    }
                }
                compare(progress, has, requested, requestPackets);
            }
        }
    }

    private static void compare(ReadProgress progress, boolean[] has, int requested, int requestPackets) {
        int received = 0;
        while (has[received]) {
            received++;
        }
        int missing = received;
        while (missing < requested && has[missing]) {
            missing++;
        }
        assertEquals(received, progress.received());
        assertEquals(missing, progress.firstMissing(0));
        assertFalse(progress.canAccept(requested));
        int places = received == requested ? 0 : (requested + requestPackets - 1) / requestPackets - received / requestPackets;
        assertEquals(places, progress.placesInUse());
        if (missing < requested) {
            int end = missing + 1;
            while (end < Math.min(requested, (missing / requestPackets + 1) * requestPackets) && !has[end]) {
                end++;
            }
            assertEquals(end, progress.missingEnd(missing));
        }
    }

    @Test
    @DisplayName("Q5 a response is accepted however far behind a gap it is, if it was requested")
    void responsesFarAheadAreAccepted() {
        ReadProgress progress = new ReadProgress();
        progress.begin(50_000, 50_000);
        progress.requestedTo(50_000);
        assertFalse(progress.canAccept(50_000));
        for (int index : new int[] {100, 40_000, 1500, 49_999}) {
            assertTrue(progress.canAccept(index));
            assertFalse(progress.has(index));
            progress.arrived(index);
        }
        for (int index : new int[] {100, 1500, 40_000, 49_999}) {
            assertTrue(progress.has(index));
            assertFalse(progress.has(index - 1));
            assertEquals(index + 1, progress.firstMissing(index));
        }
        assertEquals(0, progress.firstMissing(0));
        progress.arrived(0);
        assertEquals(1, progress.received());
        assertTrue(progress.has(49_999));
    }

    @Test
    @DisplayName("Q11 READ requests grow after a READ without loss, and shrink after a loss")
    void readRequestsFollowLoss() {
        ReadRequestSize requestSize = new ReadRequestSize();
        assertEquals(64, requestSize.packets(1024, 1024, 1024, false));
        requestSize.onDone(done(64, false));
        assertEquals(64, requestSize.packets(1024, 1024, 1024, false), "a READ of one request does not count");
        requestSize.onDone(done(65, false));
        assertEquals(List.of(128, 256, 256, 256), Stream.of(4096, 2048, 1024, 256)
            .map(mtu -> requestSize.packets(mtu, 1024, 1024, false)).toList());
        assertEquals(16, requestSize.packets(1024, 16, 16, false), "no more than the window");
        requestSize.onDone(done(1, true));
        assertEquals(64, requestSize.packets(1024, 1024, 1024, false));
        requestSize.onDone(done(65, false));
        requestSize.start();
        assertEquals(64, requestSize.packets(1024, 1024, 1024, false));
    }

    private static ReadProgress done(int packets, boolean lossy) {
        ReadProgress read = new ReadProgress();
        read.begin(packets, 64);
        read.requestedTo(packets);
        if (lossy) {
            read.onRetransmitted();
        }
        return read;
    }

    @Test
    @DisplayName("Q11 what a peer that reports its gaps is asked for at once is a small part of the window")
    void readRequestsFollowTheWindow() {
        ReadRequestSize requestSize = new ReadRequestSize();
        assertEquals(List.of(8, 10, 64, 125, 1024),
            Stream.of(4, 32, 400, 1000, 50_000).map(window -> requestSize.packets(1024, window, 50_000, true)).toList());
    }

    @Test
    @DisplayName("Q11 a peer that has not answered while others wait is asked for little at once, as far as requests may be outstanding")
    void firstReadRequestsOfMany() {
        assertEquals(List.of(1, 2, 2, 4, 64), Stream.of(1, 2, 16, 64, 1 << 20)
            .map(read -> ReadRequestSize.toUnknownPeer(Math.min(64, read), read, 16)).toList());
        assertEquals(16, ReadRequestSize.toUnknownPeer(64, 16, 1));
        assertEquals(8, ReadRequestSize.toUnknownPeer(8, 64, 1), "no more than the window");
    }

    private static PeerShares shares() {
        return new Peers(1 << 20, 1 << 20).join(
            new Flow(Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), 4791, 4791), CongestionOptions.DELAY, 1024, () -> { });
    }

    @Test
    @DisplayName("P4 the window stays between its limits whatever happens")
    void theWindowStaysInItsLimits() {
        Random random = new Random(12);
        for (int limitBytes : new int[] {4096, 64 * 1024, 1 << 30}) {
            SendWindow window = new SendWindow(new RttEstimator());
            window.start(shares(), limitBytes, 1024);
            long limit = Math.max(SendWindow.MINIMUM_PACKETS, limitBytes / 1024);
            long seq = 1 << 24;
            for (int step = 0; step < 10_000; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> window.onGoBackNLoss();
                    case 1 -> window.onTimeout();
                    case 2 -> window.onLost(1, 0);
                    default -> {
                        int count = 1 + random.nextInt((int) window.packets());
                        seq += count;
                        window.onArrived(false, count, step);
                        window.onAcknowledged(seq, seq + window.packets());
                    }
                }
                assertTrue(window.packets() >= SendWindow.MINIMUM_PACKETS && window.packets() <= limit, () -> "" + window.packets());
                assertTrue(window.allows(seq + window.packets() - 1, seq));
                assertFalse(window.allows(seq + limit, seq));
            }
        }
    }

    @Test
    @DisplayName("Q7 a loss costs a go-back-N peer all that is in flight, so that it may have less in flight from then on")
    void lossesShrinkTheWindowOfAGoBackNPeer() {
        SendWindow window = new SendWindow(new RttEstimator());
        window.start(shares(), 1 << 20, 1024);
        long before = window.packets();
        window.onGoBackNLoss();
        assertEquals(before / 2, window.packets());
        window.onTimeout();
        assertEquals(before / 4, window.packets());
        long seq = 1 << 24;
        for (int i = 0; i < 30; i++) {
            seq += 8;
            window.onAcknowledged(seq, seq + 8);
        }
        assertEquals(before, window.packets(), "it grows again");
    }

    @Test
    @DisplayName("Q7 once the window to a go-back-N peer holds what the path does, it grows slowly, and no loss halves it")
    void aFullPathIsNoReasonToGrow() {
        SendWindow window = new SendWindow(new RttEstimator());
        window.start(shares(), 1 << 20, 1024);
        long seq = 1 << 24;
        for (int ms = 1; ms <= 10; ms++) {
            window.onSample(1_000_000, 0, true, ms * 1_000_000L);
            window.onArrived(false, 32, ms * 1_000_000L);
            window.onGoBackNLoss();
            seq += 34;
            window.onAcknowledged(seq, seq + 33);
        }
        assertTrue(window.allows(34, 0) && !window.allows(35, 0), "32 and three");
        for (int i = 0; i < 4; i++) {
            seq += 34;
            window.onAcknowledged(seq, seq + 33);
        }
        assertTrue(window.allows(36, 0) && !window.allows(37, 0), "a 64th more for each round trip");
    }

    @Test
    @DisplayName("Q7 a go-back-N peer has the square root of what is sent between two losses in flight, if the path holds less")
    void rareLossesLeaveMoreInFlight() {
        for (int sent : new int[] {12, 900}) {
            SendWindow window = new SendWindow(new RttEstimator());
            window.start(shares(), 1 << 20, 1024);
            long seq = 1 << 24;
            for (int ms = 1; ms <= 20; ms++) {
                window.onSample(1_000_000, 0, true, ms * 1_000_000L);
                window.onSent(false, sent, 0);
                window.onArrived(false, 2, ms * 1_000_000L);
                window.onGoBackNLoss();
                seq += sent;
                window.onAcknowledged(seq, seq);
            }
            long most = sent == 12 ? SendWindow.MINIMUM_PACKETS : 30;
            assertTrue(window.allows(most - 1, 0) && !window.allows(most, 0), () -> most + " of " + sent + ", not " + window.packets());
            assertEquals(sent == 12 ? 2 : 4, window.ackInterval(true));
        }
    }

    @Test
    @DisplayName("T3 a peer that answers packet by packet may be silent as long as it was in the last 5 s, whatever a round trip took")
    void plausibleSilence() {
        RttEstimator rtt = new RttEstimator();
        for (int i = 0; i < 20; i++) {
            rtt.onSample(i == 0 ? 900_000 : 200_000, i);
        }
        rtt.onSilence(400_000, 20);
        rtt.onSilence(300_000, 21);
        assertEquals(400_000, rtt.plausibleSilenceNs());
        assertEquals(900_000, rtt.plausibleOfBusyNs());
        rtt.onSilence(300_000, 6_000_000_000L);
        assertEquals(300_000, rtt.plausibleSilenceNs());
    }

    @Test
    @DisplayName("T1 smoothed, shortest and longest round trip; the shortest is forgotten when the path became longer")
    void roundTrips() {
        RttEstimator rtt = new RttEstimator();
        assertFalse(rtt.isKnown());
        assertEquals(0, rtt.minimumNs());
        rtt.onSample(1000, 2000);
        assertEquals(1000, rtt.smoothedNs());
        rtt.onSample(500, 3000);
        assertEquals(500, rtt.minimumNs());
        assertTrue(rtt.plausibleNs() >= rtt.smoothedNs());
        rtt.onSample(5000, 3000 + WindowedMinimum.WINDOW_NS);
        rtt.onSample(5000, 3000 + 2 * WindowedMinimum.WINDOW_NS);
        assertEquals(5000, rtt.minimumNs());
        rtt.start();
        assertFalse(rtt.isKnown());
    }

    @Test
    @DisplayName("T3 a long round trip is plausible for some time, and for longer where the peer may have been busy; not for ever")
    void longRoundTrips() {
        long ms = 1_000_000;
        RttEstimator rtt = new RttEstimator();
        rtt.onSample(30 * ms, 30 * ms);
        for (long nowMs = 31; nowMs < 1000; nowMs++) {
            rtt.onSample(ms, nowMs * ms);
        }
        assertTrue(rtt.plausibleNs() < 2 * ms, () -> "plausible " + rtt.plausibleNs());
        assertEquals(30 * ms, rtt.plausibleOfBusyNs());
        rtt.onSample(ms, 6_000 * ms);
        assertTrue(rtt.plausibleOfBusyNs() < 2 * ms, () -> "of a busy peer " + rtt.plausibleOfBusyNs());
    }

    @Test
    @DisplayName("T3 a bound stands for the round trip until one is measured, and then counts no more")
    void boundedRoundTrip() {
        long ms = 1_000_000;
        RttEstimator rtt = new RttEstimator();
        rtt.onBound(200 * ms, 200 * ms);
        assertEquals(200 * ms, rtt.smoothedNs());
        rtt.onSample(ms, 201 * ms);
        assertEquals(ms, rtt.smoothedNs());
        assertTrue(rtt.plausibleOfBusyNs() < 5 * ms, () -> "plausible " + rtt.plausibleOfBusyNs());
    }
}
