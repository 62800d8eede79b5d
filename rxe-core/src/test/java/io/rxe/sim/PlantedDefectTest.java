package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation detects every {@link Defect}, each planted alone, within 200 seeds. The same seeds pass without it. */
@Tag("once")
class PlantedDefectTest {
    private static final int MAX_SEEDS = 200;
    private static final int FEATURE_SEEDS = 40;

    @ParameterizedTest(name = "{0}")
    @EnumSource(Defect.class)
    void aPlantedDefectIsNoticed(Defect defect) throws ReflectiveOperationException {
        String symptom = null;
        int seeds = 0;
        Method run = new DefectClassLoader(defect).loadClass(DefectProbe.class.getName()).getMethod("run", long.class, String.class,
            String.class);
        while (symptom == null && seeds < MAX_SEEDS) {
            symptom = (String) run.invoke(null, ++seeds, defect.faultProfile(), defect.features());
        }
        assertNotNull(symptom, () -> "not noticed within " + MAX_SEEDS + " seeds: " + defect.sentence);
        // Any other exception comes from a defect that no longer fits the code around it.
        assertTrue(symptom.startsWith(SimulationFailure.class.getName()), symptom);
        System.out.println("defect " + defect + " (" + defect.sentence + ") noticed by seed " + seeds + ": " + symptom);
    }

    @Test
    void theSameSeedsPassWithoutADefect() {
        for (long seed = 1; seed <= MAX_SEEDS; seed++) {
            assertNull(DefectProbe.run(seed, null, null));
            assertNull(DefectProbe.run(seed, SimulationOptions.FaultProfile.LOSSLESS.name(), null));
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Feature.class)
    void seedsPassWithEachFeature(Feature feature) {
        for (long seed = 1; seed <= FEATURE_SEEDS; seed++) {
            assertNull(DefectProbe.run(seed, null, feature.name()));
        }
    }
}
