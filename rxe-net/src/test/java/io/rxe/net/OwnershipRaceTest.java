package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.stress.RaceRun;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Races between threads that poll, post, give commands, fall asleep or close, and the loop; see tools/dev/stress")
class OwnershipRaceTest {
    private static final long BUDGET_NS = 1_500_000_000L;

    @Test
    @DisplayName("no two threads own an engine, and no post is lost")
    void noTwoOwners() throws Exception {
        long start = System.nanoTime();
        RaceRun run = RaceRun.of(new OwnershipRace(), () -> System.nanoTime() - start > BUDGET_NS);
        assertTrue(run.isSound(), run::report);
    }

    @Test
    @DisplayName("what a thread leaves behind that polls no more, the loop does; after close nobody does")
    void theLoopGoesOn() throws Exception {
        long start = System.nanoTime();
        RaceRun run = RaceRun.of(new EndOfPollingRace(), () -> System.nanoTime() - start > BUDGET_NS);
        assertTrue(run.isSound(), run::report);
    }
}
