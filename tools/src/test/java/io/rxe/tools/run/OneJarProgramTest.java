package io.rxe.tools.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.ibverbs.NativeLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("one jar, with no compiler on the PATH, runs a program for libibverbs")
class OneJarProgramTest {
    private static final Path PROGRAM = Path.of("/usr/bin/ibv_devinfo");
    private static final long SECONDS = 120;

    @TempDir
    private Path folder;

    @BeforeEach
    void requireProgram() {
        assumeTrue(Files.isExecutable(PROGRAM), "no " + PROGRAM + ": apt-get install ibverbs-utils");
    }

    /** @param cache null for that of the home. */
    private String run(Path jar, String cache, String... options) throws Exception {
        Path programs = folder.resolve("bin");
        if (!Files.exists(programs)) {
            Files.createSymbolicLink(Files.createDirectory(programs).resolve("ibv_devinfo"), PROGRAM);
        }
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-jar", jar.toString(), "run", "ibv_devinfo"));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().remove("CC");
        builder.environment().put("PATH", programs.toString());
        builder.environment().remove("XDG_CACHE_HOME");
        if (cache != null) {
            builder.environment().put("XDG_CACHE_HOME", folder.resolve(cache).toString());
        }
        builder.environment().put("XDG_RUNTIME_DIR", Files.createDirectories(folder.resolve("runtime")).toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), output);
        assertEquals(0, process.exitValue(), output);
        return output;
    }

    private Path library() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("cache"))) {
            List<Path> found = files.filter(file -> file.endsWith(NativeLibrary.NAME)).toList();
            assertEquals(1, found.size(), found::toString);
            return found.get(0);
        }
    }

    @Test
    @DisplayName("and replaces a library in the cache that is cut off or another")
    void runs() throws Exception {
        OneJar.requireLibrary();
        try (InputStream in = NativeLibrary.class.getResourceAsStream(OneJar.LIBRARY)) {
            byte[] right = in.readAllBytes();
            Path jar = OneJar.make(folder.resolve("rxe.jar"));
            assertTrue(run(jar, "cache").contains("rxe0"));
            for (byte[] wrong : new byte[][] {Arrays.copyOf(right, 5000), "another".getBytes(StandardCharsets.US_ASCII)}) {
                Files.write(library(), wrong);
                assertTrue(run(jar, "cache").contains("rxe0"));
                assertArrayEquals(right, Files.readAllBytes(library()));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"my cache", "cache:2", "cache$LIB"})
    @DisplayName("and not in a cache that LD_PRELOAD cannot name")
    void runsBesideSuchACache(String cache) throws Exception {
        OneJar.requireLibrary();
        assertTrue(run(OneJar.make(folder.resolve("rxe.jar")), cache).contains("rxe0"));
    }

    @Test
    @DisplayName("and not below the working folder, for a user without a name, whose home Java 17 calls \"?\"")
    void runsWithoutHome() throws Exception {
        OneJar.requireLibrary();
        assertTrue(run(OneJar.make(folder.resolve("rxe.jar")), null, "-Duser.home=?").contains("rxe0"));
        assertFalse(Files.exists(folder.resolve("?")));
    }
}
