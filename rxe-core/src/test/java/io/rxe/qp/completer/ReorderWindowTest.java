package io.rxe.qp.completer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long a packet that others overtook may still arrive by itself. A round trip takes a millisecond. */
public class ReorderWindowTest {
    private static final long US = 1_000;
    private static final long ROUND_TRIP_NS = 1_000 * US;

    private final ReorderWindow window = new ReorderWindow();
    private long nowNs = 1_000_000 * US;

    @BeforeEach
    void start() {
        window.start();
    }

    private void late(long us) {
        window.onLate(us * US, ROUND_TRIP_NS, nowNs);
    }

    private void needless() {
        window.onNeedless(ROUND_TRIP_NS, nowNs);
    }

    private void pass(int roundTrips) {
        nowNs += roundTrips * ROUND_TRIP_NS;
    }

    private void expect(long us) {
        assertEquals(us, window.ns(ROUND_TRIP_NS) / US);
    }

    @Test
    @DisplayName("G4 where nothing was late, what was overtaken is lost at once")
    void itBeginsClosed() {
        expect(0);
        window.onLoss(ROUND_TRIP_NS, nowNs);
        expect(0);
    }

    @Test
    @DisplayName("G4 a packet that was late by L opens it to 5/4 L, unless it is longer, and never beyond a round trip")
    void latenessOpensIt() {
        late(200);
        expect(250);
        late(100);
        expect(250);
        late(400);
        expect(500);
        late(900);
        expect(1000);
    }

    @Test
    @DisplayName("G4 it is not longer than a round trip takes now, although packets were later on a longer path")
    void aShorterPathLimitsIt() {
        late(400);
        assertEquals(100, window.ns(100 * US) / US);
        expect(500);
    }

    @Test
    @DisplayName("G4 a needless retransmission opens it to a quarter of a round trip, and each further one doubles it, up to a round trip")
    void needlessRetransmissionsDoubleIt() {
        for (long us : new long[] {250, 500, 1000, 1000}) {
            needless();
            expect(us);
        }
    }

    @Test
    @DisplayName("G4 lateness is remembered for 64 round trips at least, and forgotten after twice as many")
    void latenessIsForgotten() {
        late(400);
        pass(64);
        late(80);
        expect(500);
        pass(1);
        late(80);
        expect(500);
        pass(64);
        window.onLoss(ROUND_TRIP_NS, nowNs);
        expect(500);
        pass(1);
        window.onLoss(ROUND_TRIP_NS, nowNs);
        expect(100);
        pass(200);
        window.onLoss(ROUND_TRIP_NS, nowNs);
        expect(0);
    }
}
