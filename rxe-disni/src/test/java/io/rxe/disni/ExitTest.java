package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("a program that exits")
class ExitTest {
    @TempDir
    private Path folder;

    @Test
    @DisplayName("has its connections in its shutdown hooks, and then its capture")
    void hooksUseTheNic() throws Exception {
        Path capture = folder.resolve("exit.pcapng");
        List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        line.addAll(DisniStart.FLAGS);
        line.addAll(List.of("-Drxe.capture=" + capture, "-cp", System.getProperty("java.class.path"), ExitProgram.class.getName()));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(printed.contains("at exit: 0 and 0"), printed);
        assertTrue(Files.size(capture) > 0);
    }
}
