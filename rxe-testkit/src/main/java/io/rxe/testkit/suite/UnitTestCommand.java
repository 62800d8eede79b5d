package io.rxe.testkit.suite;

import io.rxe.testkit.host.HostCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code rdma-unit-test}: fetches Google's tests of libibverbs, compiles them and runs them on our NIC under {@code tools/rxe run}. Needs
 * git, cmake, a compiler of C++20, and Debian's libibverbs-dev, libgtest-dev and libgmock-dev.
 */
@Command(name = "rdma-unit-test", description = "Runs Google's rdma-unit-test on our NIC. Exit status 1 when a test fails that the list of "
    + "deviations does not name.")
public final class UnitTestCommand implements Callable<Integer> {
    /** The sources that it runs, each at a commit. */
    private static final Map<String, String> SOURCES = Map.of(
        "google/rdma-unit-test", "1f368ab3324e4ffa6751175a3e8c74b0bd1c12ee",
        "abseil/abseil-cpp", "4447c7562e3bc702ade25105912dce503f0c4010",
        "Neargye/magic_enum", "v0.9.8");
    /** Limits of an adapter, and memory that a machine may not have; an answer that IBTA forbids, with a timer that never ends. */
    private static final String LEFT_OUT = "-DeviceLimitTest.*:*HugePage*:MwType2AdvancedTest.Rebind";

    @Option(names = "--from", paramLabel = "DIR", description = "Folder with rdma-unit-test, abseil-cpp and magic_enum; what is missing "
        + "there is fetched from GitHub (default: ~/.cache/rxe/suites).")
    private Path from = Path.of(System.getProperty("user.home"), ".cache", "rxe", "suites");

    @Option(names = "--dev", paramLabel = "ADDR", description = "Address of the NIC (default: ${DEFAULT-VALUE}).")
    private String address = "127.0.33.2";

    @Option(names = "--filter", paramLabel = "PATTERN", description = "Tests to run, as of --gtest_filter (default: all).")
    private String filter = "*";

    @Spec
    private CommandSpec spec;

    private PrintWriter out;

    @Override
    public Integer call() throws IOException, InterruptedException {
        out = spec.commandLine().getOut();
        Path program = build();
        List<String> command = new ArrayList<>(List.of(Path.of("../tools/rxe").toAbsolutePath().normalize().toString(), "run", "--",
            program.toString(), "--completion_wait_multiplier=4", "--gtest_filter=" + filter + LEFT_OUT));
        if (address.indexOf(':') < 0) {
            command.add("--ipv4_only=true");
        }
        TestReport report = new TestReport(deviations());
        runSuite(command, line -> {
            report.add(line);
            if (line.startsWith("[  FAILED  ]") || line.startsWith("[====")) {
                out.println(line);
                out.flush();
            }
        });
        out.println(report.summary());
        out.flush();
        return report.isAsExpected() ? 0 : 1;
    }

    private Path build() throws IOException {
        Path build = Files.createDirectories(from.resolve("build"));
        for (String name : List.of("CMakeLists.txt", "introspection_rxe_java.h")) {
            try (InputStream in = UnitTestCommand.class.getResourceAsStream(name)) {
                Files.copy(in, from.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        for (Map.Entry<String, String> source : SOURCES.entrySet()) {
            Path folder = from.resolve(source.getKey().substring(source.getKey().indexOf('/') + 1));
            if (!Files.exists(folder)) {
                HostCommand.run("git", "clone", "-q", "https://github.com/" + source.getKey(), folder.toString());
                HostCommand.run("git", "-C", folder.toString(), "checkout", "-q", source.getValue());
            }
        }
        HostCommand.run("cmake", "-S", from.toString(), "-B", build.toString(), "-DSOURCES=" + from);
        HostCommand.run("cmake", "--build", build.toString(), "-j", Integer.toString(Runtime.getRuntime().availableProcessors()));
        return build.resolve("rdma_unit_test");
    }

    private void runSuite(List<String> command, Consumer<String> lines) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("RXE_DEV", address);
        Process process = builder.start();
        process.getOutputStream().close();
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            in.lines().forEach(lines);
        }
        process.waitFor();
    }

    private static Map<String, String> deviations() throws IOException {
        Map<String, String> why = new LinkedHashMap<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(UnitTestCommand.class.getResourceAsStream("deviations.txt"),
            StandardCharsets.UTF_8))) {
            in.lines().filter(line -> !line.startsWith("#")).map(line -> line.split("\t")).forEach(words -> why.put(words[0], words[1]));
        }
        return why;
    }
}
