package io.rxe.model;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A small part of what {@link ModelCheck} does. */
@Tag("once")
@DisplayName("The model of a reliable connection")
class ModelCheckTest {
    @BeforeEach
    void hasPrograms() {
        assumeTrue(ModelRun.missingProgram() == null,
            () -> ModelRun.missingProgram() + " is missing: apt-get install --no-install-recommends spin gcc libc6-dev");
    }

    @ParameterizedTest
    @EnumSource(Receiver.class)
    void twoMessagesShowNoError(Receiver receiver) throws Exception {
        ModelRun run = ModelRun.of(List.of("RECEIVER=" + receiver.ordinal(), "MESSAGES=2", "LONGEST=2", "FAULTS=1"));
        assertNull(run.error());
        assertTrue(run.complete());
    }

    @Test
    void aDefectIsFound() throws Exception {
        ModelRun run = ModelRun.of(List.of("RECEIVER=0", "MESSAGES=2", "LONGEST=2", "FAULTS=1", ModelDefect.DROPS_DUPLICATES.macro()));
        assertNotNull(run.error());
    }
}
