package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@DisplayName("The C program of tools/compare")
class UdpLimitTest {
    private static final Path COMPILER = Path.of("/usr/bin/cc");

    @TempDir
    private static Path folder;
    private static String program;

    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(Files.isExecutable(COMPILER), "no C compiler: apt-get install gcc libc6-dev");
        program = folder.resolve("udp-limit").toString();
        run(COMPILER.toString(), "-O3", "-Wall", "-Wextra", "-Werror", "-o", program, Path.of("bench", "udp-limit.c").toString());
    }

    @Test
    void computesTheSameCrcInEveryForm() throws Exception {
        String result = run(program, "check");
        assertTrue(result.contains("\"longest\": 4200") && result.contains("\"tables\": \"checked\""), result);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gather", "write", "gather write"})
    void deliversEveryFrame(String how) throws Exception {
        String result = transfer(how, "0.3");
        // On a busy machine its threads may not run for as long.
        for (int more = 1; more <= 3 && result.contains("\"frames_per_second\": 0,"); more++) {
            result = transfer(how, String.valueOf(2 * more));
        }
        assertTrue(result.contains("\"lost\": 0, \"corrupted\": 0"), result);
    }

    private static String transfer(String how, String seconds) throws Exception {
        List<String> command = new ArrayList<>(List.of(program, "bw", "4096", "gro", seconds));
        command.addAll(how.isEmpty() ? List.of() : List.of(how.split(" ")));
        Path output = folder.resolve("output");
        start(output, command).waitFor();
        return Files.readString(output);
    }

    private static String run(String... command) throws Exception {
        Path output = folder.resolve("output");
        int status = start(output, List.of(command)).waitFor();
        String text = Files.readString(output);
        assertEquals(0, status, text);
        return text;
    }

    private static Process start(Path output, List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }
}
