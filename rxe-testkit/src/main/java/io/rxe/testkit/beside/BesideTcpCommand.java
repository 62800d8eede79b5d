package io.rxe.testkit.beside;

import io.rxe.bench.MachineInfo;
import io.rxe.testkit.host.HostCommand;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.VersionText;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code beside-tcp}: a row for each work, with the median over our NIC and over TCP. */
@Command(name = "beside-tcp", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Runs MPI, UCX, iperf and Ceph over our NIC and over TCP in turn, on loopback, and prints the medians.",
    "Needs ucx-utils, netpipe-openmpi, iperf, iperf3, librdmacm1, ceph-mon, ceph-osd. Exit status 1 when one gives no figure."})
public final class BesideTcpCommand implements Callable<Integer> {
    /** A client that comes before its server listens is started again. */
    private static final int TRIES = 50;
    private static final int PAUSE_MS = 200;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "Runs of each; default ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--only", paramLabel = "REGEX", defaultValue = "", description = "Only works that this matches.")
    private Pattern only;

    @Option(names = "--rxe", paramLabel = "SCRIPT", defaultValue = "../tools/rxe", description =
        "What runs the programs; default ${DEFAULT-VALUE}.")
    private Path rxe;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        out.println("| work | rxe | TCP | rxe / TCP |\n|---|--:|--:|--:|");
        boolean isComplete = true;
        for (String[] work : works()) {
            double[] own = new double[rounds];
            double[] tcp = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                own[round] = figure(work[1], work[2], work[3]);
                tcp[round] = figure(work[1], work[4], work[5]);
            }
            isComplete &= DoubleStream.concat(DoubleStream.of(own), DoubleStream.of(tcp)).noneMatch(Double::isNaN);
            out.printf("| %s | %.2f | %.2f | %.2f |%n", work[0], median(own), median(tcp), median(own) / median(tcp));
            out.flush();
        }
        out.println("\nmedians of " + rounds + ", machine: " + MachineInfo.read(VersionText.commit()));
        out.flush();
        return isComplete ? ExitStatus.OK : ExitStatus.FAILED;
    }

    /** Name and unit; pattern of the figure; server, which may be empty, and client on our NIC; the same over TCP. */
    private List<String[]> works() throws IOException {
        try (InputStream in = BesideTcpCommand.class.getResourceAsStream("works.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t")).filter(work -> only.matcher(work[0]).find()).toList();
        }
    }

    /** NaN without one. */
    private double figure(String pattern, String server, String client) throws IOException, InterruptedException {
        Process serving = HostCommand.start(script(server).redirectOutput(ProcessBuilder.Redirect.DISCARD));
        try {
            for (int tries = 0; tries < TRIES; tries++) {
                Process process = HostCommand.start(script(client));
                Matcher found = Pattern.compile(pattern).matcher(
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                if (process.waitFor() == 0 && found.find()) {
                    return Double.parseDouble(found.group(1));
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            }
            return Double.NaN;
        } finally {
            HostCommand.kill(serving);
        }
    }

    private ProcessBuilder script(String commands) throws IOException {
        ProcessBuilder builder = HostCommand.builder("sh", "-c", commands).redirectErrorStream(true);
        builder.environment().put("RXE", rxe.toRealPath().toString());
        builder.environment().putAll(Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
        return builder;
    }

    private static double median(double[] figures) {
        return DoubleStream.of(figures).sorted().skip(figures.length / 2).findFirst().orElse(Double.NaN);
    }
}
