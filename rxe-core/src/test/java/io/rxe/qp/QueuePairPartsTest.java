package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The small parts of a queue pair against plain models: READ progress, window, round trip, frame pool, reorder hold. */
class QueuePairPartsTest {
    @Test
    @DisplayName("Q5 Q11 READ progress agrees with a plain list of what has arrived")
    void readProgressAgreesWithAList() {
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            int packets = 1 + random.nextInt(300);
            int chunk = 1 + random.nextInt(64);
            ReadProgress progress = new ReadProgress();
            progress.begin(1, 1);
            progress.begin(packets, chunk);
            boolean[] has = new boolean[packets + 1];
            int asked = 0;
            for (int step = 0; step < 4 * packets; step++) {
                if (asked < packets && random.nextInt(3) == 0) {
                    asked = (int) progress.chunkEnd(asked);
                    progress.askedTo(asked);
                } else if (asked > 0) {
                    int index = random.nextInt(asked);
                    assertEquals(has[index], progress.has(index));
                    if (!has[index]) {
                        assertTrue(progress.canAccept(index));
                        progress.arrived(index);
                        has[index] = true;
                    }
                }
                compare(progress, has, asked, packets, chunk);
            }
        }
    }

    private static void compare(ReadProgress progress, boolean[] has, int asked, int packets, int chunk) {
        int received = 0;
        while (has[received]) {
            received++;
        }
        int missing = received;
        while (missing < asked && has[missing]) {
            missing++;
        }
        boolean gap = false;
        for (int i = received; i < asked; i++) {
            gap |= has[i];
        }
        assertEquals(received, progress.received());
        assertEquals(received == packets, progress.isComplete());
        assertEquals(received == asked, progress.isIdle());
        assertEquals(gap, progress.hasGap());
        assertEquals(missing, progress.firstMissing(0));
        assertFalse(progress.canAccept(asked));
        int places = received == asked ? 0 : (asked + chunk - 1) / chunk - received / chunk;
        assertEquals(places, progress.placesInUse());
        if (missing < asked) {
            int end = missing + 1;
            while (end < Math.min(asked, (missing / chunk + 1) * chunk) && !has[end]) {
                end++;
            }
            assertEquals(end, progress.missingEnd(missing));
        }
    }

    @Test
    @DisplayName("Q5 a response further ahead than can be remembered is not accepted")
    void responsesFarAheadAreNotAccepted() {
        ReadProgress progress = new ReadProgress();
        progress.begin(5000, 5000);
        progress.askedTo(5000);
        assertTrue(progress.canAccept(ReadProgress.REORDER_PACKETS - 1));
        assertFalse(progress.canAccept(ReadProgress.REORDER_PACKETS));
        progress.arrived(0);
        assertTrue(progress.canAccept(ReadProgress.REORDER_PACKETS));
        progress.arrived(ReadProgress.REORDER_PACKETS);
        assertTrue(progress.has(ReadProgress.REORDER_PACKETS));
        assertFalse(progress.has(1));
    }

    @Test
    @DisplayName("Q11 a READ asks for more at once after one that lost nothing, and for little again after a loss")
    void readChunksFollowLoss() {
        ReadChunk chunk = new ReadChunk();
        assertEquals(64, chunk.packets(1024, 1024));
        chunk.onDone(done(64, false));
        assertEquals(64, chunk.packets(1024, 1024), "one request tells nothing");
        chunk.onDone(done(65, false));
        assertEquals(List.of(128, 256, 256, 256), Stream.of(4096, 2048, 1024, 256).map(mtu -> chunk.packets(mtu, 1024)).toList());
        assertEquals(16, chunk.packets(1024, 16), "no more than the window");
        chunk.onDone(done(1, true));
        assertEquals(64, chunk.packets(1024, 1024));
        chunk.onDone(done(65, false));
        chunk.start();
        assertEquals(64, chunk.packets(1024, 1024));
    }

    private static ReadProgress done(int packets, boolean lossy) {
        ReadProgress read = new ReadProgress();
        read.begin(packets, 64);
        read.askedTo(packets);
        if (lossy) {
            read.askedAgain();
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
                    case 0 -> window.onLossDiscarded();
                    case 1 -> window.onTimeout();
                    case 2 -> window.onLossKept();
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
        RoundTrip roundTrip = new RoundTrip();
        assertFalse(roundTrip.isKnown());
        assertEquals(0, roundTrip.minimumNs());
        roundTrip.onSent(10, 1000);
        roundTrip.onSent(11, 1500);
        roundTrip.onAnswered(10, 1900);
        assertFalse(roundTrip.isKnown());
        roundTrip.onAnswered(11, 2000);
        assertEquals(1000, roundTrip.smoothedNs());
        roundTrip.onSent(12, 3000);
        roundTrip.onSentAgain(12);
        roundTrip.onAnswered(13, 999_999);
        assertEquals(1000, roundTrip.smoothedNs());
        roundTrip.onSent(14, 1_000_000);
        roundTrip.onSentAgain(13);
        roundTrip.onSent(15, 1_000_100);
        roundTrip.onAnswered(16, 1_000_600);
        assertEquals(500, roundTrip.minimumNs());
        assertTrue(roundTrip.plausibleNs() >= roundTrip.smoothedNs());
        roundTrip.start();
        assertFalse(roundTrip.isKnown());
    }

    @Test
    @DisplayName("R1 the pool of kept frames is bounded, and a frame given back is used again")
    void theFramePoolIsBounded() {
        FramePool pool = new FramePool(100);
        boolean[] taken = new boolean[100];
        for (int i = 0; i < 100; i++) {
            int frame = pool.acquire();
            assertFalse(taken[frame]);
            taken[frame] = true;
            pool.frame(frame).putByte(4131, (byte) i);
        }
        assertEquals(FramePool.NONE, pool.acquire());
        assertEquals(100, pool.inUse());
        pool.release(42);
        assertEquals(42, pool.acquire());
    }
}
