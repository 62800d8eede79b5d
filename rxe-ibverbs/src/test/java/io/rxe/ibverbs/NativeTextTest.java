package io.rxe.ibverbs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.net.process.ProcessSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("a program gets its arguments, byte by byte")
class NativeTextTest {
    /** A Latin-1 letter, and one that UTF-8 writes with four bytes, for printf. */
    private static final String OCTAL = "l\\351n \\360\\237\\230\\200";
    private static final String LETTERS = "l\351n \360\237\230\200";

    @TempDir
    private Path folder;

    /** Becomes the program of its second and further arguments; the first is the library to preload. */
    static final class Become {
        private Become() {
        }

        public static void main(String[] arguments) throws Exception {
            new ProgramStart(Path.of(arguments[0])).exec(Arrays.asList(arguments).subList(1, arguments.length));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"C", "C.UTF-8"})
    @DisplayName("in every locale")
    void become(String locale) throws Exception {
        assertEquals(LETTERS + "|", outputOf(Map.of("LC_ALL", locale), "printf", "%s|"));
    }

    @Test
    @DisplayName("also a script without an interpreter line, which is the shell's")
    void script() throws Exception {
        Path script = Files.writeString(folder.resolve("script"), "printf '%s|' \"$0\" \"$@\"\n");
        assertTrue(script.toFile().setExecutable(true));
        assertEquals(script + "|one|" + LETTERS + "|", outputOf(Map.of("LC_ALL", "C"), script.toString(), "one"));
    }

    @Test
    @DisplayName("and one that opens no NIC leaves a capture without a packet, not the one of an earlier run")
    void capture() throws Exception {
        Path capture = Files.writeString(folder.resolve("none.pcapng"), "of an earlier run");
        outputOf(Map.of("LC_ALL", "C", ProcessSettings.CAPTURE, capture.toString()), "true");
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(capture))) {
            assertNull(reader.read());
        }
    }

    /** What a program prints that gets the letters as its last argument. */
    private String outputOf(Map<String, String> variables, String... program) throws Exception {
        Path output = folder.resolve("output");
        // The shell makes the argument, as this Java may have no such letters.
        List<String> words = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" \"$(printf '" + OCTAL + "')\"", "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--add-exports",
            "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Become.class.getName(),
            CProgram.library().toString()));
        words.addAll(List.of(program));
        ProcessBuilder command = new ProcessBuilder(words);
        command.environment().putAll(variables);
        Process process = command.redirectError(ProcessBuilder.Redirect.INHERIT).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(CProgram.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        return Files.readString(output, ISO_8859_1);
    }

    @Test
    @DisplayName("also where a Java program chose them")
    void chosen() {
        byte[] given = "java\0one\0".getBytes(US_ASCII);
        assertArrayEquals(new byte[][] {"\u00e9".getBytes(UTF_8)}, NativeText.arguments(List.of("\u00e9"), given, UTF_8));
        assertArrayEquals(new byte[][] {{'a'}, {'b'}, {'c'}}, NativeText.arguments(List.of("a", "b", "c"), given, UTF_8));
    }
}
