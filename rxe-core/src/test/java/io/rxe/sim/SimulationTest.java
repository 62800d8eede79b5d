package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Whole NICs against everything a network can do, seed by seed. */
class SimulationTest {
    private static final int FIXED_SEEDS = Integer.getInteger("rxe.sim.seeds", 200);

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 5; seed++) {
            assertEquals(Runs.run(seed), Runs.run(seed));
        }
    }

    @Test
    void everythingCompletesOrFailsForAReasonTheRulesAllow() {
        for (long seed = 1; seed <= FIXED_SEEDS; seed++) {
            Runs.run(seed);
        }
    }
}
