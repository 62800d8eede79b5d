package io.rxe.testkit.faults;

import io.rxe.testkit.host.HostCommand;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * One run of a program as server and client, each with a NIC of its own, of which one makes faults; or of a job without a server, whose
 * processes all make them.
 */
final class FaultRun {
    static final String SERVER = "127.88.0.1";
    static final String CLIENT = "127.88.0.2";
    private static final String JOB = "127.88.0.0/24";
    private static final int LEAST_OTHER_SECONDS = 20;
    /** A frame of a backtrace, or the line above it. */
    private static final Pattern FRAME = Pattern.compile("=+.*|\\d+ .*\\[0x\\p{XDigit}+]|.*\\[ *\\d+].*\\[0x\\p{XDigit}+]");
    private static final End NONE = new End(0, "none", null);
    private static final ReentrantLock STARTING = new ReentrantLock();

    static {
        // From then on nothing is started, and what was does not outlive this process, with its addresses.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            STARTING.lock();
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        }, "faults-end"));
    }

    private final Path rxe;
    private final Path folder;
    private final FaultedProgram program;

    /** @param folder for what the programs print. */
    FaultRun(Path rxe, Path folder, FaultedProgram program) {
        this.rxe = rxe;
        this.folder = folder;
        this.program = program;
    }

    /**
     * How one side ended.
     *
     * @param status   its exit status; -1 where it was killed: with the fault after the limit, else after a third of it, or 20 s.
     * @param lastLine of what it printed.
     * @param crash    whose crash it was, see {@link Crash#of}; null for none.
     */
    record End(int status, String lastLine, String crash) {
        boolean isKilled() {
            return status == -1;
        }

        @Override
        public String toString() {
            String end = (crash == null ? "" : crash + ", ") + (isKilled() ? "killed" : "status " + status) + ", ";
            return (this == NONE ? "" : end) + lastLine.replace('|', '/');
        }
    }

    /** The ends of both sides. */
    record Ends(End server, End client) {
    }

    /**
     * @param serverFault specification, or null.
     * @param clientFault specification, or null.
     * @param seconds     longest time of a side with a fault; where neither has one, of both.
     */
    Ends run(String serverFault, String clientFault, int seconds) throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path serverOut = folder.resolve("server");
        Path clientOut = folder.resolve("client");
        boolean isJob = program.server() == null;
        // The side without the fault may wait for ever for a peer that never came, or went without a word.
        int other = Math.max(LEAST_OTHER_SECONDS, seconds / 3);
        Process server = null;
        Process client = null;
        try {
            if (!isJob) {
                server = start(program.server(), SERVER, port, serverFault, serverOut);
                awaitReady(server, port, serverOut, Math.max(LEAST_OTHER_SECONDS, seconds / 2));
            }
            client = start(program.client(), isJob ? JOB : CLIENT, port, clientFault, clientOut);
            client.waitFor(clientFault == null && serverFault != null ? other : seconds, TimeUnit.SECONDS);
            if (!isJob) {
                server.waitFor(serverFault == null && clientFault != null ? other : seconds, TimeUnit.SECONDS);
            }
            return new Ends(isJob ? NONE : end(server, serverOut), end(client, clientOut));
        } finally {
            HostCommand.kill(server);
            HostCommand.kill(client);
        }
    }

    private Process start(String words, String address, int port, String fault, Path output) throws IOException {
        List<String> command = new ArrayList<>(List.of(rxe.toString(), "run", "--dev", address, "-v"));
        if (fault != null) {
            command.addAll(List.of("--verbs-fault", fault, "--seed", "1"));
        }
        command.add("--");
        Arrays.stream(words.split(" ")).map(word -> word.replace("$S", SERVER).replace("$P", Integer.toString(port))
            .replace("$T", folder.toString())).forEach(command::add);
        ProcessBuilder builder = HostCommand.builder(command.toArray(String[]::new)).redirectOutput(output.toFile())
            .redirectError(errors(output).toFile());
        builder.environment().put("UCX_NET_DEVICES", "rxe0:1");
        builder.environment().put("FI_LOG_LEVEL", "warn");
        builder.environment().merge("RXE_JAVA_OPTIONS", Crash.JAVA_OPTION, (before, option) -> before + " " + option);
        STARTING.lock();
        try {
            return builder.start();
        } finally {
            STARTING.unlock();
        }
    }

    /** It listens, says that it does, or has ended; or the time is over. */
    private void awaitReady(Process server, int port, Path output, int seconds) throws IOException, InterruptedException {
        for (int tenth = 0; tenth < 10 * seconds && server.isAlive(); tenth++) {
            if (program.ready() ? HostCommand.isListening(text(Path.of("/proc/net/tcp")) + text(Path.of("/proc/net/tcp6")), port)
                : text(errors(output)).contains("rxe: listener")) {
                return;
            }
            server.waitFor(100, TimeUnit.MILLISECONDS);
        }
    }

    private static Path errors(Path output) {
        return output.resolveSibling(output.getFileName() + ".err");
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static End end(Process process, Path output) throws IOException {
        int status = process.isAlive() ? -1 : process.exitValue();
        String error = last(text(errors(output)));
        return new End(status, error.isEmpty() ? last(text(output)) : error, Crash.of(status, text(output) + text(errors(output))));
    }

    /** The last line of the program's own. */
    private static String last(String printed) {
        return printed.lines().map(String::strip).takeWhile(line -> !line.startsWith(Crash.OF_JVM))
            .filter(line -> line.matches(".*\\w.*") && !line.startsWith("rxe: ") && !FRAME.matcher(line).matches())
            .reduce("", (before, line) -> line);
    }
}
