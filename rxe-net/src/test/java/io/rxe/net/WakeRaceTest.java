package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.stress.RaceRun;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Races between an application and a loop that falls asleep")
class WakeRaceTest {
    private static final long BUDGET_NS = 1_500_000_000L;

    @Test
    void noWakeIsLost() throws Exception {
        long start = System.nanoTime();
        RaceRun run = RaceRun.of(new WakeRace(), () -> System.nanoTime() - start > BUDGET_NS);
        assertTrue(run.isSound(), run::report);
    }
}
