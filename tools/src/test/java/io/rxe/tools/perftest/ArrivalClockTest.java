package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The clock of a receiver")
class ArrivalClockTest {
    private final ArrivalClock clock = new ArrivalClock(1000);

    @Test
    void doesNotMistakeABacklogForAFastWire() {
        // Found by a run that reported 290 GB/s: the thread slept while twenty messages arrived, then polled them in two batches.
        clock.onEmpty(2000);
        clock.onArrival(9_000_000);
        clock.onArrival(9_004_300);
        assertEquals(9_002_300, clock.elapsedNs());
    }

    @Test
    void beginsWithTheTestIfTheFirstPollFindsEverything() {
        clock.onArrival(5000);
        assertEquals(4000, clock.elapsedNs());
    }

    @Test
    void runsOnThroughPausesBetweenMessages() {
        clock.onEmpty(1500);
        clock.onArrival(2000);
        clock.onEmpty(2500);
        clock.onArrival(3000);
        assertEquals(1500, clock.elapsedNs());
    }

    @Test
    void isZeroIfNothingArrived() {
        clock.onEmpty(2000);
        assertEquals(0, clock.elapsedNs());
    }
}
