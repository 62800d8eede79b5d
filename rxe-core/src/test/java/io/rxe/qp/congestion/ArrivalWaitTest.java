package io.rxe.qp.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.SendTime;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rule G10, how long requests waited on their way. */
public class ArrivalWaitTest {
    private static final long MS = 1_000_000;
    private static final long PATH_NS = MS / 10;
    /** By so much the clock of the peer is ahead. */
    private static final long AHEAD_NS = 123_456_789_012L;
    /** The unit of a send time. */
    private static final long UNIT_NS = SendTime.ns(1);

    private final ArrivalWait wait = new ArrivalWait();

    /** Returns how long a request that left at a time and waited seems to have waited. */
    private long waited(long sentNs, long waitNs) {
        return waited(sentNs, waitNs, AHEAD_NS);
    }

    private long waited(long sentNs, long waitNs, long aheadNs) {
        long arrivedNs = sentNs + PATH_NS + waitNs;
        wait.onArrived(SendTime.ns(SendTime.of(sentNs + aheadNs)), 0, arrivedNs);
        return wait.leastNs(arrivedNs);
    }

    @Test
    @DisplayName("G10 a request waited for as long as it is later than the least late, however far the clocks are apart")
    void whatIsLaterWaited() {
        waited(0, 0);
        for (int i = 1; i < 3_000; i++) {
            long waitNs = i / 2 % 8 * MS;
            assertEquals(waitNs, waited(i * 3 * MS / 2, waitNs), 2 * UNIT_NS, i + " ms");
        }
    }

    @Test
    @DisplayName("G10 one request alone does not tell that the path is shorter: its time may be damaged")
    void oneTimeMayBeDamaged() {
        for (int i = 0; i < 4; i++) {
            waited(i * MS, 0);
        }
        waited(5 * MS, 0, AHEAD_NS + 4 * MS);
        assertEquals(0, waited(6 * MS, 0), UNIT_NS);
    }

    @Test
    @DisplayName("G10 what this host may have delayed is no wait, and makes none of the next request, which it did not delay")
    void theHostMakesNoWait() {
        for (int i = 0; i < 100; i++) {
            long sentNs = i * MS;
            long delayedNs = i % 4 == 0 ? 0 : MS / 2;
            wait.onArrived(SendTime.ns(SendTime.of(sentNs)), i % 8 == 0 ? MS / 4 : delayedNs, sentNs + delayedNs);
            assertEquals(0, wait.leastNs(sentNs + delayedNs), UNIT_NS, i + " ms");
        }
    }

    @Test
    @DisplayName("G10 a queue becomes no shorter, and what arrives has waited no longer, than time passes; then nothing is known of it")
    void aWaitEndsWithTime() {
        waited(0, 0);
        waited(MS, 0);
        assertEquals(2 * MS, waited(2 * MS, 2 * MS), UNIT_NS);
        long arrivedNs = 4 * MS + PATH_NS;
        assertEquals(MS, wait.leastNs(arrivedNs + MS), UNIT_NS);
        assertEquals(0, wait.leastNs(arrivedNs + 3 * MS));
        assertEquals(5 * MS, wait.mostNs(arrivedNs + 3 * MS), UNIT_NS);
        assertTrue(new ArrivalWait().mostNs(0) > SendTime.MODULO_NS);
    }

    @Test
    @DisplayName("G10 clocks that go apart by 50 millionths make no wait of more than 0.1 ms")
    void clocksGoApart() {
        for (int i = 0; i < 30_000; i++) {
            long waitedNs = waited(i * MS, 0, AHEAD_NS - i * MS / 20_000);
            assertTrue(waitedNs <= MS / 10 + UNIT_NS, waitedNs + " ns after " + i + " ms");
        }
    }
}
