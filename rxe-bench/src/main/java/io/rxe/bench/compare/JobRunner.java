package io.rxe.bench.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs jobs as processes, and leaves none behind. */
final class JobRunner {
    /** Between the port and readiness, for servers that open it a moment early. */
    private static final long SERVER_START_NS = 100_000_000L;
    private static final long SERVER_POLL_NS = 20_000_000L;
    private static final long SERVER_START_LIMIT_NS = 30_000_000_000L;
    private static final long LIMIT_SECONDS = 180;
    private static final int TAIL = 300;

    private final Map<String, String> environment;
    /** What runs now, so that a signal ends it too. */
    private final Set<Process> running = ConcurrentHashMap.newKeySet();

    /** @param environment added to that of this process. */
    JobRunner(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> running.forEach(Process::destroyForcibly), "compare-end"));
    }

    /**
     * Runs a job and reads its figures.
     *
     * @throws IOException that says what it printed when it failed.
     */
    Map<String, Double> run(Job job) throws IOException {
        Path output = Files.createTempFile("rxe-compare", ".out");
        Path errors = Files.createTempFile("rxe-compare", ".err");
        Process server = null;
        try {
            if (!job.server().isEmpty()) {
                server = start(job.server(), ProcessBuilder.Redirect.DISCARD, ProcessBuilder.Redirect.DISCARD);
                awaitServer(server, job);
            }
            Process process = start(job.command(), ProcessBuilder.Redirect.to(output.toFile()),
                ProcessBuilder.Redirect.to(errors.toFile()));
            await(process, job);
            String text = Files.readString(output, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException("exit status " + process.exitValue() + ": " + tail(Files.readString(errors) + text));
            }
            return job.reader().read(text);
        } catch (IllegalArgumentException e) {
            throw new IOException("it printed something unexpected: " + e.getMessage(), e);
        } finally {
            end(server);
            running.removeIf(process -> !process.isAlive());
            Files.deleteIfExists(output);
            Files.deleteIfExists(errors);
        }
    }

    /** A server is ready when its port is open, in the network namespace that it runs in. */
    private static void awaitServer(Process server, Job job) throws IOException {
        long deadlineNs = System.nanoTime() + SERVER_START_LIMIT_NS;
        while (job.serverPort() != 0 && !ServerPort.isOpen(server.pid(), job.serverPort())) {
            if (!server.isAlive() || System.nanoTime() > deadlineNs) {
                throw new IOException("its server does not open port " + job.serverPort());
            }
            LockSupport.parkNanos(SERVER_POLL_NS);
        }
        LockSupport.parkNanos(SERVER_START_NS);
    }

    private Process start(List<String> command, ProcessBuilder.Redirect output, ProcessBuilder.Redirect errors)
        throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output).redirectError(errors)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        running.add(process);
        return process;
    }

    private static void await(Process process, Job job) throws IOException {
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                end(process);
                throw new IOException(job.what() + " did not end within " + LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void end(Process process) throws IOException {
        if (process != null) {
            process.destroyForcibly();
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while a process was ended", e);
            }
        }
    }

    private static String tail(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= TAIL ? line : "... " + line.substring(line.length() - TAIL);
    }
}
