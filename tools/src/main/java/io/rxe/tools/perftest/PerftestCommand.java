package io.rxe.tools.perftest;

import io.rxe.bench.JsonText;
import io.rxe.bench.TransferFailure;
import io.rxe.net.RxeNic;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.WarmUp;
import io.rxe.tools.perftest.flow.ManagedConnections;
import io.rxe.tools.perftest.flow.PerftestRun;
import io.rxe.tools.perftest.handshake.ControlLink;
import io.rxe.tools.perftest.handshake.SocketControlLink;
import io.rxe.tools.perftest.output.PerftestPrinter;
import io.rxe.tools.perftest.plan.PerftestKind;
import io.rxe.tools.perftest.plan.PerftestPlan;
import io.rxe.tools.side.SideLink;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.Device;
import io.rxe.verbs.Operation;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The eight commands, which differ only in their {@link PerftestKind}. */
abstract class PerftestCommand implements Callable<Integer> {
    private static final long END_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final PerftestKind kind;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NicOptions nic;

    @Mixin
    private PerftestOptions options;

    @Mixin
    private IgnoredOptions ignored;

    PerftestCommand(PerftestKind kind) {
        this.kind = kind;
    }

    @Override
    public final Integer call() {
        options.check(kind);
        PrintWriter err = spec.commandLine().getErr();
        ResultFile json = ResultFile.of("the JSON", options.jsonFile());
        ignored.notes().print(err);
        try (RxeNic opened = nic.open(err)) {
            return run(opened, json);
        }
    }

    private int run(RxeNic opened, ResultFile json) {
        Device device = opened.device();
        PerftestPlan plan = options.plan(kind, device, nic);
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter text = json.isStandardOutput() ? new PrintWriter(Writer.nullWriter()) : out;
        PerftestPrinter printer = new PerftestPrinter(text, options.style(), options.listing(),
            options.isGigabits(), "rxe_" + opened.localInterface().name(), 0);
        if (!nic.isCapturing()) {
            WarmUp.run(device, operation(), plan.amount().sizeBytes(), plan.path().pathMtu());
        }
        PerftestRun test = new PerftestRun(device, plan, printer, options.showsBoth(), options.lingerNs());
        List<Map<String, Object>> rows;
        try {
            rows = options.isControlManaged() ? runManaged(test, opened, printer) : runOverSocket(test, opened, printer);
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        json.writeOrPrint(json(plan, rows), out);
        return isWithinLimits(rows) ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private List<Map<String, Object>> runOverSocket(PerftestRun test, RxeNic opened, PerftestPrinter printer) throws IOException {
        if (options.host() == null) {
            printer.waiting();
        }
        try (ControlLink link = new SocketControlLink(options.host() == null ? SideLink.accept(options.port())
            : SideLink.connect(options.host(), options.port()))) {
            nic.showProgress(opened, spec.commandLine().getErr());
            return runTest(test, link, null);
        }
    }

    private List<Map<String, Object>> runManaged(PerftestRun test, RxeNic opened, PerftestPrinter printer)
        throws IOException {
        Gid server = options.host() == null ? null : Gid.of(InetAddress.getByName(options.host()).getAddress());
        if (opened.device().gid().equals(server)) {
            throw new ToolFailure(options.host() + " is the address of this very NIC: give the server's address, or another one with -d");
        }
        try (ManagedConnections connections = new ManagedConnections(opened.device(), opened.connections(), options.port(), server)) {
            if (server == null) {
                connections.listen();
                printer.waiting();
            }
            try (ControlLink link = connections.control()) {
                nic.showProgress(opened, spec.commandLine().getErr());
                return runTest(test, link, options.isManaged() ? connections : null);
            }
        }
    }

    private static List<Map<String, Object>> runTest(PerftestRun test, ControlLink link, ManagedConnections connections) {
        try {
            return test.run(link, connections);
        } catch (IOException e) {
            throw new ToolFailure("handshake with " + link.peer() + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure("connecting to " + link.peer() + ": " + e.getMessage(), e);
        } catch (TransferFailure e) {
            String reason = endReason(link, e);
            throw new ToolFailure(reason == null ? e.getMessage() : "the test ends early: " + link.peer() + ' ' + reason, e);
        }
    }

    /** Why the peer ended the test, or null: it flushes our queue pairs a moment before the control connection ends. */
    private static String endReason(ControlLink link, TransferFailure failure) {
        if (failure.status() != CompletionStatus.WR_FLUSH_ERR) {
            return null;
        }
        long endNs = System.nanoTime() + END_WAIT_NS;
        while (link.endReason() == null && System.nanoTime() < endNs) {
            LockSupport.parkNanos(END_WAIT_NS / 100);
        }
        return link.endReason();
    }

    private Operation operation() {
        return switch (kind) {
            case SEND_BW, SEND_LAT -> Operation.SEND;
            case WRITE_BW, WRITE_LAT -> Operation.RDMA_WRITE;
            case READ_BW, READ_LAT -> Operation.RDMA_READ;
            case ATOMIC_BW, ATOMIC_LAT -> Operation.FETCH_AND_ADD;
        };
    }

    private static String json(PerftestPlan plan, List<Map<String, Object>> rows) {
        Map<String, Object> root = new LinkedHashMap<>(PerftestRun.describe(plan));
        root.put("results", rows);
        return JsonText.of(root);
    }

    private boolean isWithinLimits(List<Map<String, Object>> rows) {
        PrintWriter err = spec.commandLine().getErr();
        boolean within = true;
        for (Map<String, Object> row : rows) {
            String unit = options.isGigabits() ? "gbit_per_s" : "mib_per_s";
            within &= isAtLeast(row.get("average_" + unit), options.leastBandwidth(), "average bandwidth", "-w", err);
            within &= isAtLeast(row.get("mega_messages_per_s"), options.leastRate(), "message rate", "-y", err);
        }
        return within;
    }

    private static boolean isAtLeast(Object measured, Double least, String name, String option, PrintWriter err) {
        if (least == null || !(measured instanceof Double value) || value >= least) {
            return true;
        }
        err.println(String.format("%s %.6f < %s of %s", name, value, least, option));
        return false;
    }
}
