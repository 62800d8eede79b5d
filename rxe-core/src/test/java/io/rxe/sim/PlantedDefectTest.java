package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation bites: each defect, planted alone, is noticed within some seeds that pass without it. */
class PlantedDefectTest {
    private static final int MAX_SEEDS = 200;

    @ParameterizedTest(name = "{0}")
    @EnumSource(Defect.class)
    void aPlantedDefectIsNoticed(Defect defect) throws ReflectiveOperationException {
        String symptom = null;
        int seeds = 0;
        Method run = new DefectClassLoader(defect).loadClass(DefectProbe.class.getName()).getMethod("run", long.class,
            String.class);
        while (symptom == null && seeds < MAX_SEEDS) {
            symptom = (String) run.invoke(null, ++seeds, defect.weather());
        }
        assertNotNull(symptom, () -> "not noticed within " + MAX_SEEDS + " seeds: " + defect.sentence);
        System.out.println("defect " + defect + " (" + defect.sentence + ") noticed by seed " + seeds + ": " + symptom);
    }

    @Test
    void theSameSeedsPassWithoutADefect() {
        for (long seed = 1; seed <= MAX_SEEDS; seed++) {
            assertNull(DefectProbe.run(seed, null));
            assertNull(DefectProbe.run(seed, SimulationOptions.Weather.CALM.name()));
        }
    }
}
