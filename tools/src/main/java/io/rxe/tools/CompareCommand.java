package io.rxe.tools;

import io.rxe.bench.MachineInfo;
import io.rxe.bench.compare.Comparison;
import io.rxe.bench.compare.ComparisonReport;
import io.rxe.bench.compare.Job;
import io.rxe.bench.compare.OwnJobs;
import io.rxe.bench.compare.PeerJobs;
import io.rxe.bench.compare.Place;
import io.rxe.bench.compare.VethJobs;
import io.rxe.bench.plot.ComparisonPlot;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.ToolFailure;
import io.rxe.tools.cli.VersionText;
import io.rxe.tools.terminal.Progress;
import io.rxe.tools.terminal.StatusLine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rxe compare}: this NIC against the limit of the socket and against other programs. {@code tools/compare} fetches those first. */
@Command(name = "compare", mixinStandardHelpOptions = true, versionProvider = VersionText.class, sortOptions = false,
    description = {"Compare this NIC with raw UDP in C and Java, Aeron, UCX, libfabric and iperf3.",
        "tools/compare fetches and builds what is missing, then runs this. Keep the machine quiet meanwhile."})
public final class CompareCommand implements Callable<Integer> {
    private static final int MAX_ROUNDS = 100;

    @Spec
    private CommandSpec spec;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3", description = "Samples of each figure (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = {"-D", "--duration"}, paramLabel = "TIME", defaultValue = "1.5s", converter = DurationConverter.class,
        description = "Time of each measurement (default: ${DEFAULT-VALUE}).")
    private long durationNs;

    @Option(names = "--peers", paramLabel = "DIR", defaultValue = "/nonexistent",
        description = "Folder with the other programs, as tools/compare fills it.")
    private Path peers;

    @Option(names = "--veth", split = ",", paramLabel = "NETNS", arity = "1",
        description = "Measure between these two network namespaces instead of on loopback; tools/compare --veth makes and deletes them.")
    private List<String> namespaces;

    @Option(names = "--only", split = ",", paramLabel = "NAME",
        description = "Only these besides rxe: raw, c, aeron, ucx, libfabric, iperf3. Not with --veth.")
    private List<String> only;

    @Option(names = "--json", paramLabel = "FILE",
        description = "Write all ratios and samples as JSON too; - prints them instead of the table.")
    private Path jsonFile;

    @Option(names = "--from", paramLabel = "FILE", description = "Measure nothing: take the results from a file that --json wrote.")
    private Path from;

    @Option(names = "--markdown", paramLabel = "FILE", arity = "1..*",
        description = "Replace the tables between the marks of Markdown files, such as docs/performance.md and README.md.")
    private List<Path> markdown = List.of();

    @Option(names = "--mark", paramLabel = "WORDS", description = "With --markdown: replace the table between the marks "
        + "'tools/compare --markdown, WORDS' instead, such as 'veth' and 'Java 25' in docs/performance.md.")
    private String mark;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw bars for some of the works.")
    private Path svgFile;

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "4791", description = "UDP port of our NICs (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = {"-v", "--verbose"}, description = "Say each step.")
    private boolean verbose;

    @Override
    public Integer call() {
        if (rounds < 1 || rounds > MAX_ROUNDS) {
            throw new ParameterException(spec.commandLine(), "rounds " + rounds + " is not in 1.." + MAX_ROUNDS);
        }
        if (durationNs <= 0) {
            throw new ParameterException(spec.commandLine(), "--duration must be longer than nothing: 1.5s is usual");
        }
        if (namespaces != null && (namespaces.size() != 2 || only != null)) {
            throw new ParameterException(spec.commandLine(), namespaces.size() != 2 ? "--veth needs two namespaces, not "
                + namespaces.size() : "--only and --veth exclude each other: --veth measures rxe, raw, c and iperf3");
        }
        // Read before the measurement: ten minutes of it must not end in a missing mark.
        List<MarkedTables> tables = markdown.stream().map(file -> MarkedTables.read(file, mark)).toList();
        ResultFile json = ResultFile.of("the JSON", jsonFile);
        ResultFile svg = ResultFile.of("the drawing", svgFile);
        ComparisonReport report = from == null ? measure() : read(from);
        spec.commandLine().getOut().print(json.isStandardOutput() ? report.toJson() : report.toText());
        spec.commandLine().getOut().flush();
        json.write(report.toJson());
        if (svgFile != null) {
            svg.writeOrPrint(ComparisonPlot.draw(report), spec.commandLine().getOut());
        }
        tables.forEach(table -> table.replace(report));
        return report.failures().isEmpty() ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private ComparisonReport measure() {
        PeerJobs others = new PeerJobs(peers, List.of(javaCommand()), durationNs);
        List<Job> jobs = jobs(others);
        try (Progress progress = new Progress(spec.commandLine().getErr(), StatusLine.isTerminal(), verbose)) {
            Map<String, String> environment = Map.of("UCX_TLS", "tcp", "UCX_NET_DEVICES", "lo", "UCX_WARN_UNUSED_ENV_VARS", "n");
            return new Comparison(jobs, others.missing(), environment).run(MachineInfo.read(VersionText.home()),
                namespaces == null ? Place.LOOPBACK : Place.VETH, rounds, durationNs, progress::step);
        }
    }

    private static ComparisonReport read(Path file) {
        try {
            return ComparisonReport.ofJson(Files.readString(file));
        } catch (IOException | IllegalArgumentException e) {
            throw new ToolFailure("cannot read the results in " + file + ": " + e.getMessage(), e);
        }
    }

    private List<Job> jobs(PeerJobs others) {
        if (namespaces != null) {
            return new VethJobs(launcher(), others, namespaces.get(0), namespaces.get(1), durationNs).all();
        }
        OwnJobs own = new OwnJobs(launcher(), port, durationNs);
        List<Job> jobs = new ArrayList<>(own.nic());
        add(jobs, "raw", own::raw);
        add(jobs, "c", others::limit);
        add(jobs, "aeron", others::aeron);
        add(jobs, "ucx", others::ucx);
        add(jobs, "libfabric", others::fabric);
        add(jobs, "iperf3", others::iperf);
        return jobs;
    }

    private void add(List<Job> jobs, String name, Supplier<List<Job>> more) {
        if (only == null || only.contains(name)) {
            jobs.addAll(more.get());
        }
    }

    /** The command that starts this very program again. */
    private static List<String> launcher() {
        List<String> words = new ArrayList<>(List.of(javaCommand()));
        words.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        return words;
    }

    private static String javaCommand() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
