package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("rxe compare")
class CompareCommandTest {
    @TempDir
    private Path directory;

    @Test
    void refusesAReadmeWithoutMarksBeforeItMeasures() throws IOException {
        Path readme = Files.writeString(directory.resolve("README.md"), "# no marks\n");
        Run run = Run.of("compare", "--readme", readme.toString());
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("lacks the lines '<!-- tools/compare --readme: begin -->'"), run.err());
    }

    @Test
    void refusesNoRounds() {
        Run run = Run.of("compare", "--rounds", "0");
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains("rounds 0 is not in 1..100"), run.err());
    }
}
