package io.rxe.testkit.neighbour;

import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code neighbour}: a row for each buffer and number of programs, and one with TCP beside. */
@Command(name = "neighbour", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Shares a bottleneck between network namespaces, and prints who gets what. Needs root, perftest, iperf3 and iputils-ping.",
    "Goals: goodput 0.95 of what MTU 1024 leaves of the line (0.90 with less than 100 KB), 0.5 % dropped, Jain's index 0.95, with 1 MB",
    "ping p99 at most 3 times that of the idle path and 1 ms; a quarter of all beside TCP, and for TCP. Exit status 1 when one is missed."})
public final class NeighbourCommand implements Callable<Integer> {
    /** Payload of a frame, whose Ethernet header the queue counts. */
    private static final double PAYLOAD_SHARE = 1024.0 / 1082;
    private static final int LEAST_SECONDS = 3;

    @Option(names = "--rate", paramLabel = "MBIT", defaultValue = "200", description = "Mbit/s of the line; default ${DEFAULT-VALUE}.")
    private int rateMbit;

    @Option(names = "--buffers", split = ",", paramLabel = "KB", defaultValue = "40,256,1000", description =
        "Buffers of the queue; default ${DEFAULT-VALUE}.")
    private List<Integer> buffersKb;

    @Option(names = "--queue-pairs", split = ",", paramLabel = "N", defaultValue = "1,16,64,256", description =
        "Queue pairs of one program; default ${DEFAULT-VALUE}.")
    private List<Integer> queuePairs;

    @Option(names = "--programs", split = ",", paramLabel = "N", defaultValue = "2,8", description =
        "Programs with a queue pair each; default ${DEFAULT-VALUE}.")
    private List<Integer> programs;

    @Option(names = "--rxe", paramLabel = "SCRIPT", defaultValue = "../tools/rxe", description =
        "What runs the programs; default ${DEFAULT-VALUE}.")
    private Path rxe;

    @Option(names = "--duration", paramLabel = "S", defaultValue = "5", description = "Seconds of a run; default ${DEFAULT-VALUE}.")
    private int seconds;

    @Spec
    private CommandSpec spec;

    private boolean allMet = true;
    private Path logs;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seconds < LEAST_SECONDS) {
            throw new ParameterException(spec.commandLine(), "--duration " + seconds + " is less than " + LEAST_SECONDS
                + ": the first second is not measured, and ping needs some time");
        }
        logs = Files.createTempDirectory("neighbour-");
        PrintWriter out = spec.commandLine().getOut();
        out.println("| Mbit/s | buffer | programs | queue pairs | goodput | dropped | Jain's index | ping idle, p50, p99 in ms | TCP | |");
        out.println("|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
        for (int bufferKb : buffersKb) {
            for (int count : queuePairs) {
                row(bufferKb, 1, count, false);
            }
            for (int count : programs) {
                row(bufferKb, count, 1, false);
            }
            row(bufferKb, 1, 1, true);
        }
        spec.commandLine().getErr().println("what the programs printed: " + logs);
        return allMet ? 0 : ExitStatus.FAILED;
    }

    private void row(int bufferKb, int count, int pairs, boolean hasTcp) throws IOException, InterruptedException {
        String what = "| " + rateMbit + " | " + bufferKb + " KB | " + count + " | " + pairs + " | ";
        Path log = Files.createDirectory(logs.resolve(bufferKb + "-" + count + "-" + pairs + (hasTcp ? "-tcp" : "")));
        try (Bottleneck network = new Bottleneck(rateMbit + "mbit", bufferKb + "kb", hasTcp ? count + 1 : count)) {
            SharedRun run = SharedRun.of(network, rxe.toRealPath().toString(), log, count, pairs, hasTcp, seconds);
            double goodput = run.gbits() * 1000 / rateMbit / PAYLOAD_SHARE;
            double tcp = run.lastShare();
            boolean isMet = hasTcp ? tcp >= 0.25 && tcp <= 0.75 : goodput >= (bufferKb < 100 ? 0.90 : 0.95) && run.dropped() <= 0.005
                && run.fairness() >= 0.95 && (bufferKb < 1000 || run.p99Ms() <= 3 * run.idleMs() + 1);
            allMet &= isMet;
            what += String.format(Locale.ROOT, "%.1f %% | %.2f %% | %.2f | %.2f, %.2f, %.2f | %s | %s |", 100 * goodput,
                100 * run.dropped(), run.fairness(), run.idleMs(), run.medianMs(), run.p99Ms(),
                hasTcp ? String.format(Locale.ROOT, "%.1f %%", 100 * tcp) : "", isMet ? "met" : "missed");
        } catch (IOException e) {
            allMet = false;
            what += "| | | | | " + e.getMessage().replace('\n', ' ') + " |";
        }
        spec.commandLine().getOut().println(what);
        spec.commandLine().getOut().flush();
    }
}
