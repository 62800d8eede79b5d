package io.rxe.tools;

import io.rxe.bench.MachineInfo;
import io.rxe.bench.compare.Comparison;
import io.rxe.bench.compare.ComparisonReport;
import io.rxe.bench.compare.Job;
import io.rxe.bench.compare.OwnJobs;
import io.rxe.bench.compare.PeerJobs;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
    private static final String BEGIN = "<!-- tools/compare --readme: begin -->";
    private static final String END = "<!-- tools/compare --readme: end -->";
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

    @Option(names = "--only", split = ",", paramLabel = "NAME",
        description = "Only these besides rxe: raw, c, aeron, ucx, libfabric, iperf3.")
    private List<String> only;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all samples and ratios as JSON too.")
    private Path jsonFile;

    @Option(names = "--readme", paramLabel = "FILE", arity = "0..1", fallbackValue = "README.md",
        description = "Put the table between the two marks of a Markdown file (default: README.md of the checkout).")
    private Path readme;

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
        PrintWriter err = spec.commandLine().getErr();
        String text = readme == null ? null : readmeWithMarks();
        PeerJobs others = new PeerJobs(peers, List.of(javaCommand()), durationNs);
        List<Job> jobs = jobs(others);
        ComparisonReport report;
        try (Progress progress = new Progress(err, StatusLine.isTerminal(), verbose)) {
            Map<String, String> environment = Map.of("UCX_TLS", "tcp", "UCX_NET_DEVICES", "lo", "UCX_WARN_UNUSED_ENV_VARS", "n");
            report = new Comparison(jobs, others.missing(), environment)
                .run(MachineInfo.read(VersionText.home()), rounds, durationNs, progress::step);
        }
        spec.commandLine().getOut().print(report.toText());
        spec.commandLine().getOut().flush();
        if (jsonFile != null) {
            write(jsonFile, report.toJson());
        }
        if (text != null) {
            int begin = text.indexOf(BEGIN) + BEGIN.length();
            write(readmePath(), text.substring(0, begin) + "\n\n" + report.toMarkdown() + '\n' + text.substring(text.indexOf(END)));
        }
        return report.failures().isEmpty() ? ExitStatus.OK : ExitStatus.FAILED;
    }

    private List<Job> jobs(PeerJobs others) {
        OwnJobs own = new OwnJobs(launcher(), port, durationNs);
        List<Job> jobs = new ArrayList<>(own.nic());
        add(jobs, "raw", own.raw());
        add(jobs, "c", others.limit());
        add(jobs, "aeron", others.aeron());
        add(jobs, "ucx", others.ucx());
        add(jobs, "libfabric", others.fabric());
        add(jobs, "iperf3", others.iperf());
        return jobs;
    }

    private void add(List<Job> jobs, String name, List<Job> more) {
        if (only == null || only.contains(name)) {
            jobs.addAll(more);
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

    private Path readmePath() {
        return readme.isAbsolute() || VersionText.home() == null ? readme : VersionText.home().resolve(readme);
    }

    /** Looked at first: a measurement of half an hour must not end in a missing mark. */
    private String readmeWithMarks() {
        try {
            String text = Files.readString(readmePath());
            if (text.indexOf(BEGIN) < 0 || text.indexOf(END) < text.indexOf(BEGIN)) {
                throw new ToolFailure(readmePath() + " lacks the lines '" + BEGIN + "' and '" + END
                    + "': add them where the table belongs");
            }
            return text;
        } catch (IOException e) {
            throw new ToolFailure("cannot read " + readmePath() + ": " + e.getMessage(), e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new ToolFailure("cannot write " + file + ": " + e.getMessage() + "; the results above are complete", e);
        }
    }
}
