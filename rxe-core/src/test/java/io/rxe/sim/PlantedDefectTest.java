package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation detects every {@link Defect}, each planted alone, within 200 seeds. The seed that detects it passes without it. */
@Tag("once")
@Tag("defects")
class PlantedDefectTest {
    private static final int MAX_SEEDS = 200;

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
        assertNull(DefectProbe.run(seeds, defect.faultProfile(), defect.features()));
        System.out.println("defect " + defect + " (" + defect.sentence + ") noticed by seed " + seeds + ": " + symptom);
    }
}
