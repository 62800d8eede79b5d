package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A command in a process of its own, for what a thread cannot show: signals, a small heap, a full device. */
public final class ChildRun implements AutoCloseable {
    private static final long SECONDS = 120;

    private final Process process;
    private final Path out;
    private final Path err;

    private ChildRun(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Starts a command.
     *
     * @param folder  gets its output.
     * @param options of Java.
     */
    public static ChildRun start(Path folder, List<String> options, String... arguments) throws IOException {
        Path out = Files.createTempFile(folder, "out", null);
        return start(folder, out.toFile(), options, arguments);
    }

    /** As {@link #start(Path, List, String...)}, with another standard output. */
    public static ChildRun start(Path folder, File out, List<String> options, String... arguments) throws IOException {
        return start(folder, out, List.of(), options, arguments);
    }

    /** As {@link #start(Path, List, String...)}, under a limit: the words of ulimit. */
    public static ChildRun startLimited(Path folder, String limit, String... arguments) throws IOException {
        return start(folder, Files.createTempFile(folder, "out", null).toFile(),
            List.of("bash", "-c", "ulimit " + limit + "; exec \"$@\"", "bash"), List.of("-XX:-UsePerfData"), arguments);
    }

    private static ChildRun start(Path folder, File out, List<String> before, List<String> options, String... arguments)
        throws IOException {
        Path err = Files.createTempFile(folder, "err", null);
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=4"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectOutput(out).redirectError(err.toFile()).start();
        return new ChildRun(process, out.toPath(), err);
    }

    /** Waits until the process has written a text to standard output. */
    public void awaitOutput(String text) throws Exception {
        await(() -> out().contains(text), text);
    }

    private void await(BooleanSupplier done, String what) throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!done.getAsBoolean()) {
            assertTrue(process.isAlive() && System.nanoTime() < endNs, () -> "no '" + what + "': " + out() + err());
            Thread.sleep(20);
        }
    }

    /** Sends SIGKILL. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Waits for the end. */
    public Run end() throws InterruptedException {
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), () -> "still running: " + out() + err());
        return new Run(process.exitValue(), out(), err());
    }

    private String out() {
        return read(out);
    }

    private String err() {
        // Warnings of Java, which JDK 25 ends with an empty line, and of a library that only tests have are not the command's.
        return read(err).lines().filter(line -> !line.isBlank() && !line.startsWith("WARNING: ") && !line.startsWith("SLF4J"))
            .map(line -> line + "\n").reduce("", String::concat);
    }

    private static String read(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
