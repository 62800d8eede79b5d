package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.sim.PlantedTest;
import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tests of hostile messages notice what they are for: each fails with its defect planted alone, and passes without it. */
@Tag("once")
@Tag("defects")
class CmPlantedDefectTest {
    @ParameterizedTest(name = "{0}")
    @EnumSource(CmDefect.class)
    void aPlantedDefectIsNoticed(CmDefect defect) throws ReflectiveOperationException {
        PlantedTest test = new PlantedTest(defect.test, defect.testMethod, defect.className, defect.methodName, defect.advice,
            defect.omitted);
        test.run(false);
        InvocationTargetException failure = assertThrows(InvocationTargetException.class, () -> test.run(true),
            () -> "not noticed: " + defect.sentence);
        assertInstanceOf(AssertionError.class, failure.getCause(), defect.sentence);
        System.out.println("defect " + defect + " (" + defect.sentence + ") noticed: " + failure.getCause().getMessage());
    }
}
