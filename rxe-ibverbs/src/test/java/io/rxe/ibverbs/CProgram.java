package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Programs that tests compile and run. Tests are skipped, with the reason, where the compiler, a header or a program is missing. */
final class CProgram {
    /** After which a program hangs; the longest takes 40 s where the processor is its own. */
    static final long TIMEOUT_SECONDS = 600;

    private static Path shared;

    private CProgram() {
    }

    static Path requireCompiler() {
        assumeTrue(LibraryCompiler.find().isPresent(), "no C compiler: apt-get install gcc libc6-dev");
        assumeTrue(Files.isReadable(Path.of(System.getProperty("java.home"), "include", "jni.h")),
            "no jni.h: this Java is not a whole JDK");
        return LibraryCompiler.find().get();
    }

    static void requireHeader() {
        requireCompiler();
        assumeTrue(Files.isReadable(Path.of("/usr/include/infiniband/verbs.h")), "no infiniband/verbs.h: apt-get install libibverbs-dev");
    }

    static void requireCmHeader() {
        requireHeader();
        assumeTrue(Files.isReadable(Path.of("/usr/include/rdma/rdma_cma.h")), "no rdma/rdma_cma.h: apt-get install librdmacm-dev");
    }

    static void requireProgram(String name, String debianPackage) {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin", name)), "no " + name + ": apt-get install " + debianPackage);
    }

    /** Requires that an ordinary user may mount and have networks of its own. */
    static void requireNamespaces() throws Exception {
        requireProgram("unshare", "util-linux");
        requireProgram("ip", "iproute2");
        Process probe = new ProcessBuilder("unshare", "-Urnm", "mount", "-t", "tmpfs", "none", "/sys").redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        assumeTrue(probe.waitFor() == 0, "no user namespaces: the kernel (sysctl kernel.unprivileged_userns_clone) or this container"
            + " forbids `unshare -Urnm mount`");
    }

    /** The C half of this library, as programs preload it: built once, as that takes the compiler longer than most programs run. */
    static synchronized Path library() throws IOException {
        requireCompiler();
        if (shared == null) {
            Path folder = Files.createTempDirectory("rxe-test-");
            shared = library(folder, List.of());
            for (Path made : List.of(folder, shared.getParent(), shared, shared.resolveSibling(NativeLibrary.OPTIONS),
                shared.resolveSibling(NativeLibrary.RECORD))) {
                made.toFile().deleteOnExit();
            }
        }
        return shared;
    }

    /** @param flags more for the compiler. */
    static Path library(Path folder, List<String> flags) throws IOException {
        Path library = NativeLibrary.compile(folder.resolve("library"),
            NativeLibrary.options(System.getProperty("java.class.path"), null), flags);
        // Most programs end before much compiling pays.
        Files.writeString(library.resolveSibling(NativeLibrary.OPTIONS), "-XX:TieredStopAtLevel=1\n-XX:CompileThresholdScaling=4\n",
            StandardOpenOption.APPEND);
        return library;
    }

    /** Compiles one of the C programs beside the tests, once in a folder. */
    static Path compile(Path folder, String name, String... libraries) throws Exception {
        Path program = folder.resolve(name);
        if (!Files.exists(program)) {
            Path source = Path.of(CProgram.class.getResource(name + ".c").toURI());
            List<String> command = new ArrayList<>(List.of(requireCompiler().toString(), "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror",
                "-o", program.toString(), source.toString()));
            command.addAll(List.of(libraries));
            finish(new ProcessBuilder(command), folder.resolve("compiler"), Map.of());
        }
        return program;
    }

    /** Compiles and runs a program; returns the lines it prints. */
    static List<String> run(Path folder, String source, String... flags) throws Exception {
        Path file = Files.writeString(folder.resolve("program.c"), source);
        Path program = folder.resolve("program");
        Path output = folder.resolve("output");
        List<String> compile = new ArrayList<>(List.of(requireCompiler().toString(), "-std=gnu11", "-o", program.toString(),
            file.toString()));
        compile.addAll(List.of(flags));
        finish(new ProcessBuilder(compile), output, Map.of());
        return finish(new ProcessBuilder(program.toString()), output, Map.of());
    }

    /** Runs a command to its end, which must be a success; returns the lines it prints. */
    static List<String> finish(ProcessBuilder command, Path output, Map<String, String> variables) throws Exception {
        Process process = start(command, output, variables);
        return await(process, output);
    }

    static Process start(ProcessBuilder command, Path output, Map<String, String> variables) throws IOException {
        command.environment().putAll(variables);
        return command.redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile()).redirectOutput(output.toFile()).start();
    }

    static List<String> await(Process process, Path output) throws Exception {
        try {
            assertTrue(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS), () -> "still running: " + text(output));
            assertEquals(0, process.exitValue(), () -> text(output));
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output);
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
