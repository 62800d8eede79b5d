package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.process.ProcessSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs that call every function, and the hostile one, with the C half instrumented; and the C half for another processor. */
@Tag("once")
@DisplayName("the C half under sanitizers and cross-compiled")
class SanitizerTest {
    private static final String ADDRESS = "127.0.0.74";
    private static final List<String> UNDEFINED = List.of("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=undefined",
        "-static-libubsan");
    private static final List<String> ADDRESSES = List.of("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined");
    /** The JVM has handlers of its own, and what it leaves behind is not our leak. */
    private static final String OPTIONS = "handle_segv=0:use_sigaltstack=0:detect_leaks=0";

    /** Checks of a limited address space and a full heap: the sanitizer of addresses takes more. */
    private static final List<String> SMALL = List.of("little-address-space", "no-address-space", "limits");
    private static final Pattern NO_SANITIZER = Pattern.compile("cannot find \\S*(a|ub)san|libsanitizer\\.spec: No such file");

    @TempDir
    private Path folder;

    private Path library(List<String> flags) {
        CProgram.requireCmHeader();
        try {
            return CProgram.library(folder, flags);
        } catch (IOException e) {
            // The message begins with the command, which names the sanitizers.
            assumeTrue(!NO_SANITIZER.matcher(e.getMessage()).find(), () -> "no library of the sanitizer: apt-get install libgcc-12-dev");
            throw new IllegalStateException(e);
        }
    }

    private void run(Map<String, String> variables, String last, String name, String... arguments) throws Exception {
        Map<String, String> all = new HashMap<>(variables);
        all.put(ProcessSettings.UDP_PORT, Integer.toString(FreePorts.udp(ADDRESS)));
        Path program = CProgram.compile(folder, name, "-lrdmacm", "-libverbs", "-lpthread", "-ldl");
        ProcessBuilder command = new ProcessBuilder(program.toString());
        command.command().addAll(List.of(arguments));
        List<String> printed = CProgram.finish(command, folder.resolve("output"), all);
        assertTrue(printed.contains(last), () -> String.join("\n", printed));
    }

    /** @param which words for the hostile program: {@code --but} or {@code --only}, and {@link #SMALL}. */
    private void runHostile(Map<String, String> variables, String which, String last) throws Exception {
        run(variables, last, "hostile", Stream.concat(Stream.of(which), SMALL.stream()).toArray(String[]::new));
    }

    @Test
    @DisplayName("no undefined behaviour where memory is small")
    void undefinedBehaviour() throws Exception {
        runHostile(new ProgramStart(library(UNDEFINED)).address(ADDRESS).variables(), "--only", "ok limits");
    }

    @Test
    @DisplayName("no undefined behaviour, and no access outside of an object, or after it was freed")
    void addresses() throws Exception {
        Path library = library(ADDRESSES);
        List<String> runtime = CProgram.finish(new ProcessBuilder(CProgram.requireCompiler().toString(), "-print-file-name=libasan.so"),
            folder.resolve("runtime"), Map.of());
        Path found = Path.of(runtime.get(0));
        assumeTrue(Files.exists(found), "no libasan.so beside the compiler");
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).address(ADDRESS).variables());
        // The sanitizer must be first.
        variables.put("LD_PRELOAD", found.toRealPath() + ":" + library);
        variables.put("ASAN_OPTIONS", OPTIONS);
        run(variables, "all right", "exerciser", ADDRESS);
        run(variables, "all right", "connections", ADDRESS);
        run(variables, "all right", "channels", ADDRESS);
        run(variables, "all right", "vanish", "statuses");
        run(variables, "all right", "vanish", "race", "5");
        runHostile(variables, "--but", "ok device");
    }

    @Test
    @DisplayName("it compiles for AArch64")
    void otherProcessor() throws Exception {
        CProgram.requireCompiler();
        List<Path> compilers = LibraryCompiler.onPath("aarch64-linux-gnu-gcc").toList();
        assumeTrue(!compilers.isEmpty(), "no aarch64-linux-gnu-gcc: apt-get install gcc-aarch64-linux-gnu");
        LibraryCompiler.compile(folder, compilers.get(0), List.of());
        byte[] header = Files.readAllBytes(folder.resolve(NativeLibrary.NAME));
        // ELF, and EM_AARCH64 as its machine.
        assertTrue(header[0] == 0x7F && header[18] == (byte) 183 && header[19] == 0, "an ELF file for AArch64");
    }
}
