package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A process without memory, in which queue pairs connect and packets are lost")
class MemoryExhaustedTest {
    private static final int LIMIT_MINUTES = 10;

    @TempDir
    private Path folder;

    private void run(Class<?> program, String... options) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:+UseSerialGC"));
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName(),
            "" + FreePorts.udp("127.0.0.1", "127.0.0.2")));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        String text = Files.readString(output);
        assertTrue(ended, "no end within " + LIMIT_MINUTES + " minutes: " + text);
        assertEquals("good", text.lines().reduce("", (before, line) -> line), text);
    }

    @Test
    @DisplayName("direct memory is used up: packets wait behind gaps all the same, and every transfer succeeds")
    void directMemoryIsUsedUp() throws Exception {
        run(MemoryExhausted.class, "-XX:MaxDirectMemorySize=64m");
    }

    @Test
    @DisplayName("a NIC that finds no direct memory when it is opened leaves its port free")
    void nothingIsLeftOfAFailedOpen() throws Exception {
        run(OpenedWithoutMemory.class, "-XX:MaxDirectMemorySize=1m");
    }

    /** One is enough for every build, as each takes minutes on a busy machine; {@code .ci/nightly} has two. */
    static String[] heaps() {
        return System.getProperty("rxe.exhausted.heaps", "-Xmx32m").split(",");
    }

    @ParameterizedTest
    @MethodSource("heaps")
    @DisplayName("the heap is used up: each NIC recovers, or fails as a whole with DEVICE_FATAL; no thread waits for ever, close works")
    void theHeapIsUsedUp(String heap) throws Exception {
        // A fifth of each collection would look for classes to unload.
        run(HeapExhausted.class, heap, "-XX:MaxDirectMemorySize=64m", "-XX:-ClassUnloading");
    }
}
