package io.rxe.testkit.neighbour;

import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code neighbour}: rows for each buffer and number of programs, with TCP beside, and with TCP in turn where packets are dropped. */
@Command(name = "neighbour", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Shares a bottleneck between network namespaces, and prints who gets what. Needs root, perftest, qperf, iperf3, iputils-ping, nft.",
    "Goals: goodput 0.95 of what headers leave of the line (0.90 with less than 100 KB), 0.5 %% retransmitted, Jain's index 0.95, with",
    "1 MB ping p99 at most 3 times that of the idle path and 1 ms; a quarter of all beside TCP, and for TCP, but for bbr, which is only",
    "shown; more Mbit/s than TCP, each alone, where the router drops one packet of N. Exit status 1 when one is missed."})
public final class NeighbourCommand implements Callable<Integer> {
    private static final Path CONTROLS = Path.of("/proc/sys/net/ipv4/tcp_available_congestion_control");

    @Option(names = "--rate", paramLabel = "MBIT", defaultValue = "200", description = "Mbit/s of the line; default ${DEFAULT-VALUE}.")
    private int rateMbit;

    @Option(names = "--buffers", split = ",", paramLabel = "KB", defaultValue = "40,256,1000", description =
        "Buffers of the queue; default ${DEFAULT-VALUE}.")
    private Set<Integer> buffersKb;

    @Option(names = "--mtu", paramLabel = "BYTES", defaultValue = "1500", description = "MTU of the links; default ${DEFAULT-VALUE}.")
    private int mtuBytes;

    @Option(names = "--queue-pairs", split = ",", paramLabel = "N", defaultValue = "1,16,64,256", description =
        "Queue pairs of one program; default ${DEFAULT-VALUE}.")
    private Set<Integer> queuePairs;

    @Option(names = "--programs", split = ",", paramLabel = "N", defaultValue = "2,8", description =
        "Programs with a queue pair each; default ${DEFAULT-VALUE}.")
    private Set<Integer> programs;

    @Option(names = "--drop", split = ",", paramLabel = "N", defaultValue = "100,20", description =
        "One packet of N is dropped; default ${DEFAULT-VALUE}.")
    private Set<Integer> drops;

    @Option(names = "--tcp", split = ",", paramLabel = "CONTROL", defaultValue = "cubic,bbr", description =
        "Congestion controls of TCP; default ${DEFAULT-VALUE}.")
    private Set<String> controls;

    @Option(names = "--rxe", paramLabel = "SCRIPT", defaultValue = "../tools/rxe", description =
        "What runs the programs; default ${DEFAULT-VALUE}.")
    private Path rxe;

    @Option(names = "--duration", paramLabel = "S", defaultValue = "5", description =
        "Seconds of a run that count; default ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "5", description =
        "Seconds before them for each program, as the JIT compilers of all share the processors; default ${DEFAULT-VALUE}.")
    private int warmUp;

    @Spec
    private CommandSpec spec;

    private boolean allMet = true;
    private Path logs;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check(warmUp > 0, "--warm-up " + warmUp + " is less than 1: the programs need a second to begin");
        check(seconds > 1, "--duration " + seconds + " is less than 2: ping needs some time");
        for (int drop : drops) {
            check(drop > 1, "--drop " + drop + " is less than 2: no packet would be left; 100 is 1 %");
        }
        String known = Files.readString(CONTROLS).strip();
        for (String control : controls) {
            check(Set.of(known.split(" ")).contains(control), "--tcp " + control + ": this kernel has " + known
                + "; choose of these, or load it (modprobe tcp_" + control + ")");
        }
        logs = Files.createTempDirectory("neighbour-");
        PrintWriter out = spec.commandLine().getOut();
        out.println("| Mbit/s | buffer | programs | queue pairs | goodput | retransmitted | Jain's index | ping idle, p50, p99 in ms | TCP"
            + " | |");
        out.println("|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
        for (int bufferKb : buffersKb) {
            for (int count : queuePairs) {
                row(bufferKb, 1, count, null);
            }
            for (int count : programs) {
                row(bufferKb, count, 1, null);
            }
            for (String control : controls) {
                row(bufferKb, 1, 1, control);
            }
        }
        out.println("\n| Mbit/s | buffer | dropped | rxe, Mbit/s | " + String.join(" | ", controls) + " | |\n|--:|--:|--:|--:|"
            + "--:|".repeat(controls.size()) + "---|");
        for (int bufferKb : buffersKb) {
            for (int drop : drops) {
                dropRow(bufferKb, drop);
            }
        }
        spec.commandLine().getErr().println("what the programs printed: " + logs);
        return allMet ? 0 : ExitStatus.FAILED;
    }

    private void check(boolean isGood, String error) {
        if (!isGood) {
            throw new ParameterException(spec.commandLine(), error);
        }
    }

    private void row(int bufferKb, int count, int pairs, String tcp) throws IOException, InterruptedException {
        String name = bufferKb + "-" + count + "-" + pairs + (tcp == null ? "" : "-" + tcp);
        String what = "| " + rateMbit + " | " + bufferKb + " KB | " + count + " | " + pairs + " | ";
        try (Bottleneck network = new Bottleneck(rateMbit + "mbit", bufferKb + "kb", mtuBytes, tcp == null ? count : count + 1)) {
            SharedRun run = run(network, name, count, pairs, tcp);
            double goodput = run.mbits() / rateMbit * (network.payloadBytes() + SharedRun.HEADER_BYTES) / network.payloadBytes();
            double share = run.lastShare();
            what += String.format(Locale.ROOT, "%.1f %% | %.2f %% | %.2f | %.2f, %.2f, %.2f | %s | ", 100 * goodput,
                100 * run.again(), run.fairness(), run.idleMs(), run.medianMs(), run.p99Ms(),
                tcp == null ? "" : String.format(Locale.ROOT, "%s %.1f %%", tcp, 100 * share));
            if ("bbr".equals(tcp)) {
                spec.commandLine().getOut().println(what + "|");
                return;
            }
            print(what, tcp != null ? share >= 0.25 && share <= 0.75 : goodput >= (bufferKb < 100 ? 0.90 : 0.95)
                && run.again() <= 0.005 && run.fairness() >= 0.95 && (bufferKb < 1000 || run.p99Ms() <= 3 * run.idleMs() + 1));
        } catch (IOException e) {
            print(what + "| | | | | " + e.getMessage().replace('\n', ' ') + " | ", false);
        }
    }

    /** All over one bottleneck, one after the other. */
    private void dropRow(int bufferKb, int drop) throws IOException, InterruptedException {
        String name = bufferKb + "-drop-" + drop;
        String what = "| " + rateMbit + " | " + bufferKb + " KB | 1 of " + drop + " | ";
        try (Bottleneck network = new Bottleneck(rateMbit + "mbit", bufferKb + "kb", mtuBytes, 1)) {
            network.drop(drop);
            double own = run(network, name, 1, 1, null).mbits();
            what += String.format(Locale.ROOT, "%.1f | ", own);
            boolean isAhead = true;
            for (String control : controls) {
                double tcp = run(network, name + "-" + control, 0, 0, control).tcpMbits();
                what += String.format(Locale.ROOT, "%.1f | ", tcp);
                isAhead &= own > tcp;
            }
            print(what, isAhead);
        } catch (IOException e) {
            print(what + e.getMessage().replace('\n', ' ') + " | ", false);
        }
    }

    private SharedRun run(Bottleneck network, String name, int count, int pairs, String tcp) throws IOException, InterruptedException {
        return SharedRun.of(network, "" + rxe.toRealPath(), Files.createDirectory(logs.resolve(name)), count, pairs, tcp, seconds, warmUp);
    }

    private void print(String row, boolean isMet) {
        allMet &= isMet;
        spec.commandLine().getOut().println(row + (isMet ? "met |" : "missed |"));
    }
}
