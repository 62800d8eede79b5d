package io.rxe.qp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.qp.context.FramePool;
import io.rxe.wire.Gid;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The small parts of a queue pair against simple models: READ progress, request size, send window, RTT estimator, frame pool. */
class SendSideTest {
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
                compare(progress, has, requested, packets, requestPackets);
            }
        }
    }

    private static void compare(ReadProgress progress, boolean[] has, int requested, int packets, int requestPackets) {
        int received = 0;
        while (has[received]) {
            received++;
        }
        int missing = received;
        while (missing < requested && has[missing]) {
            missing++;
        }
        boolean gap = false;
        for (int i = received; i < requested; i++) {
            gap |= has[i];
        }
        assertEquals(received, progress.received());
        assertEquals(received == packets, progress.isComplete());
        assertEquals(received == requested, progress.isIdle());
        assertEquals(gap, progress.hasGap());
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
    @DisplayName("Q5 a response too far behind a gap is not accepted")
    void responsesFarAheadAreNotAccepted() {
        ReadProgress progress = new ReadProgress();
        progress.begin(5000, 5000);
        progress.requestedTo(5000);
        assertTrue(progress.canAccept(ReadProgress.REORDER_PACKETS - 1));
        assertFalse(progress.canAccept(ReadProgress.REORDER_PACKETS));
        progress.arrived(0);
        assertTrue(progress.canAccept(ReadProgress.REORDER_PACKETS));
        progress.arrived(ReadProgress.REORDER_PACKETS);
        assertTrue(progress.has(ReadProgress.REORDER_PACKETS));
        assertFalse(progress.has(1));
    }

    @Test
    @DisplayName("Q11 READ requests grow after a READ without loss, and shrink after a loss")
    void readRequestsFollowLoss() {
        ReadRequestSize requestSize = new ReadRequestSize();
        assertEquals(64, requestSize.packets(1024, 1024));
        requestSize.onDone(done(64, false));
        assertEquals(64, requestSize.packets(1024, 1024), "a READ of one request does not count");
        requestSize.onDone(done(65, false));
        assertEquals(List.of(128, 256, 256, 256), Stream.of(4096, 2048, 1024, 256).map(mtu -> requestSize.packets(mtu, 1024)).toList());
        assertEquals(16, requestSize.packets(1024, 16), "no more than the window");
        requestSize.onDone(done(1, true));
        assertEquals(64, requestSize.packets(1024, 1024));
        requestSize.onDone(done(65, false));
        requestSize.start();
        assertEquals(64, requestSize.packets(1024, 1024));
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
    @DisplayName("P4 the window stays between its limits whatever happens")
    void theWindowStaysInItsLimits() {
        Random random = new Random(12);
        for (int limitBytes : new int[] {4096, 64 * 1024, 1 << 30}) {
            SendWindow window = new SendWindow();
            window.start(limitBytes, 1024);
            int limit = Math.min(SendWindow.MAXIMUM_PACKETS, Math.max(SendWindow.MINIMUM_PACKETS, limitBytes / 1024));
            long seq = 1 << 24;
            for (int step = 0; step < 10_000; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> window.onGoBackNLoss();
                    case 1 -> window.onTimeout();
                    case 2 -> window.onSelectiveRepeatLoss();
                    default -> {
                        int count = 1 + random.nextInt(window.packets());
                        seq += count;
                        window.onAcknowledged(count, seq, seq + window.packets());
                    }
                }
                assertTrue(window.packets() >= SendWindow.MINIMUM_PACKETS && window.packets() <= limit, () -> "" + window.packets());
                assertTrue(window.allows(seq + window.packets() - 1, seq));
                assertFalse(window.allows(seq + window.packets(), seq));
            }
        }
    }

    @Test
    void theWindowGrowsWithoutLossAndShrinksWithIt() {
        SendWindow window = new SendWindow();
        window.start(1 << 20, 1024);
        assertEquals(SendWindow.INITIAL_PACKETS, window.packets());
        long seq = 1 << 24;
        for (int i = 0; i < 10; i++) {
            seq += window.packets();
            window.onAcknowledged(window.packets(), seq, seq + window.packets());
        }
        int grown = window.packets();
        assertTrue(grown > 10 * SendWindow.INITIAL_PACKETS, () -> "" + grown);
        window.onTimeout();
        assertTrue(window.packets() < grown);
    }

    @Test
    @DisplayName("T1 the round trip is measured from packets that were sent once")
    void onlyPacketsSentOnceAreTimed() {
        RttEstimator rtt = new RttEstimator();
        assertFalse(rtt.isKnown());
        assertEquals(0, rtt.minimumNs());
        rtt.onSent(10, 1000);
        rtt.onSent(11, 1500);
        rtt.onAcknowledged(10, 1900);
        assertFalse(rtt.isKnown());
        rtt.onAcknowledged(11, 2000);
        assertEquals(1000, rtt.smoothedNs());
        rtt.onSent(12, 3000);
        rtt.cancelTiming(12);
        rtt.onAcknowledged(13, 999_999);
        assertEquals(1000, rtt.smoothedNs());
        rtt.onSent(14, 1_000_000);
        rtt.cancelTiming(13);
        rtt.onSent(15, 1_000_100);
        rtt.onAcknowledged(16, 1_000_600);
        assertEquals(500, rtt.minimumNs());
        assertTrue(rtt.plausibleNs() >= rtt.smoothedNs());
        rtt.start();
        assertFalse(rtt.isKnown());
    }

    @Test
    @DisplayName("R1 the frame pool is bounded, and a released frame is used again")
    void theFramePoolIsBounded() {
        FramePool pool = new FramePool(100);
        boolean[] taken = new boolean[100];
        for (int i = 0; i < 100; i++) {
            int frame = pool.acquire(pool.join(peer(i)), 0);
            assertFalse(taken[frame]);
            taken[frame] = true;
            pool.frame(frame).putByte(4131, (byte) i);
        }
        FramePool.PeerShare share = pool.join(peer(42));
        assertEquals(FramePool.NONE, pool.acquire(share, 0));
        assertEquals(100, pool.inUse());
        pool.release(42, share);
        assertEquals(42, pool.acquire(share, 0));
    }

    @Test
    @DisplayName("R1 a queue pair gets a third of the frame pool, a peer with many gets half of it, and another peer still gets frames")
    void theFramePoolIsShared() {
        FramePool pool = new FramePool(1200);
        FramePool.PeerShare greedy = pool.join(peer(1));
        assertEquals(400, acquireAll(pool, greedy));
        for (int i = 0; i < 1000; i++) {
            acquireAll(pool, greedy);
        }
        assertEquals(600, pool.inUse());
        assertEquals(200, acquireAll(pool, pool.join(peer(2))));
    }

    private static Gid peer(int number) {
        return Gid.parse("10.0.0." + number);
    }

    private static int acquireAll(FramePool pool, FramePool.PeerShare share) {
        int held = 0;
        while (pool.acquire(share, held) != FramePool.NONE) {
            held++;
        }
        return held;
    }
}
