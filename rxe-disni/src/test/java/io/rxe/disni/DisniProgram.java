package io.rxe.disni;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.CountersView;
import io.rxe.counters.NicCounter;
import io.rxe.net.observe.CounterFolder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A main class of an unmodified jar, run in a JVM of its own on a NIC of its own. */
final class DisniProgram implements AutoCloseable {
    private static final String PROVIDER = Path.of("rxe-disni", "target").toString();

    private final Process process;
    /** Programs write files into their folder. */
    private final Path folder = Files.createTempDirectory("disni");
    private final Path output = folder.resolve("output");

    /**
     * @param address of the NIC.
     * @param udpPort of the NIC.
     * @param fault   a fault spec, or an empty text.
     * @param main    the main class and its arguments.
     */
    DisniProgram(String address, int udpPort, String fault, String... main) throws IOException {
        List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=4", "-cp", classPath(), "-Drxe.dev=" + address,
            "-Drxe.udp.port=" + udpPort, "-Drxe.fault=" + fault,
            "-Drxe.seed=16", "-Drxe.verbose=1"));
        line.addAll(List.of(main));
        process = new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true)
            .redirectOutput(output.toFile()).start();
    }

    /** That of the test, with our classes first, and without the test's own. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.endsWith("test-classes"))
            .sorted((left, right) -> Boolean.compare(right.contains(PROVIDER), left.contains(PROVIDER)))
            .collect(Collectors.joining(File.pathSeparator));
    }

    /** What it has printed so far. */
    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it listens on a port. */
    void awaitListener() throws InterruptedException {
        await("rxe: listener on");
    }

    /** SIGKILL: it can say nothing to its peer. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM: it ends as with exit. */
    void terminate() {
        process.destroy();
    }

    void await(String text) throws InterruptedException {
        await(() -> output().contains(text), "print '" + text + "'");
    }

    /** Waits until its NIC has received this many packets. */
    void awaitReceived(long packets) throws InterruptedException {
        await(() -> receivedPackets() >= packets, "receive " + packets + " packets");
    }

    /** As its counter file has it. */
    private long receivedPackets() {
        return CounterFolder.candidates().stream().flatMap(place -> CounterFolder.files(place).stream())
            .filter(file -> file.getFileName().toString().startsWith(process.pid() + ".")).map(DisniProgram::open)
            .flatMap(view -> view.counters().stream())
            .filter(counter -> counter.typeId() == CounterLayout.TYPE_NIC && counter.label().equals(NicCounter.RCVD_PKTS.label()))
            .mapToLong(CountersView.Counter::value).sum();
    }

    private static CountersView open(Path file) {
        try {
            return CounterFolder.open(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(BooleanSupplier done, String what) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!done.getAsBoolean()) {
            if (!process.isAlive() || System.nanoTime() > endNs) {
                throw new AssertionError("the program did not " + what + ": " + output());
            }
            Thread.sleep(20);
        }
    }

    /** Waits for its end; returns its exit status. */
    int exit(int minutes) throws InterruptedException {
        if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
            throw new AssertionError("the program did not end in " + minutes + " minutes: " + output());
        }
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
