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
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * One run of a program as server and client, each with a NIC of its own, of which one makes faults; or of a job without a server, whose
 * processes all make them.
 */
final class FaultRun {
    static final String SERVER = "127.88.0.1";
    static final String CLIENT = "127.88.0.2";
    private static final String JOB = "127.88.0.0/24";
    private static final int LEAST_READY_SECONDS = 30;
    private static final int LEAST_OTHER_SECONDS = 20;
    private static final int SEGV = 128 + 11;
    private static final int BUS = 128 + 7;
    /** Words of the JVM, and of the C library about its heap. Programs may abort of their own. */
    private static final Pattern CRASH = Pattern.compile(
        "fatal error has been detected by the Java Runtime|(free|alloc|malloc_\\w+)\\(\\): |double free|corrupted");
    /** A frame of a backtrace, or the line above it. */
    private static final Pattern FRAME = Pattern.compile("=+.*|\\d+ .*\\[0x\\p{XDigit}+]|.*\\[ *\\d+].*\\[0x\\p{XDigit}+]");
    private static final End NONE = new End(0, "none", false);
    private static boolean over;

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
     * @param crashed  whether by a fault of memory, or of the JVM.
     */
    record End(int status, String lastLine, boolean crashed) {
        boolean isKilled() {
            return status == -1;
        }

        @Override
        public String toString() {
            return this == NONE ? lastLine
                : (isKilled() ? "killed" : crashed ? "CRASH, status " + status : "status " + status) + ", " + lastLine;
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
        int port = freePort();
        Path serverOut = folder.resolve("server");
        Path clientOut = folder.resolve("client");
        if (program.server() == null) {
            return runJob(port, clientFault, seconds, clientOut);
        }
        Process server = start(program.server(), SERVER, port, serverFault, serverOut);
        Process client = null;
        try {
            awaitReady(server, port, serverOut, Math.max(LEAST_READY_SECONDS, seconds / 2));
            client = start(program.client(), CLIENT, port, clientFault, clientOut);
            // The side without the fault may wait for ever for a peer that never came, or went without a word.
            int other = Math.max(LEAST_OTHER_SECONDS, seconds / 3);
            client.waitFor(clientFault == null && serverFault != null ? other : seconds, TimeUnit.SECONDS);
            server.waitFor(serverFault == null && clientFault != null ? other : seconds, TimeUnit.SECONDS);
            return new Ends(end(server, serverOut), end(client, clientOut));
        } finally {
            HostCommand.kill(server);
            if (client != null) {
                HostCommand.kill(client);
            }
        }
    }

    private Ends runJob(int port, String fault, int seconds, Path output) throws IOException, InterruptedException {
        Process job = start(program.client(), JOB, port, fault, output);
        try {
            job.waitFor(seconds, TimeUnit.SECONDS);
            return new Ends(NONE, end(job, output));
        } finally {
            HostCommand.kill(job);
        }
    }

    /** From now on nothing is started, and what was does not outlive this process, with its addresses. */
    static void endAll() {
        synchronized (FaultRun.class) {
            over = true;
        }
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    }

    private static Process startUnlessOver(ProcessBuilder builder) throws IOException {
        synchronized (FaultRun.class) {
            if (over) {
                throw new IOException("the table is ended");
            }
            return builder.start();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
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
        return startUnlessOver(builder);
    }

    /** It listens, says that it does, or has ended; or the time is over. */
    private void awaitReady(Process server, int port, Path output, int seconds) throws IOException, InterruptedException {
        for (int tenth = 0; tenth < 10 * seconds && server.isAlive(); tenth++) {
            if (program.ready() ? isListening(port) : text(errors(output)).contains("rxe: listener")) {
                return;
            }
            server.waitFor(100, TimeUnit.MILLISECONDS);
        }
    }

    private static boolean isListening(int port) throws IOException {
        String listening = String.format(Locale.ROOT, "(?s).*:%04X \\p{XDigit}+:\\p{XDigit}+ 0A .*", port);
        return text(Path.of("/proc/net/tcp")).matches(listening) || text(Path.of("/proc/net/tcp6")).matches(listening);
    }

    private static Path errors(Path output) {
        return output.resolveSibling(output.getFileName() + ".err");
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static End end(Process process, Path output) throws IOException {
        int status = process.isAlive() ? -1 : process.exitValue();
        boolean crashed = status == SEGV || status == BUS || CRASH.matcher(text(output) + text(errors(output))).find();
        String error = last(text(errors(output)));
        return new End(status, error.isEmpty() ? last(text(output)) : error, crashed);
    }

    /** The last line of the program's own. */
    private static String last(String printed) {
        return printed.lines().map(String::strip)
            .filter(line -> line.matches(".*\\w.*") && !line.startsWith("rxe: ") && !FRAME.matcher(line).matches())
            .reduce("", (before, line) -> line);
    }
}
