package io.rxe.tools.dump;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.RoceFrame;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ProcessEnd;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.VersionText;
import io.rxe.tools.flow.Connection;
import io.rxe.tools.flow.ConnectionTracker;
import io.rxe.tools.flow.TextSpool;
import io.rxe.tools.sequence.TimeSequence;
import io.rxe.tools.terminal.LongRun;
import io.rxe.tools.terminal.StatusLine;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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

    @Option(names = "--errors", description = "Show only NAKs, refusals of connection management, and packets that are malformed,"
        + " dropped or have a bad ICRC; with --flow, only connections with anomalies.")
    private boolean errors;

    @Option(names = "--flow", description = "Show a diagram and statistics of each connection instead: R retransmitted, G gap, F fills a"
        + " gap, N NAK, W RNR NAK, X invalid; amplification, stalls, round trips. With -v every line.")
    private boolean flow;

    @Option(names = "--time-sequence", paramLabel = "FILE", description = "Draw PSN over time of each connection into this file (.svg, or"
        + " .html, which zooms and names packets), and print losses, the cause of each retransmission and the slowest messages.")
    private Path timeSequence;

    @Option(names = "--udp-port", paramLabel = "PORT", split = ",", defaultValue = "" + RoceFrame.UDP_PORT,
        description = "UDP destination ports of RoCEv2 (default: ${DEFAULT-VALUE}), besides the one that a capture of rxe names.")
    private Set<Integer> udpPorts;

    @Override
    public Integer call() {
        if ((flow || timeSequence != null) && !opcodes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--opcode excludes " + (flow ? "--flow" : "--time-sequence")
                + ", which needs whole connections: use --qpn");
        }
        checkFilters();
        if (timeSequence != null) {
            checkPicture();
        }
        PrintWriter out = spec.commandLine().getOut();
        DumpTotals totals = new DumpTotals();
        String broken;
        try (CaptureSource source = new CaptureSource(file)) {
            if (source.isStandardInput()) {
                ProcessEnd.finishFirst();
            }
            broken = timeSequence != null ? drawSequence(source, totals, out) : flow ? showFlow(source, totals, out)
                : show(source, totals, out);
            ProcessEnd.inputEnded();
        } catch (IOException e) {
            throw new ToolFailure(file + ": " + ResultFile.whyUnreadable(e), e);
        } catch (UncheckedIOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
        out.print(totals.toText());
        out.flush();
        if (broken != null) {
            throw new ToolFailure(file + ": " + broken);
        }
        return conclude(totals);
    }

    /** What can match nothing is a mistake. */
    private void checkFilters() {
        udpPorts.forEach(port -> OptionText.inRange(spec.commandLine(), "--udp-port", port, 1, 0xFFFF));
        for (String part : opcodes) {
            if (Arrays.stream(Opcode.values()).noneMatch(opcode -> opcode.name().contains(part.toUpperCase()))) {
                throw new ParameterException(spec.commandLine(), "--opcode " + part + " is part of no opcode's name; these are made of "
                    + Arrays.stream(Opcode.values()).flatMap(opcode -> Arrays.stream(opcode.name().split("_"))).distinct().sorted()
                    .collect(Collectors.joining(", ")));
            }
        }
    }

    /** Says what the totals do not. */
    private int conclude(DumpTotals totals) {
        PrintWriter err = spec.commandLine().getErr();
        if (totals.isUnreadable()) {
            throw new ToolFailure(file + ": " + totals.unreadableLinks());
        }
        for (String note : List.of(totals.unreadableLinks(), totals.cutFrames())) {
            if (!note.isEmpty()) {
                err.println("note: " + note);
            }
        }
        if (totals.likelyPort() >= 0) {
            err.println("note: no packets to UDP port " + udpPorts.stream().sorted().map(String::valueOf).collect(Collectors.joining(", "))
                + "; --udp-port " + totals.likelyPort() + " decodes packets to that port as RoCEv2");
        }
        if (totals.hasBad()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + file + ": bad ICRC in " + totals.badFrames());
            return ExitStatus.FAILED;
        }
        return ExitStatus.OK;
    }

    private void showProgress(FrameWalker... walkers) {
        if (quiet || flow || timeSequence != null || !StatusLine.isScreen()) {
            LongRun.begin(spec.commandLine().getErr(), spec.name(), () -> String.format("%,d frames",
                Arrays.stream(walkers).mapToLong(FrameWalker::frames).sum()));
        }
    }

    // Shows a truncated capture up to its end. Returns the error in the capture, or null.
    private String show(CaptureSource source, DumpTotals totals, PrintWriter out) throws IOException {
        FrameWalker walker = new FrameWalker(udpPorts, totals);
        showProgress(walker);
        FramePrinter printer = new FramePrinter(walker, new PacketFilter(qpns, opcodes.stream().map(name ->
            name.toUpperCase()).toList(), errors), verbose);
        try (InputStream stream = source.open(); CaptureReader reader = new CaptureReader(stream)) {
            return show(reader, printer, source.isStandardInput(), out);
        }
    }

    private String show(CaptureReader reader, FramePrinter printer, boolean live, PrintWriter out) {
        long printed = 0;
        try {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                String lines = printer.next(record);
                if (!quiet) {
                    out.print(lines);
                    // Flushes, which a file needs not for each packet.
                    if ((live || ++printed % 1000 == 0) && out.checkError()) {
                        return null;
                    }
                }
            }
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /** What cannot be drawn is refused before the capture is read. */
    private void checkPicture() {
        if (flow) {
            throw new ParameterException(spec.commandLine(), "--time-sequence excludes --flow: give one of them");
        }
        if (!TimeSequence.isPossible(timeSequence.toString())) {
            throw new ParameterException(spec.commandLine(), "--time-sequence " + timeSequence + " ends neither in .svg nor in .html");
        }
    }

    private String drawSequence(CaptureSource source, DumpTotals totals, PrintWriter out) throws IOException {
        ResultFile target = ResultFile.of("the picture", timeSequence);
        TimeSequence sequence = new TimeSequence(timeSequence.toString(),
            ends -> qpns.isEmpty() || qpns.contains(ends.leftQpn()) || qpns.contains(ends.rightQpn()));
        ConnectionTracker tracker = new ConnectionTracker();
        String broken = readTwice(source, totals, tracker, () -> tracker.connect(sequence::view, TimeSequence.MOST_CONNECTIONS));
        List<Connection> connections = shown(tracker.end());
        target.writeOrPrint(sequence.draw(file.equals("-") ? "standard input" : String.valueOf(Path.of(file).getFileName()), connections),
            out);
        if (!quiet) {
            connections.forEach(connection -> connection.view().print(out));
        }
        out.print(TimeSequence.total(connections));
        noteNotFollowed(tracker);
        return broken;
    }

    private List<Connection> shown(List<Connection> connections) {
        return connections.stream().filter(connection -> (qpns.isEmpty() || qpns.stream().anyMatch(connection::involves))
            && (!errors || !connection.isClean())).toList();
    }

    /** Reads both passes. */
    private String readTwice(CaptureSource source, DumpTotals totals, ConnectionTracker tracker, Runnable between) throws IOException {
        FrameWalker first = new FrameWalker(udpPorts, totals);
        FrameWalker second = new FrameWalker(udpPorts, new DumpTotals());
        showProgress(first, second);
        String broken;
        try (InputStream stream = source.openAgain(); CaptureReader reader = new CaptureReader(stream)) {
            broken = new FlowPass(first, tracker::add).read(reader, Long.MAX_VALUE);
        }
        between.run();
        if (totals.isPlain()) {
            second.trust();
        }
        try (InputStream stream = source.openAgain(); CaptureReader reader = new CaptureReader(stream)) {
            new FlowPass(second, tracker::classify).read(reader, first.frames());
        }
        return broken;
    }

    private String showFlow(CaptureSource source, DumpTotals totals, PrintWriter out) throws IOException {
        ConnectionTracker tracker = new ConnectionTracker();
        String broken;
        try (TextSpool spool = new TextSpool()) {
            broken = readTwice(source, totals, tracker, () -> tracker.connect(spool, verbose));
            List<Connection> connections = shown(tracker.end());
            if (!quiet) {
                connections.forEach(connection -> connection.print(out));
            }
            out.print(ConnectionTracker.total(connections));
        }
        noteNotFollowed(tracker);
        return broken;
    }

    private void noteNotFollowed(ConnectionTracker tracker) {
        if (tracker.notFollowed() > 0) {
            spec.commandLine().getErr().println("note: " + tracker.notFollowed() + " packets to more than " + ConnectionTracker.MAX_STREAMS
                + " queue pairs are counted, but not in any connection: dump a part of the capture");
        }
    }
}
