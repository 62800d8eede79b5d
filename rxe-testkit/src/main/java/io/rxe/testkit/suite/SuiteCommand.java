package io.rxe.testkit.suite;

import io.rxe.testkit.host.HostCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Fetches a {@link Suite}, builds it and runs it on our NIC under {@code tools/rxe run}. NAME.log has all that it prints. */
@Command
public final class SuiteCommand implements Callable<Integer> {
    private final Suite suite;

    @Option(names = "--from", paramLabel = "DIR", description = "Folder with the sources, each in a folder with the name of its "
        + "repository; what is missing there is fetched from GitHub (default: ~/.cache/rxe/suites).")
    private Path from = Path.of(System.getProperty("user.home"), ".cache", "rxe", "suites");

    @Option(names = "--dev", paramLabel = "ADDR", description = "Address of the NIC (default: ${DEFAULT-VALUE}).")
    private String address = "127.0.33.2";

    @Option(names = "--filter", paramLabel = "PATTERN", description = "Tests to run, in the words of the suite (default: all).")
    private String filter = "*";

    @Option(names = "--peer", paramLabel = "N", description = "Run on rdma_rxe of this peer, which 'tools/kernel-peer up' has booted, "
        + "instead of our NIC.")
    private String peer = "";

    @Spec
    private CommandSpec spec;

    private SuiteCommand(Suite suite) {
        this.suite = suite;
    }

    public static void addTo(CommandLine commandLine) {
        for (String name : Suite.NAMES) {
            Suite suite = Suite.of(name);
            CommandLine command = new CommandLine(new SuiteCommand(suite));
            command.getCommandSpec().usageMessage().description("Runs " + suite.about(), "Exit status 1 when a test fails that "
                + name + ".suite does not name.");
            commandLine.addSubcommand(name, command);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        fetch();
        build();
        TestReport report = new TestReport(suite.deviations());
        try (PrintWriter log = new PrintWriter(Files.newBufferedWriter(from.resolve(suite.name() + ".log")), true)) {
            for (String run : suite.runs()) {
                run(run, report, log);
            }
        }
        spec.commandLine().getOut().println(report.summary());
        return report.isAsExpected() ? 0 : 1;
    }

    private void fetch() throws IOException {
        Files.createDirectories(from);
        for (String name : Stream.concat(Stream.of("peer.sh"), suite.files().stream()).toList()) {
            try (InputStream in = Suite.resource(name)) {
                Files.copy(in, from.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        for (Map.Entry<String, String> source : suite.sources().entrySet()) {
            Path folder = from.resolve(source.getKey().substring(source.getKey().indexOf('/') + 1));
            if (!Files.exists(folder)) {
                HostCommand.run("git", "clone", "-q", "https://github.com/" + source.getKey(), folder.toString());
                HostCommand.run("git", "-C", folder.toString(), "checkout", "-q", source.getValue());
            }
        }
    }

    /** A build that succeeded is not repeated until its description changes. */
    private void build() throws IOException, InterruptedException {
        Path built = from.resolve(suite.name() + ".built");
        if (Files.exists(built) && Files.readString(built).equals(suite.recipe())) {
            return;
        }
        Path log = from.resolve(suite.name() + ".build.log");
        for (String build : suite.builds()) {
            if (HostCommand.start(script(build).redirectOutput(log.toFile())).waitFor() != 0) {
                throw new IOException("the build failed: its output is in " + log);
            }
        }
        Files.writeString(built, suite.recipe());
    }

    private void run(String run, TestReport report, PrintWriter log) throws IOException, InterruptedException {
        ProcessBuilder builder = script(peer.isEmpty() ? run : "exec sh peer.sh");
        builder.environment().putAll(Map.of("RXE_PEER", peer, "SCRIPT", run));
        Process process = HostCommand.start(builder);
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            in.lines().forEach(line -> {
                log.println(line);
                suite.results().read(line, report);
            });
        }
        report.onEnd(process.waitFor());
    }

    private ProcessBuilder script(String commands) {
        ProcessBuilder builder = HostCommand.builder("sh", "-ec", commands).redirectErrorStream(true).directory(from.toFile());
        builder.environment().putAll(Map.of("RXE", Path.of("../tools/rxe").toAbsolutePath().normalize().toString(), "RXE_DEV", address,
            "FILTER", filter, "JOBS", Integer.toString(Runtime.getRuntime().availableProcessors())));
        return builder;
    }
}
