package io.rxe.stress;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Races between an application and an engine")
class RaceTest {
    /** tools/dev/stress runs for the time that it is given. */
    private static final long BUDGET_NS = 1_000_000_000L;
    /** Rounds in which both actors overlapped, after which a planted mistake must have shown. */
    private static final long OVERLAPS = 20_000;
    private static final long PATIENCE_NS = 8_000_000_000L;

    static List<Race> races() {
        return new CoreRaces().get();
    }

    static Stream<Race> planted() {
        return PlantedRaces.all().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("races")
    void onlyDeclaredOutcomesHappen(Race race) throws Exception {
        long start = System.nanoTime();
        RaceRun run = RaceRun.of(race, () -> System.nanoTime() - start > BUDGET_NS);
        assertTrue(run.isSound(), run::report);
    }

    /** Runs until the mistake shows. Where two processors are hardly ever free at once it cannot, and nothing is proved. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("planted")
    void aPlantedMistakeIsNoticed(Race race) throws Exception {
        long start = System.nanoTime();
        RaceRun run = RaceRun.of(race, () -> System.nanoTime() - start > PATIENCE_NS);
        assumeTrue(!run.isSound() || run.overlaps() > OVERLAPS, () -> "the actors hardly overlapped: " + run.report());
        assertFalse(run.isSound(), run::report);
    }
}
