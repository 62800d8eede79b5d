package io.rxe.tools.perftest;

import io.rxe.bench.JsonText;
import io.rxe.bench.TransferFailure;
import io.rxe.net.RxeNic;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WarmUp;
import io.rxe.tools.cli.WorkAlike;
import io.rxe.tools.side.SideLink;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The six commands of perftest, which differ only in their {@link PerftestKind}. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public final class PerftestCommand implements Callable<Integer>, WorkAlike {
    private static final int DEFAULT_SEND_DEPTH = 128;
    private static final int DEFAULT_RECEIVE_DEPTH = 512;
    private static final long END_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final PerftestKind kind;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Server to connect to; without it this is the server.")
    private String host;

    @Option(names = {"-a", "--all"}, order = 1, description = "Run sizes from 2 till 2^23.")
    private boolean all;

    @Option(names = {"-b", "--bidirectional"}, order = 2, description = "Measure both directions at once.")
    private boolean bidirectional;

    @Option(names = {"-c", "--connection"}, paramLabel = "RC|UC|UD", defaultValue = "RC", order = 3,
        description = "Transport: RC for all, UC for send and write, UD for send (default: ${DEFAULT-VALUE}).")
    private QueuePairType transport;

    @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS", defaultValue = "0", order = 4,
        description = "Run for this time instead of a number of messages.")
    private int durationSeconds;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", order = 5,
        description = "Path MTU: 256 to 4096 (default: the largest the interface carries); the smaller of both sides is used.")
    private Integer mtuBytes;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", order = 6,
        description = "Messages of each queue pair, at least 5 (default: 1000; ib_write_bw 5000).")
    private Integer iterations;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "18515", order = 7,
        description = "TCP port to listen on or connect to (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-q", "--qp"}, paramLabel = "N", defaultValue = "1", order = 8,
        description = "Queue pairs, in bandwidth tests (default: ${DEFAULT-VALUE}).")
    private int queuePairs;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", defaultValue = "" + DEFAULT_RECEIVE_DEPTH, order = 9,
        description = "Receives to keep posted (default: ${DEFAULT-VALUE}).")
    private int receiveDepth;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 10, converter = SizeConverter.class,
        description = "Size of a message (default: 65536; latency 2).")
    private Integer sizeBytes;

    @Option(names = {"-t", "--tx-depth"}, paramLabel = "N", defaultValue = "" + DEFAULT_SEND_DEPTH, order = 11,
        description = "Requests to keep outstanding, in bandwidth tests (default: ${DEFAULT-VALUE}).")
    private int sendDepth;

    @Option(names = {"-u", "--qp-timeout"}, paramLabel = "CODE", defaultValue = "14", order = 12,
        description = "Local ACK timeout 4.096 us x 2^CODE (default: ${DEFAULT-VALUE}).")
    private int timeoutCode;

    @Option(names = "--pkey_index", paramLabel = "N", defaultValue = "0", order = 13,
        description = "Index of the P_Key in --pkeys (default: ${DEFAULT-VALUE}).")
    private int partitionKeyIndex;

    @Option(names = "--report_gbits", order = 13, description = "Bandwidth in Gbit/s instead of MiB/s.")
    private boolean gigabits;

    @Option(names = "--json", paramLabel = "FILE", order = 14,
        description = "Write the results as JSON too; - prints them instead of the text.")
    private Path jsonFile;

    @Option(names = "--peer-udp-port", paramLabel = "PORT", order = 15,
        description = "UDP port of the peer's NIC (default: the same as ours).")
    private Integer peerUdpPort;

    @Option(names = "--stall-timeout", paramLabel = "TIME", defaultValue = "60s", order = 16, converter = DurationConverter.class,
        description = "Give up after this time without progress (default: ${DEFAULT-VALUE}).")
    private long stallNs;

    private PerftestCommand(PerftestKind kind) {
        this.kind = kind;
    }

    /** Adds those of the six that are wanted to the tree of commands. */
    public static void addTo(CommandLine parent, Predicate<String> isWanted) {
        for (PerftestKind kind : PerftestKind.values()) {
            if (isWanted.test(kind.program())) {
                WorkAlike.add(parent, kind.program(), new PerftestCommand(kind), kind.measures() + ", as perftest's " + kind.program()
                    + ".", "Without HOST this is the server and waits for one client.");
            }
        }
    }

    @Override
    public String stockProgram() {
        return kind.program();
    }

    @Override
    public Integer call() throws IOException {
        OptionText.inRange(spec.commandLine(), "TCP port", port, 1, 65535);
        // What can be refused without a device.
        plan(mtuBytes == null ? PathMtu.MTU_256 : pathMtu(), 1, 0);
        ResultFile json = ResultFile.of("the JSON", jsonFile);
        try (RxeNic opened = nic.open(spec.commandLine().getErr())) {
            run(opened, json);
            return ExitStatus.OK;
        }
    }

    private void run(RxeNic opened, ResultFile json) throws IOException {
        Device device = opened.device();
        PathMtu offer = mtuBytes == null ? device.portMtu() : pathMtu();
        if (offer.bytes() > device.portMtu().bytes()) {
            throw new ParameterException(spec.commandLine(), "path MTU " + offer.bytes() + " > port MTU " + device.portMtu().bytes()
                + " of " + device.gid() + ": lower -m or raise the interface MTU to " + (offer.bytes() + PathMtu.HEADROOM_BYTES));
        }
        PerftestPlan plan = plan(offer, device.attributes().maxReadAtomicResponder(),
            nic.seed() == null ? new SecureRandom().nextLong() : nic.seed());
        PrintWriter out = spec.commandLine().getOut();
        PerftestPrinter printer = new PerftestPrinter(json.isStandardOutput() ? new PrintWriter(Writer.nullWriter()) : out, gigabits,
            "rxe_" + opened.localInterface().name());
        if (!nic.isCapturing()) {
            WarmUp.run(device, kind.verb().operation(), plan.amount().sizeBytes(), offer);
        }
        if (plan.isServer()) {
            printer.waiting();
        }
        try (SideLink link = plan.isServer() ? SideLink.accept(port) : SideLink.connect(host, port)) {
            nic.showProgress(opened, spec.commandLine().getErr());
            json.writeOrPrint(json(plan, run(device, plan, printer, link)), out);
        }
    }

    private static List<Map<String, Object>> run(Device device, PerftestPlan plan, PerftestPrinter printer, SideLink link) {
        try {
            return PerftestRun.run(device, plan, printer, link);
        } catch (IOException e) {
            throw new ToolFailure("handshake with " + link.peer() + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure("connecting to " + link.peer() + ": " + e.getMessage(), e);
        } catch (TransferFailure e) {
            throw new ToolFailure(isEndOfPeer(link, e) ? "the test ends early: " + link.peer()
                + " closed the control connection: see its output for the reason" : e.getMessage(), e);
        }
    }

    /** Whether the peer ended the test: it flushes our queue pairs a moment before the control connection ends. */
    private static boolean isEndOfPeer(SideLink link, TransferFailure failure) {
        long endNs = System.nanoTime() + END_WAIT_NS;
        while (failure.status() == CompletionStatus.WR_FLUSH_ERR && System.nanoTime() < endNs) {
            if (link.isEnded()) {
                return true;
            }
            LockSupport.parkNanos(END_WAIT_NS / 100);
        }
        return false;
    }

    private PerftestPlan plan(PathMtu offer, int outstandingReads, long seed) {
        return OptionText.checked(spec.commandLine(), "", () -> {
            nic.partitionKeys().checkIndex("--pkey_index", partitionKeyIndex);
            int size = all ? PerftestPlan.LARGEST_OF_ALL_BYTES : sizeBytes == null ? kind.defaultSizeBytes() : sizeBytes;
            PerftestPlan.Amount amount = new PerftestPlan.Amount(iterations == null ? kind.defaultIterations() : iterations,
                durationSeconds, size, all);
            // As the original: no deeper than the number of messages.
            int most = amount.isTimed() ? Integer.MAX_VALUE : amount.iterations();
            return new PerftestPlan(kind, host == null, bidirectional, transport, amount, queuePairs,
                kind.isLatency() ? 1 : Math.min(most, sendDepth), Math.min(most, receiveDepth), offer, outstandingReads, timeoutCode,
                peerUdpPort == null ? nic.udpPort() : peerUdpPort, stallNs, seed, partitionKeyIndex);
        });
    }

    private PathMtu pathMtu() {
        return OptionText.checked(spec.commandLine(), "", () -> PathMtu.ofBytes(mtuBytes));
    }

    private static String json(PerftestPlan plan, List<Map<String, Object>> rows) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("test", plan.kind().program());
        root.put("role", plan.isServer() ? "server" : "client");
        root.put("transport", plan.transport().name());
        root.put("queue_pairs", plan.queuePairs());
        root.put("results", rows);
        return JsonText.of(root);
    }
}
