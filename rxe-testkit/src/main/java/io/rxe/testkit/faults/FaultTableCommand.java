package io.rxe.testkit.faults;

import io.rxe.testkit.host.HostCommand;
import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code faults}: a row for each fault at the verbs and each program. */
@Command(name = "faults", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Runs unchanged programs under each kind of fault at the verbs, and prints what they did and whether the next user of the address, a"
        + " clean ibv_rc_pingpong, is unharmed. Needs perftest, rdmacm-utils, ucx-utils, libfabric-bin, ibverbs-utils,"
        + " openmpi-bin, libopenmpi-dev; and gdb, without which hangs of rping's own count as ours.",
    "Exit status 1 when a program with a fault hangs that does not everywhere, when one crashes and no backtrace shows that neither"
        + " this library nor the JVM took part, or when the next user is harmed."})
public final class FaultTableCommand implements Callable<Integer> {
    @Option(names = "--runs", paramLabel = "N", defaultValue = "1", description = "Runs of each row; default ${DEFAULT-VALUE}.")
    private int runs;

    @Option(names = "--only", paramLabel = "REGEX", defaultValue = "", description = "Only rows whose fault and program this matches.")
    private Pattern only;

    @Option(names = "--limit", paramLabel = "S", defaultValue = "120", description =
        "Seconds after which a program hangs, more than a connection to nobody takes to fail; default ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--other", paramLabel = "S", defaultValue = "40", description =
        "Seconds for a side without a fault to end after the other, which is not judged; default ${DEFAULT-VALUE}.")
    private int other;

    @Option(names = "--rxe", paramLabel = "SCRIPT", defaultValue = "../tools/rxe", description =
        "What runs the programs; default ${DEFAULT-VALUE}.")
    private Path rxe;

    @Spec
    private CommandSpec spec;

    private PrintWriter out;
    private Path logs;
    private int rows;
    private int without;
    private int hung;
    private int crashed;
    private int harmed;

    @Override
    public Integer call() throws IOException, InterruptedException {
        out = spec.commandLine().getOut();
        rxe = rxe.toRealPath();
        logs = Files.createTempDirectory("faults-");
        out.println("Java " + Runtime.version() + "\n");
        out.println("| fault | program | the side with the fault | the other side | hang | next user |\n|---|---|---|---|---|---|");
        for (FaultedProgram program : FaultedProgram.ALL) {
            for (String fault : FaultKinds.ofClients()) {
                rows(program, fault, false);
            }
            for (String fault : FaultKinds.ofServers()) {
                rows(program, fault, program.server() != null);
            }
        }
        out.println("\n" + rows + " runs, " + without + " without the fault, " + hung + " hung, " + crashed + " crashed, " + harmed
            + " harmed the next user");
        spec.commandLine().getErr().println("what the programs of the last run printed: " + logs);
        return rows > 0 && hung + crashed + harmed == 0 ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private void rows(FaultedProgram program, String fault, boolean isServers) throws IOException, InterruptedException {
        for (int run = 0; run < runs && only.matcher(fault + " " + program.name()).find(); run++) {
            row(program, fault, isServers);
        }
    }

    private void row(FaultedProgram program, String fault, boolean isServers) throws IOException, InterruptedException {
        compileJob(program);
        List<FaultRun.End> sides = new FaultRun(rxe, logs, program).run(fault, isServers, limit, other);
        List<FaultRun.End> next = new FaultRun(rxe, Files.createDirectories(logs.resolve("next")), FaultedProgram.NEXT)
            .run(null, false, limit, limit);
        String own = sides.get(0).waiting() != null ? program.ownHang(fault, sides.get(0)) : null;
        boolean isHung = sides.get(0).waiting() != null && own == null;
        boolean isHarmed = next.stream().anyMatch(end -> end.status() != 0);
        rows++;
        without += sides.get(0).hasFault() ? 0 : 1;
        hung += isHung ? 1 : 0;
        crashed += sides.stream().anyMatch(end -> Crash.OURS.equals(end.crash())) ? 1 : 0;
        harmed += isHarmed ? 1 : 0;
        out.println("| " + fault + (isServers ? " (server)" : "") + " | " + program.name() + " | "
            + (sides.get(0).hasFault() ? "" : "no fault, ") + sides.get(0) + " | " + sides.get(1) + " | "
            + (isHung ? "YES: " + sides.get(0).waiting() : own == null ? "no" : "its own: " + own) + " | "
            + (isHarmed ? "HARMED: " + next : "unharmed") + " |");
    }

    /** The program of the ranks, which compares what they get. */
    private void compileJob(FaultedProgram program) throws IOException {
        Path ranks = logs.resolve("ranks");
        if (program.server() == null && !Files.exists(ranks)) {
            HostCommand.run("mpicc.openmpi", "-o", ranks.toString(), rxe.resolveSibling("dev/ranks.c").toString());
        }
    }
}
