package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link RxeNic#open} says in a JVM, or beside libraries, that it cannot work with. Each test starts a JVM of its own. */
class PrerequisitesTest {
    private static final String ACCESS = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    /** Where the build puts jars of versions that rxe cannot work with. */
    private static final Path OTHER_VERSIONS = Path.of(System.getProperty("basedir", "."), "target", "other-versions");
    private static final int TIMEOUT_SECONDS = 120;

    @TempDir
    private Path folder;

    @Test
    @DisplayName("--add-exports is enough")
    void opensWithTheExport() throws Exception {
        assertEquals(NicProgram.OPENED, run(ownClassPath(), ACCESS, NATIVE));
    }

    @Test
    @DisplayName("no class of ours or of JCTools calls sun.misc.Unsafe: Java prints no warning and needs no permission")
    void opensWithoutSunMiscUnsafe() throws Exception {
        List<String> options = new ArrayList<>(List.of(ACCESS, NATIVE));
        if (Runtime.version().feature() >= 24) {
            options.add("--sun-misc-unsafe-memory-access=deny");
        }
        assertEquals(NicProgram.OPENED, run(ownClassPath(), options.toArray(String[]::new)));
        if (Runtime.version().feature() >= 24) {
            assertEquals(NicProgram.OPENED, run(ownClassPath(), ACCESS, NATIVE), "the default of this Java");
        }
    }

    @Test
    void namesTheMissingOption() throws Exception {
        assertEquals("Agrona may not use jdk.internal.misc in this Java: start it with --add-exports"
            + " java.base/jdk.internal.misc=ALL-UNNAMED, or put Add-Exports: java.base/jdk.internal.misc into the manifest of the jar"
            + " that java -jar starts", run(ownClassPath(), NATIVE));
    }

    @Test
    void namesNettyOfAnotherVersion() throws Exception {
        String jar = otherVersion("netty-transport");
        String message = run(jar + File.pathSeparator + ownClassPathWithout("/netty-transport/"), ACCESS, NATIVE);
        assertTrue(message.startsWith("rxe needs Netty 4.2, here is " + jar + ": "), message);
    }

    @Test
    void namesAgronaOfAnotherVersion() throws Exception {
        String jar = otherVersion("agrona");
        String message = run(jar + File.pathSeparator + ownClassPathWithout("/agrona/"), ACCESS, NATIVE);
        assertTrue(message.startsWith("rxe needs Agrona 2, here is " + jar + ": "), message);
    }

    @Test
    void namesMissingLibraries() throws Exception {
        assertTrue(run(ownClassPathWithout("/agrona/"), ACCESS).startsWith("rxe needs Agrona 2, here is none: "));
        assertTrue(run(ownClassPathWithout("/netty-transport-classes-epoll/"), ACCESS).startsWith("rxe needs Netty's epoll transport: "));
    }

    @Test
    void namesTheMissingNativeClassifier() throws Exception {
        String classifier = System.getProperty("os.arch").equals("aarch64") ? "linux-aarch_64" : "linux-x86_64";
        String message = run(ownClassPathWithout("/netty-transport-native-epoll/"), ACCESS, NATIVE);
        assertTrue(message.contains("add io.netty:netty-transport-native-epoll with the classifier " + classifier + ","), message);
    }

    @Test
    @DisplayName("a temporary folder that takes no file, as one that is full, is named with the reason and another option")
    void namesTheFolderThatTakesNoFile() throws Exception {
        Path none = Files.createFile(folder.resolve("file")).resolve("folder");
        String message = run(ownClassPath(), ACCESS, NATIVE, "-Dio.netty.native.workdir=" + none);
        assertTrue(message.contains("Netty's epoll library cannot be unpacked into " + none + " (") && message.contains("): make room"
            + " there, or choose another folder, of this user and without noexec, with -Dio.netty.native.workdir=DIR"), message);
    }

    private static String otherVersion(String artifact) throws IOException {
        try (Stream<Path> files = Files.list(OTHER_VERSIONS)) {
            return files.map(Path::toString).filter(name -> name.contains("/" + artifact + "-")).findFirst().orElseThrow();
        }
    }

    /** Without the logging interface of another test's library, which prints a warning. */
    private static String ownClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).filter(entry -> !entry.contains("/slf4j"))
            .collect(Collectors.joining(File.pathSeparator));
    }

    private static String ownClassPathWithout(String artifact) {
        String rest = Arrays.stream(ownClassPath().split(File.pathSeparator)).filter(entry -> !entry.contains(artifact))
            .collect(Collectors.joining(File.pathSeparator));
        assertTrue(rest.length() < ownClassPath().length(), () -> artifact + " is not on the class path: " + ownClassPath());
        return rest;
    }

    /** All that the program printed, warnings of Java among it. */
    private String run(String classPath, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath, NicProgram.class.getName()));
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        // Java reports it when it takes options from there.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS), () -> "no end after " + TIMEOUT_SECONDS + " s");
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output).strip();
    }
}
