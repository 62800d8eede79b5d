package io.rxe.tools.dump;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.VersionText;
import io.rxe.tools.flow.Connection;
import io.rxe.tools.flow.ConnectionTracker;
import io.rxe.tools.terminal.LongRun;
import io.rxe.tools.terminal.StatusLine;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rxe dump}: shows the RoCEv2 packets of a capture and checks each ICRC. */
@Command(name = "dump", mixinStandardHelpOptions = true, versionProvider = VersionText.class,
    description = {"Show the RoCEv2 packets of a capture, one line each, and check every ICRC.",
        "Exit status 1 if one is bad."}, sortOptions = false,
    footer = {"", "For example:", "  tcpdump -i eth0 -U -w - udp port 4791 | rxe dump -", "  rxe dump --flow --errors lossy.pcapng"})
public final class DumpCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";
    private static final int INPUT_BUFFER_BYTES = 1 << 16;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A pcap or pcapng file, or - for standard input.")
    private String file;

    @Option(names = {"-v", "--verbose"}, description = "Show every field, and the IP header.")
    private boolean verbose;

    @Option(names = {"-q", "--quiet"}, description = "Show only the totals.")
    private boolean quiet;

    @Option(names = "--qpn", paramLabel = "QPN", split = ",", converter = QpnConverter.class,
        description = "Show only packets to these queue pairs; with --flow, their connections. 0x for hexadecimal.")
    private Set<Integer> qpns = Set.of();

    @Option(names = "--opcode", paramLabel = "NAME", split = ",",
        description = "Show only packets whose opcode name contains this, such as READ or ACKNOWLEDGE.")
    private List<String> opcodes = List.of();

    @Option(names = "--errors", description = "Show only NAKs and packets that are malformed, dropped or have a bad ICRC; with"
        + " --flow, only connections with anomalies.")
    private boolean errors;

    @Option(names = "--flow", description = "Show a diagram and statistics of each connection instead: R retransmitted, G gap, F fills a"
        + " gap, N NAK, W RNR NAK, X invalid; amplification, stalls, round trips. With -v every line.")
    private boolean flow;

    @Option(names = "--udp-port", paramLabel = "PORT", split = ",", defaultValue = "" + RoceFrame.UDP_PORT,
        description = "UDP destination ports of RoCEv2 (default: ${DEFAULT-VALUE}); for NICs on other ports.")
    private Set<Integer> udpPorts;

    @Override
    public Integer call() {
        if (flow && !opcodes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--opcode excludes --flow, which needs whole connections: use --qpn");
        }
        PrintWriter out = spec.commandLine().getOut();
        DumpTotals totals = new DumpTotals();
        FrameWalker walker = new FrameWalker(udpPorts);
        if (quiet || flow || !StatusLine.isScreen()) {
            LongRun.begin(spec.commandLine().getErr(), spec.name(), () -> String.format(Locale.ROOT, "%,d frames", walker.frames()));
        }
        String broken = null;
        try (InputStream stream = open(); CaptureReader reader = new CaptureReader(stream)) {
            broken = show(reader, walker, totals, out);
        } catch (NoSuchFileException e) {
            throw new ToolFailure(file + ": no such file", e);
        } catch (IOException e) {
            throw new ToolFailure(file + ": " + e.getMessage(), e);
        }
        out.print(totals.toText());
        out.flush();
        if (broken != null) {
            throw new ToolFailure(file + ": " + broken);
        }
        if (totals.likelyPort() >= 0) {
            spec.commandLine().getErr().println("note: no packets to UDP port " + ports() + "; --udp-port " + totals.likelyPort()
                + " decodes packets to that port as RoCEv2");
        }
        if (totals.hasBad()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + file + ": bad ICRC in " + totals.badFrames());
            return ExitStatus.FAILED;
        }
        return ExitStatus.OK;
    }

    private String ports() {
        return udpPorts.stream().sorted().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private InputStream open() throws IOException {
        if (STANDARD_INPUT.equals(file)) {
            // Unbuffered: a packet in the pipe must be shown at once.
            return System.in;
        }
        return new BufferedInputStream(Files.newInputStream(Path.of(file)), INPUT_BUFFER_BYTES);
    }

    // Shows a truncated capture up to its end. Returns the error in the capture, or null.
    private String show(CaptureReader reader, FrameWalker walker, DumpTotals totals, PrintWriter out) {
        if (flow) {
            return showFlow(reader, walker, totals, out);
        }
        FramePrinter printer = new FramePrinter(totals, walker, new PacketFilter(qpns, opcodes.stream().map(name ->
            name.toUpperCase(Locale.ROOT)).toList(), errors), verbose);
        boolean live = STANDARD_INPUT.equals(file);
        try {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                String lines = printer.next(record);
                if (!quiet) {
                    out.print(lines);
                    if (live) {
                        out.flush();
                    }
                    if (out.checkError()) {
                        return null;
                    }
                }
            }
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private String showFlow(CaptureReader reader, FrameWalker walker, DumpTotals totals, PrintWriter out) {
        FlowCollector collector = new FlowCollector(totals, walker);
        String broken = collector.read(reader);
        List<Connection> connections = collector.connections().stream().filter(connection ->
            (qpns.isEmpty() || qpns.stream().anyMatch(connection::involves)) && (!errors || !connection.isClean())).toList();
        if (!quiet) {
            connections.forEach(connection -> out.print(connection.toText(verbose)));
        }
        out.print(ConnectionTracker.total(connections));
        return broken;
    }
}
