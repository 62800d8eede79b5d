package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The C program of tools/compare")
class UdpLimitTest {
    private static final Path COMPILER = Path.of("/usr/bin/cc");

    @TempDir
    private Path folder;

    @Test
    void computesTheSameCrcInEveryForm() throws Exception {
        assumeTrue(Files.isExecutable(COMPILER), "no C compiler: apt-get install gcc libc6-dev");
        String program = folder.resolve("udp-limit").toString();
        run(COMPILER.toString(), "-O3", "-Wall", "-Wextra", "-Werror", "-o", program, Path.of("bench", "udp-limit.c").toString());
        String result = run(program, "check");
        assertTrue(result.contains("\"longest\": 4200") && result.contains("\"tables\": \"checked\""), result);
    }

    private String run(String... command) throws Exception {
        Path output = folder.resolve("output");
        int status = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start().waitFor();
        String text = Files.readString(output);
        assertEquals(0, status, text);
        return text;
    }
}
