package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Whole NICs against everything a network can do, seed by seed: the invariants of {@link Simulation}, {@link Endpoint},
 * {@link ExchangeMonitor} and {@link ResponderRules} hold after every step.
 *
 * <p>System properties: {@code rxe.sim.seed} runs one seed, {@code rxe.sim.seeds} says how many fixed ones (5000).
 */
class SimulationTest {
    private static final int FIXED_SEEDS = Integer.getInteger("rxe.sim.seeds", 5000);
    private static final int FRESH_SEEDS = 25;

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 10; seed++) {
            assertEquals(Runs.run(seed), Runs.run(seed));
            assertNotEquals(Runs.run(seed), Runs.run(seed + 1));
        }
    }

    @Test
    void everythingCompletesOrFailsForAReasonTheRulesAllow() {
        long folded = 0;
        for (long seed = 1; seed <= FIXED_SEEDS; seed++) {
            folded = folded * 31 + Runs.run(seed);
        }
        System.out.println(FIXED_SEEDS + " fixed seeds passed, folded hash " + Long.toHexString(folded));
        assertNotEquals(0, folded);
    }

    @Test
    void freshSeedsHoldAsWell() {
        long first = System.nanoTime() & 0x7fff_ffff_ffffL;
        System.out.println("fresh seeds " + first + " to " + (first + FRESH_SEEDS - 1));
        for (long seed = first; seed < first + FRESH_SEEDS; seed++) {
            assertNotEquals(0, Runs.run(seed));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "rxe.sim.seed", matches = "\\d+", disabledReason = "runs the one seed of -Drxe.sim.seed")
    void oneSeed() {
        long seed = Long.getLong("rxe.sim.seed");
        System.out.println(SimulationOptions.draw(seed));
        assertNotEquals(0, Runs.run(seed));
    }
}
