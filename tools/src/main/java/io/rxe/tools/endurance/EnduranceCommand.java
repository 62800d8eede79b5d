package io.rxe.tools.endurance;

import io.rxe.net.fault.FaultSpec;
import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe endurance}: what {@code tools/dev/endurance} runs. */
@Command(name = "endurance", hidden = true, mixinStandardHelpOptions = true,
    description = "Keeps many queue pairs connecting, transferring and disconnecting over NICs on loopback, kills peers, injects "
        + "faults and sends hostile packets. Fails when data is wrong or when memory, descriptors or threads grow.")
public final class EnduranceCommand implements Callable<Integer> {
    @Parameters(paramLabel = "MINUTES", description = "How long.")
    private double minutes;

    @Option(names = "--queue-pairs", paramLabel = "N", defaultValue = "1000",
        description = "Queue pairs of this process (default: ${DEFAULT-VALUE}).")
    private int queuePairs;

    @Option(names = "--nics", paramLabel = "N", defaultValue = "3", description = "NICs of this process (default: ${DEFAULT-VALUE}).")
    private int nics;

    @Option(names = "--children", paramLabel = "N", defaultValue = "2",
        description = "Processes with a fifth of the queue pairs, to be killed (default: ${DEFAULT-VALUE}).")
    private int children;

    @Option(names = "--fault", paramLabel = "SPEC", defaultValue = "loss 0.2% duplicate 0.1% corrupt 0.02%",
        description = "Faults of every NIC, as of other commands (default: ${DEFAULT-VALUE}).")
    private String fault;

    @Option(names = "--hostile", paramLabel = "N", defaultValue = "2000",
        description = "Hostile datagrams in each burst, six a minute (default: ${DEFAULT-VALUE}).")
    private int hostile;

    @Option(names = "--udp-port", paramLabel = "PORT", defaultValue = "4791", description = "UDP port (default: ${DEFAULT-VALUE}).")
    private int udpPort;

    @Option(names = "--plant", paramLabel = "LEAK",
        description = "Leak one of ${COMPLETION-CANDIDATES} at each sample, to see that the judge notices.")
    private Leak planted;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(minutes >= 4 && minutes <= 10_000) || queuePairs < 20 || nics < 2 || nics > 100 || children < 0 || children > 20) {
            throw new ParameterException(spec.commandLine(), "MINUTES must be in 4..10000, --queue-pairs at least 20, --nics in 2..100"
                + " and --children in 0..20");
        }
        PrintWriter out = spec.commandLine().getOut();
        boolean good = new EnduranceRun(new EnduranceRun.Plan(minutes, queuePairs, nics, children, FaultSpec.parse(fault), hostile,
            udpPort, planted), out).run();
        out.flush();
        return good ? ExitStatus.OK : ExitStatus.FAILED;
    }
}
