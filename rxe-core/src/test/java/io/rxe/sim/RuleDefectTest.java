package io.rxe.sim;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packet traces and tests of state machines notice what they are for: each fails with its {@link RuleDefect} planted, and only then. */
@Tag("once")
@Tag("defects")
class RuleDefectTest {
    @ParameterizedTest(name = "{0}")
    @EnumSource(RuleDefect.class)
    void aPlantedDefectIsNoticed(RuleDefect defect) throws ReflectiveOperationException {
        defect.test.run(false);
        InvocationTargetException failure = assertThrows(InvocationTargetException.class, () -> defect.test.run(true),
            () -> "not noticed: " + defect.sentence);
        assertInstanceOf(AssertionError.class, failure.getCause(), defect.sentence);
        System.out.println("defect " + defect + " (" + defect.sentence + ") noticed: " + failure.getCause().getMessage());
    }
}
