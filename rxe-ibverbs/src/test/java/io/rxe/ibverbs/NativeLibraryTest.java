package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.net.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("the library: prebuilt, unpacked, compiled")
class NativeLibraryTest {
    private static final String ADDRESS = "127.0.0.77";
    private static final Pattern VERSION = Pattern.compile("GLIBC_2\\.(\\d+)");

    @TempDir
    private Path folder;

    private final List<String> notes = new ArrayList<>();

    private static byte[] prebuilt() throws IOException {
        Optional<byte[]> found = PrebuiltLibrary.find();
        assumeTrue(found.isPresent(), "the build had no C compiler: apt-get install gcc libc6-dev");
        return found.get();
    }

    private Path build(Optional<byte[]> prebuilt) throws IOException {
        byte[] options = NativeLibrary.options(System.getProperty("java.class.path"), null);
        return NativeLibrary.build(folder.resolve("library"), options, prebuilt, notes::add);
    }

    /** As a new file: this JVM has the one before loaded, which must not change. */
    private static void plant(Path file, byte[] content) throws IOException {
        Files.delete(file);
        Files.write(file, content);
    }

    @Test
    @DisplayName("the options have names of files in the encoding of the system, which may be another than Java's default")
    void encodingOfTheOptions() {
        String before = System.getProperty("sun.jnu.encoding");
        System.setProperty("sun.jnu.encoding", "ISO-8859-1");
        try {
            assertTrue(new String(NativeLibrary.options("/é.jar", null), StandardCharsets.ISO_8859_1).endsWith("class.path=/é.jar\n"));
        } finally {
            System.setProperty("sun.jnu.encoding", before);
        }
    }

    @Test
    @DisplayName("a program runs with the prebuilt one: exerciser.c")
    void prebuiltRuns() throws Exception {
        CProgram.requireHeader();
        Path library = build(Optional.of(prebuilt()));
        Path program = CProgram.compile(folder, "exerciser", "-libverbs");
        List<String> printed = CProgram.finish(new ProcessBuilder(program.toString()), folder.resolve("output"),
            new ProgramStart(library).address(ADDRESS).udpPort(FreePorts.udp(ADDRESS)).variables());
        assertTrue(printed.contains("all right"), () -> String.join("\n", printed));
        assertEquals(List.of(), notes);
    }

    @Test
    @DisplayName("an unpacked one that is cut off, of another version or gone is replaced, and its options are")
    void unpackedIsChecked() throws Exception {
        byte[] right = prebuilt();
        Path library = build(Optional.of(right));
        Path options = library.resolveSibling(NativeLibrary.OPTIONS);
        byte[] rightOptions = Files.readAllBytes(options);
        byte[] changed = right.clone();
        changed[changed.length / 2] ^= 1;
        for (byte[] wrong : new byte[][] {Arrays.copyOf(right, right.length / 2), changed, {}}) {
            plant(library, wrong);
            plant(options, wrong);
            assertEquals(library, build(Optional.of(right)));
            assertArrayEquals(right, Files.readAllBytes(library));
            assertArrayEquals(rightOptions, Files.readAllBytes(options));
        }
        Files.delete(library);
        build(Optional.of(right));
        assertArrayEquals(right, Files.readAllBytes(library));
        try (var files = Files.list(library.getParent())) {
            assertEquals(Set.of(library, options), files.collect(Collectors.toSet()), "nothing is left behind");
        }
    }

    @Test
    @DisplayName("where the prebuilt one does not load, one is compiled, with a sentence the first time; it is checked, too")
    void compilesWhatDoesNotLoad() throws Exception {
        CProgram.requireCompiler();
        Optional<byte[]> broken = Optional.of("not a library".getBytes(StandardCharsets.US_ASCII));
        Path library = build(broken);
        assertEquals(1, notes.size());
        assertTrue(notes.get(0).startsWith("the library of this rxe does not load here ("), notes.get(0));
        assertTrue(notes.get(0).endsWith("): compiling it"), notes.get(0));
        byte[] right = Files.readAllBytes(library);
        build(broken);
        assertEquals(1, notes.size());
        plant(library, Arrays.copyOf(right, right.length / 2));
        assertEquals(library, build(broken));
        assertArrayEquals(right, Files.readAllBytes(library));
        assertEquals(2, notes.size());
    }

    @Test
    @DisplayName("the prebuilt one needs no newer glibc than 2.17, AArch64's first")
    void oldVersions() throws Exception {
        String text = new String(prebuilt(), StandardCharsets.ISO_8859_1);
        TreeSet<Integer> needed = VERSION.matcher(text).results().map(match -> Integer.parseInt(match.group(1)))
            .collect(Collectors.toCollection(TreeSet::new));
        assertFalse(needed.isEmpty(), "versions were found");
        assertEquals(Set.of(), needed.tailSet(18), () -> "needs " + needed);
    }

    @Test
    @DisplayName("with musl, which has less than glibc, it compiles")
    void compilesWithMusl() throws Exception {
        Optional<Path> compiler = LibraryCompiler.onPath("musl-gcc").findFirst();
        assumeTrue(compiler.isPresent(), "needs musl-gcc: apt-get install musl-tools");
        LibraryCompiler.compile(folder, compiler.get(), List.of());
        String text = Files.readString(folder.resolve(NativeLibrary.NAME), StandardCharsets.ISO_8859_1);
        assertFalse(VERSION.matcher(text).find(), "needs glibc all the same");
    }
}
