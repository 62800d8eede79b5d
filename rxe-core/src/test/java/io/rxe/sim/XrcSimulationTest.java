package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rules X1 to X5 over a network with every kind of fault, for fixed seeds. */
class XrcSimulationTest {
    private static final int SEEDS = Integer.getInteger("rxe.sim.xrc.seeds", 400);

    private static long run(long seed, Feature... more) {
        Set<Feature> features = EnumSet.of(Feature.XRC, more);
        SimulationOptions options = SimulationOptions.draw(seed, null, features);
        try {
            return new XrcSimulation(options).run();
        } catch (RuntimeException | AssertionError e) {
            throw new SimulationFailure(e.getMessage() + System.lineSeparator() + "  " + options, e);
        }
    }

    @Test
    @DisplayName("X1 to X5: every message arrives once, in order, at the queue it names")
    void everyMessageArrivesAtItsQueue() {
        long folded = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            folded = folded * 31 + run(seed);
        }
        assertNotEquals(0, folded);
    }

    @Test
    @DisplayName("X5, R20, R21: with ATOMIC_WRITEs, and FLUSHes to memory and to files, behind which all that was written is there")
    void whatWasWrittenIsPlaced() {
        long folded = 0;
        for (long seed = 1; seed <= SEEDS / 2; seed++) {
            folded = folded * 31 + run(seed, Feature.PLACEMENT);
        }
        assertNotEquals(0, folded);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 5; seed++) {
            assertEquals(run(seed), run(seed));
            assertEquals(run(seed, Feature.PLACEMENT), run(seed, Feature.PLACEMENT));
        }
    }
}
