package io.rxe.tools.stat;

import io.rxe.bench.CounterCost;
import io.rxe.net.RxeNicOptions;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.terminal.StatusLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rxe counter-cost}: measures how much the counters that {@code rxe stat} shows reduce the message rate. */
@Command(name = "counter-cost", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Measure how much visible counters reduce the message rate: two NICs with them and two without, alternating.",
        "Exit status 1 if the median exceeds --limit."})
public final class CounterCostCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--udp-port", paramLabel = "PORT", defaultValue = "4791", description = "UDP port (default: ${DEFAULT-VALUE}).")
    private int udpPort;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", defaultValue = "64", converter = SizeConverter.class,
        description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
    private int sizeBytes;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "10",
        description = "Number of measurements of each (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = {"-D", "--duration"}, paramLabel = "TIME", defaultValue = "1s", converter = DurationConverter.class,
        description = "Time of one measurement (default: ${DEFAULT-VALUE}).")
    private long durationNs;

    @Option(names = "--limit", paramLabel = "PERCENT", defaultValue = "3",
        description = "Largest acceptable median (default: ${DEFAULT-VALUE}).")
    private double limitPercent;

    @Override
    public Integer call() {
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds " + rounds + " < 1");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        List<CounterCost.Round> measured;
        try {
            measured = new CounterCost(RxeNicOptions.defaults("127.0.0.1").withUdpPort(udpPort), sizeBytes, rounds, durationNs)
                .run(StatusLine.isTerminal() ? err::println : text -> { });
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        out.print(CounterCost.toText(measured, sizeBytes, "Java " + Runtime.version().feature() + ", "
            + Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
            + System.getProperty("os.version")));
        out.flush();
        double costPercent = 100 * CounterCost.medianCost(measured);
        if (costPercent > limitPercent) {
            err.println(String.format(Locale.ROOT, "%s: %.2f%% > %s%%; on a busy machine use more --rounds", spec.qualifiedName(),
                costPercent, limitPercent));
            return ExitStatus.FAILED;
        }
        return ExitStatus.OK;
    }
}
