package io.rxe.testkit.faults;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.CountersView;
import io.rxe.testkit.host.HostCommand;
import io.rxe.verbs.QueuePairState;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One run of a program as server and client, each with a NIC of its own, of which one makes faults; or of a job without a server, whose
 * processes all make them.
 */
final class FaultRun {
    static final String SERVER = "127.88.0.1";
    static final String CLIENT = "127.88.0.2";
    private static final String JOB = "127.88.0.0/24";
    /** A frame of a backtrace, or the line above it. */
    private static final Pattern FRAME = Pattern.compile("=+.*|\\d+ .*\\[0x\\p{XDigit}+]|.*\\[ *\\d+].*\\[0x\\p{XDigit}+]");
    /** The function of a frame, as gdb prints it. */
    private static final Pattern STACK_FRAME = Pattern.compile("(?m)^#\\d+ +(?:0x\\p{XDigit}+ in )?(\\S+)");
    private static final End NONE = new End(0, "none", null, false, null);

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
     * @param status   its exit status; -1 where it was killed.
     * @param lastLine of what it printed.
     * @param crash    whose crash it was, see {@link Crash#of}; null for none.
     * @param hasFault false where its NIC says that it made none.
     * @param waiting  null where it ended; else how many faults its NIC has made, the state and the requests of each queue pair, and the
     *                 functions that its first thread was in, the innermost first; none without gdb.
     */
    record End(int status, String lastLine, String crash, boolean hasFault, String waiting) {
        @Override
        public String toString() {
            String end = (crash == null ? "" : crash + ", ") + (waiting != null ? "killed" : "status " + status) + ", ";
            return (this == NONE ? "" : end) + lastLine.replace('|', '/');
        }
    }

    /**
     * Returns the end of the side with the fault, then that of the other.
     *
     * @param fault   specification, or null.
     * @param seconds longest time of the side with the fault.
     * @param other   seconds that the other side then has; it may wait for ever for a peer that never came, or went without a word.
     */
    List<End> run(String fault, boolean isServers, int seconds, int other) throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path serverOut = folder.resolve("server");
        Path clientOut = folder.resolve("client");
        boolean isJob = program.server() == null;
        Process server = null;
        Process client = null;
        try {
            if (!isJob) {
                server = start(program.server(), SERVER, port, isServers ? fault : null, serverOut);
                awaitReady(server, port, serverOut, seconds);
            }
            client = start(program.client(), isJob ? JOB : CLIENT, port, isServers ? null : fault, clientOut);
            client.waitFor(isServers ? other : seconds, TimeUnit.SECONDS);
            if (!isJob) {
                server.waitFor(isServers ? seconds : other, TimeUnit.SECONDS);
            }
            End ofServer = isJob ? NONE : end(server, serverOut);
            End ofClient = end(client, clientOut);
            return isServers ? List.of(ofServer, ofClient) : List.of(ofClient, ofServer);
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
        builder.environment().put("FI_LOG_LEVEL", "warn");
        builder.environment().merge("RXE_JAVA_OPTIONS", Crash.JAVA_OPTION, (before, option) -> before + " " + option);
        return HostCommand.start(builder);
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

    /** The last 4 MiB: a program that tries a verb again without end says so each time. */
    static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(Math.max(0, Files.size(file) - (4 << 20)));
            return new String(in.readNBytes(4 << 20), StandardCharsets.ISO_8859_1);
        }
    }

    private static End end(Process process, Path output) throws IOException {
        String errors = text(errors(output));
        String waiting = process.isAlive() ? waiting(process.pid()) : null;
        boolean hasFault = waiting == null ? !errors.contains(" made 0 times: ") || errors.matches("(?s).* made [1-9].*")
            : !waiting.startsWith("0 ");
        int status = waiting == null ? process.exitValue() : -1;
        String error = last(errors);
        return new End(status, error.isEmpty() ? last(text(output)) : error, Crash.of(status, text(output) + errors), hasFault, waiting);
    }

    private static String waiting(long process) throws IOException {
        long faults = 0;
        String text = " faults, ";
        for (CountersView view : HostCommand.counters(process)) {
            faults += view.counters().stream().filter(one -> one.typeId() == CounterLayout.TYPE_FAULT).mapToLong(one -> one.value()).sum();
            text += view.queuePairs().stream().filter(one -> one.open()).map(one ->
                QueuePairState.values()[(int) one.get("state")] + " " + one.get("sends_queued") + ", ").collect(Collectors.joining());
        }
        try {
            text += STACK_FRAME.matcher(HostCommand.run("gdb", "-nx", "-batch", "-p", Long.toString(process), "-ex", "bt")).results()
                .map(frame -> frame.group(1)).collect(Collectors.joining(" < "));
        } catch (IOException e) {
            // There is no gdb, or the program has just ended.
        }
        return faults + text;
    }

    /** The last line of the program's own. */
    private static String last(String printed) {
        return printed.lines().map(String::strip).takeWhile(line -> !line.startsWith(Crash.OF_JVM))
            .filter(line -> line.matches(".*\\w.*") && !line.startsWith("rxe: ") && !FRAME.matcher(line).matches())
            .reduce("", (before, line) -> line);
    }
}
