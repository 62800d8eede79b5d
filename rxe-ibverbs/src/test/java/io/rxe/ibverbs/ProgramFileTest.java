package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the program to run")
class ProgramFileTest {
    @TempDir
    private Path folder;

    @Test
    void isFoundAsAShellDoes() throws IOException {
        Path tool = Files.writeString(folder.resolve("tool"), "#!/bin/sh\n");
        assertThrows(IOException.class, () -> ProgramFile.find("tool", folder.toString()));
        assertEquals(tool + ": this file may not be executed: chmod +x it, or put its interpreter in front of it",
            assertThrows(IOException.class, () -> ProgramFile.find(tool.toString(), "")).getMessage());
        assertEquals(folder + ": there is no such program",
            assertThrows(IOException.class, () -> ProgramFile.find(folder.toString(), "")).getMessage());
        assertTrue(tool.toFile().setExecutable(true));
        assertEquals(tool, ProgramFile.find("tool", "/nonexistent:" + folder));
        assertEquals(tool, ProgramFile.find(tool.toString(), "/nonexistent"));
        ProgramFile.requirePreloadable(tool);
    }

    @Test
    void sharedProgramsCanBePreloaded() throws IOException {
        ProgramFile.requirePreloadable(Path.of("/bin/sh").toRealPath());
    }

    @Test
    void staticProgramsCannot() throws Exception {
        Path compiler = CProgram.requireCompiler();
        Path source = Files.writeString(folder.resolve("none.c"), "void _start(void) { for (;;) { } }\n");
        Path program = folder.resolve("none");
        CProgram.finish(new ProcessBuilder(List.of(compiler.toString(), "-static", "-nostdlib", "-o", program.toString(),
            source.toString())), folder.resolve("output"), Map.of());
        String message = assertThrows(IOException.class, () -> ProgramFile.requirePreloadable(program)).getMessage();
        assertTrue(message.contains("is linked statically"), message);
    }
}
