package io.rxe.testkit.host;

import io.rxe.counters.CountersView;
import io.rxe.net.observe.CounterFolder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/** A program of this machine. */
public final class HostCommand {
    private static final ReentrantLock STARTING = new ReentrantLock();
    private static volatile Closeable last = () -> { };

    static {
        // From then on only this thread starts something, and what was started does not outlive this process, with its addresses.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            STARTING.lock();
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            try {
                last.close();
            } catch (IOException e) {
                System.err.println(e);
            }
        }, "host-end"));
    }

    private HostCommand() {
    }

    /** What starts it. It reads nothing, and a script of ours that it runs is not told to be this program. */
    public static ProcessBuilder builder(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectInput(Path.of("/dev/null").toFile());
        builder.environment().remove("RXE_MAIN");
        return builder;
    }

    /** Starts it; it ends with this process. */
    public static Process start(ProcessBuilder builder) throws IOException {
        STARTING.lock();
        try {
            return builder.start();
        } finally {
            STARTING.unlock();
        }
    }

    /** What this process closes when all that it has started has been ended; in the place of what was given before. */
    public static void closeAtEnd(Closeable what) {
        last = what;
    }

    /**
     * Runs it to its end and returns what it printed.
     *
     * @throws IOException with the command and its output, when its exit status is not 0 or the thread is interrupted.
     */
    public static String run(String... command) throws IOException {
        Process process = start(builder(command).redirectErrorStream(true));
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output.strip());
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        return output;
    }

    /** The counters of the NICs of a process. */
    public static List<CountersView> counters(long process) throws IOException {
        List<CountersView> views = new ArrayList<>();
        for (Path file : CounterFolder.candidates().stream().flatMap(folder -> CounterFolder.files(folder).stream())
            .filter(file -> file.getFileName().toString().startsWith(process + ".")).toList()) {
            views.add(CounterFolder.open(file));
        }
        return views;
    }

    /** Whether a program accepts TCP connections at a port, by what /proc/net/tcp and tcp6 say. */
    public static boolean isListening(String tables, int port) {
        return Pattern.compile(String.format(":%04X [0:]+ 0A ", port)).matcher(tables).find();
    }

    /** Ends it with all that it started; no effect for null. */
    public static void kill(Process process) throws InterruptedException {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }
}
