package io.rxe.tools.loopback;

import io.rxe.bench.Application;
import io.rxe.bench.LoopbackPlan;
import io.rxe.bench.LoopbackReport;
import io.rxe.bench.LoopbackRun;
import io.rxe.bench.MachineInfo;
import io.rxe.bench.OperationNames;
import io.rxe.net.RxeNicOptions;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.tools.cli.UdpPortAlias;
import io.rxe.tools.cli.VersionText;
import io.rxe.tools.terminal.LongRun;
import io.rxe.verbs.PathMtu;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rxe loopback}: verifies and measures two NICs in this process. */
@Command(name = "loopback", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = {"Move data between two NICs in one process over real UDP, compare every byte, then measure.",
        "Without options it takes less than a minute."},
    footer = {"", "For example:", "  rxe loopback --verify-only", "  rxe loopback --ops send,read --sizes 64,64k --duration 2",
        "  rxe loopback -d ::1 --port 4791 --peer-port 4792", "  rxe loopback --fault 'loss 3%%'"})
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
        description = "Address of the other NIC (default: 127.0.0.2 if the first is 127.0.0.1, otherwise the same address).")
    private String peerAddress;

    @Option(names = "--peer-port", paramLabel = "PORT",
        description = "UDP port of the other NIC (default: that of the first, plus one if the addresses are equal).")
    private Integer peerPort;

    @Option(names = "--ops", split = ",", paramLabel = "OP", defaultValue = "all",
        description = "Operations: " + OperationNames.CHOICES + " (default: ${DEFAULT-VALUE}).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", converter = SizeConverter.class,
        description = "Message sizes to verify and measure (default: 0, 1, MTU-1, MTU, MTU+1, 64k, 1m to verify; "
            + "64, 4k, 64k, 1m to measure). Atomics always move 8 bytes.")
    private List<Integer> sizes;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES",
        description = "Path MTU: 256, 512, 1024, 2048 or 4096 (default: the largest that the interfaces support).")
    private Integer mtuBytes;

    @Option(names = {"-q", "--qps"}, paramLabel = "N", defaultValue = "1",
        description = "Queue pairs of the bandwidth tests (default: ${DEFAULT-VALUE}).")
    private int queuePairs;

    @Option(names = "--depth", paramLabel = "N", defaultValue = "256",
        description = "Outstanding messages per queue pair, fewer for large ones (default: ${DEFAULT-VALUE}).")
    private int depth;

    @Option(names = {"-D", "--duration"}, paramLabel = "TIME", defaultValue = "0.5s", converter = DurationConverter.class,
        description = "Time of each bandwidth test (default: ${DEFAULT-VALUE}); a latency test takes half of it.")
    private long durationNs;

    @Option(names = "--verify-only", description = "Compare every byte; measure nothing.")
    private boolean verifyOnly;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the results as JSON; - prints them instead of the table.")
    private Path jsonFile;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        port.applyTo(nic);
        ResultFile json = ResultFile.of("the JSON", jsonFile);
        RxeNicOptions options = nic.nicOptions(err);
        RxeNicOptions peerOptions = peerOptions(options);
        MachineInfo machine = MachineInfo.read(VersionText.commit());
        Consumer<String> progress = nic.isVerbose() ? err::println : step -> LongRun.step(err, step);
        LoopbackReport report;
        try (LoopbackNics nics = checked("", () -> new LoopbackNics(options, peerOptions))) {
            report = new LoopbackRun(nics.first(), nics.second(), plan(nics), nics.counters()).run(machine, progress);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (!json.isStandardOutput()) {
            out.print(report.toText());
        }
        json.writeOrPrint(report.toJson(), out);
        out.flush();
        return ExitStatus.OK;
    }

    private <T> T checked(String words, Supplier<T> plan) {
        return OptionText.checked(spec.commandLine(), words, plan);
    }

    private RxeNicOptions peerOptions(RxeNicOptions options) {
        String defaultAddress = LOOPBACK.equals(nic.address()) ? OTHER_LOOPBACK : nic.address();
        String address = peerAddress != null ? peerAddress : defaultAddress;
        int defaultPort = address.equals(nic.address()) ? nic.udpPort() + 1 : nic.udpPort();
        // The capture of one side contains every packet of both.
        return checked("the other NIC: ", () -> options.withAddress(address).withUdpPort(peerPort != null ? peerPort : defaultPort)
            .withCaptureFile(null).withCaptureRingBytes(0).withSeed(options.seed() == null ? null : Long.valueOf(options.seed() + 1)));
    }

    private LoopbackPlan plan(LoopbackNics nics) {
        return checked("", () -> {
            PathMtu pathMtu = nics.pathMtu(mtuBytes);
            Application application = nic.engines() > 1 ? Application.CALLER : Application.ENGINES;
            List<Integer> verifySizes = sizes != null ? sizes : LoopbackPlan.defaultVerifySizes(pathMtu);
            List<Integer> measureSizes = sizes != null ? sizes : LoopbackPlan.defaultMeasureSizes();
            return new LoopbackPlan(OperationNames.parse(operations), verifySizes, measureSizes, pathMtu, queuePairs, depth, durationNs,
                verifyOnly, application, nic.isPolled() ? Application.THREADS : application,
                nic.seed() == null ? DEFAULT_SEED : nic.seed());
        });
    }
}
