package io.rxe.tools;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.tools.flow.Connection;
import io.rxe.tools.flow.FlowBook;
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
        "Exit status 1 when one is bad."}, sortOptions = false,
    footer = {"", "For example:", "  tcpdump -i eth0 -U -w - udp port 4791 | rxe dump -", "  rxe dump --flow --errors lossy.pcapng"})
public final class DumpCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";
    private static final int INPUT_BUFFER_BYTES = 1 << 16;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A pcap or pcapng file, or - for standard input.")
    private String file;

    @Option(names = {"-v", "--verbose"}, description = "Every field, and the IP header.")
    private boolean verbose;

    @Option(names = {"-q", "--quiet"}, description = "Only the totals.")
    private boolean quiet;

    @Option(names = "--qpn", paramLabel = "QPN", split = ",", converter = QpnConverter.class,
        description = "Only packets to these queue pairs; with --flow, their connections. 0x for hexadecimal.")
    private Set<Integer> qpns = Set.of();

    @Option(names = "--opcode", paramLabel = "NAME", split = ",",
        description = "Only packets whose opcode has this in its name, such as READ or ACKNOWLEDGE.")
    private List<String> opcodes = List.of();

    @Option(names = "--errors", description = "Only NAKs, and packets with a bad ICRC, malformed or dropped; with --flow, only"
        + " connections in which something is out of the ordinary.")
    private boolean errors;

    @Option(names = "--flow", description = "A picture of each connection instead, and what it says: R sent again, G gap, F fills one,"
        + " N NAK, W receiver not ready, X bad; amplification, stalls, round trips. With -v every line.")
    private boolean flow;

    @Option(names = "--udp-port", paramLabel = "PORT", split = ",", defaultValue = "" + RoceFrame.UDP_PORT,
        description = "UDP destination ports that are RoCEv2 (default: ${DEFAULT-VALUE}); for NICs that were given others.")
    private Set<Integer> udpPorts;

    @Override
    public Integer call() {
        if (flow && !opcodes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--opcode with --flow would tear connections apart: use --qpn");
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
            spec.commandLine().getErr().println("note: nothing goes to UDP " + ports() + "; --udp-port " + totals.likelyPort()
                + " would take what goes there for RoCEv2");
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
            // No larger buffer here: a packet that is in the pipe is to be shown now.
            return System.in;
        }
        return new BufferedInputStream(Files.newInputStream(Path.of(file)), INPUT_BUFFER_BYTES);
    }

    // A capture may be cut off: what came before is shown all the same. Returns what is wrong with it, or null.
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
        out.print(FlowBook.total(connections));
        return broken;
    }
}
