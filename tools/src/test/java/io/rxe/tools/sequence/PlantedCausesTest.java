package io.rxe.tools.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.flow.RetransmissionCause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("rxe dump --time-sequence, on captures with one planted cause each")
class PlantedCausesTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    @DisplayName("the table has the planted cause and no other, and the picture its colour")
    void thePlantedCauseAndNoOther(PlantedCapture planted) throws IOException {
        Path capture = folder.resolve("planted.pcapng");
        planted.write(capture);
        Path picture = folder.resolve("planted.svg");
        Run run = Run.of("dump", "--time-sequence", picture.toString(), capture.toString());
        assertEquals(ExitStatus.OK, run.status(), run.err());
        List<String> rows = run.out().lines().filter(line -> line.startsWith("      ")).map(String::strip).toList();
        assertEquals(planted.causes(), Arrays.stream(RetransmissionCause.values()).filter(cause -> rows.stream().anyMatch(row ->
            row.startsWith(cause.text() + " ") && row.contains(" " + cause.rule() + " "))).collect(Collectors.toSet()), run.out());
        assertEquals(planted.refusal(), rows.stream().filter(row -> row.matches(".*\\([QR]\\d+\\) +\\d+")).map(row ->
            row.replaceAll(" +\\d+$", "")).collect(Collectors.joining()), run.out());
        String svg = Files.readString(picture);
        for (RetransmissionCause cause : planted.causes()) {
            assertTrue(svg.contains("data-kind=\"" + Kind.of(cause).style() + "\" d=\"M"), svg);
        }
    }
}
