package io.rxe.tools;

import io.rxe.bench.LoopbackPlan;
import io.rxe.bench.LoopbackReport;
import io.rxe.bench.LoopbackRun;
import io.rxe.bench.MachineInfo;
import io.rxe.bench.OperationNames;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.PathMtu;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rxe loopback}: two NICs in this process, verified and measured. */
@Command(name = "loopback", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = {"Move data between two NICs in one process over real UDP, compare every byte, then measure.",
        "Without options it takes less than a minute."},
    footer = {"", "For example:", "  rxe loopback --verify-only", "  rxe loopback --ops send,read --sizes 64,64k --duration 2",
        "  rxe loopback -d ::1 --port 4791 --peer-port 4792"})
public final class LoopbackCommand implements Callable<Integer> {
    private static final long DEFAULT_SEED = 1;
    private static final String LOOPBACK = "127.0.0.1";
    private static final String OTHER_LOOPBACK = "127.0.0.2";

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Mixin
    private UdpPortAlias port;

    @Option(names = "--peer-dev", paramLabel = "ADDR|IFNAME",
        description = "Address of the other NIC (default: 127.0.0.2 when the first is 127.0.0.1, otherwise the same address).")
    private String peerAddress;

    @Option(names = "--peer-port", paramLabel = "PORT",
        description = "UDP port of the other NIC (default: that of the first, or one more when the addresses are equal).")
    private Integer peerPort;

    @Option(names = "--ops", split = ",", paramLabel = "OP", defaultValue = "all",
        description = "Operations: " + OperationNames.CHOICES + " (default: ${DEFAULT-VALUE}).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", converter = SizeConverter.class,
        description = "Message sizes to verify and measure (default: 0, 1, MTU-1, MTU, MTU+1, 64k, 1m to verify; "
            + "64, 4k, 64k, 1m to measure). Atomics always move 8 bytes.")
    private List<Integer> sizes;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES",
        description = "Path MTU: 256, 512, 1024, 2048 or 4096 (default: the largest the interfaces carry).")
    private Integer mtuBytes;

    @Option(names = {"-q", "--qps"}, paramLabel = "N", defaultValue = "1",
        description = "Queue pairs that share the bandwidth tests (default: ${DEFAULT-VALUE}).")
    private int queuePairs;

    @Option(names = "--depth", paramLabel = "N", defaultValue = "64",
        description = "Messages each queue pair keeps outstanding, fewer for large ones (default: ${DEFAULT-VALUE}).")
    private int depth;

    @Option(names = {"-D", "--duration"}, paramLabel = "TIME", defaultValue = "0.5s", converter = DurationConverter.class,
        description = "Time for each bandwidth test (default: ${DEFAULT-VALUE}); a latency test takes half of it.")
    private long durationNs;

    @Option(names = "--verify-only", description = "Compare every byte and stop there.")
    private boolean verifyOnly;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON too.")
    private Path jsonFile;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        final PrintWriter err = spec.commandLine().getErr();
        port.applyTo(nic);
        final RxeNicOptions options = nic.nicOptions(err);
        final RxeNicOptions peerOptions = peerOptions(options);
        nic.notes().print(err);
        try (RxeNic first = NicOptions.open(options); RxeNic second = NicOptions.open(peerOptions)) {
            final LoopbackPlan plan = plan(first.device().portMtu(), second.device().portMtu());
            final LoopbackReport report;
            try (Progress progress = new Progress(err, Progress.isTerminal(), nic.isVerbose())) {
                report = new LoopbackRun(first.device(), second.device(), plan, new NicCounters(first, second))
                    .run(MachineInfo.read(VersionText.home()), progress::step);
            }
            out.print(report.toText());
            out.flush();
            if (jsonFile != null) {
                writeJson(report);
            }
        }
        return ExitStatus.OK;
    }

    private RxeNicOptions peerOptions(final RxeNicOptions options) {
        final String defaultAddress = LOOPBACK.equals(nic.address()) ? OTHER_LOOPBACK : nic.address();
        final String address = peerAddress != null ? peerAddress : defaultAddress;
        final int defaultPort = address.equals(nic.address()) ? nic.udpPort() + 1 : nic.udpPort();
        try {
            // The capture of one side has every packet of both.
            return options.withAddress(address).withUdpPort(peerPort != null ? peerPort : defaultPort).withCaptureFile(null)
                .withSeed(options.seed() == null ? null : Long.valueOf(options.seed() + 1));
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "the other NIC: " + e.getMessage(), e);
        }
    }

    private LoopbackPlan plan(final PathMtu firstMtu, final PathMtu secondMtu) {
        try {
            final PathMtu largest = firstMtu.bytes() < secondMtu.bytes() ? firstMtu : secondMtu;
            final PathMtu pathMtu = mtuBytes == null ? largest : PathMtu.ofBytes(mtuBytes);
            if (pathMtu.bytes() > largest.bytes()) {
                throw new IllegalArgumentException("path MTU " + pathMtu.bytes() + " > port MTU " + largest.bytes()
                    + ": lower --mtu or raise the interface MTU to " + (pathMtu.bytes() + PathMtu.HEADROOM_BYTES));
            }
            final List<Integer> verifySizes = sizes != null ? sizes : LoopbackPlan.defaultVerifySizes(pathMtu);
            final List<Integer> measureSizes = sizes != null ? sizes : LoopbackPlan.defaultMeasureSizes();
            return new LoopbackPlan(OperationNames.parse(operations), verifySizes, measureSizes, pathMtu, queuePairs, depth,
                durationNs, verifyOnly, nic.seed() == null ? DEFAULT_SEED : nic.seed());
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private void writeJson(final LoopbackReport report) {
        try {
            Files.writeString(jsonFile, report.toJson());
        } catch (final IOException e) {
            throw new ToolFailure("cannot write " + jsonFile + ": " + e.getMessage() + "; the results above are complete", e);
        }
    }
}
