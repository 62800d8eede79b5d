package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.MachineInfo;
import io.rxe.net.FreePorts;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.ResultFile;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.tools.terminal.StandardOutput;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

@DisplayName("The command line")
class CommandLineTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"help", "--help", "-h", "version", "--version", "-V", "completion", "loopback --help", "rc_pingpong -h",
        "dump --help", "devinfo --help", "help loopback"})
    void helpAndVersionEndWithStatusZero(String line) {
        Run run = Run.of(line.split(" "));
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertFalse(run.out().isBlank());
        assertEquals("", run.err());
    }

    @Test
    void helpNamesEveryCommand() {
        String help = Run.of("help").out();
        commands().forEach(name -> assertTrue(help.contains("\n  " + name + " "), name + " in " + help));
    }

    private static Set<String> commands(String... arguments) {
        PrintWriter none = new PrintWriter(Writer.nullWriter());
        return Main.commandLine(none, none, arguments).getSubcommands().keySet();
    }

    /** Without such a locale, a character that no name can have stands for those that a locale has not. */
    @Test
    void namesThatTheLocaleCannotExpressHaveARemedy() {
        String sentence = "the name 'p\0.pcapng' has characters that the locale of this process has not: set LC_ALL=C.UTF-8, or choose"
            + " another name\n";
        String dumped = Run.of("dump", "p\0.pcapng").err();
        assertTrue(dumped.startsWith("rxe dump: " + sentence), dumped);
        String run = Run.of("run", "--capture", "p\0.pcapng", "true").err();
        assertTrue(run.startsWith("rxe run: Invalid value for option '--capture': " + sentence), run);
    }

    @Test
    void aValueIsPrintedAsItWasTyped() {
        String value = "cannot convert '' to Path (java.lang.IllegalArgumentException: 64)\nof two lines";
        String err = Run.of("loopback", "--qps", value).err();
        assertTrue(err.startsWith("rxe loopback: Invalid value for option '--qps': '" + value + "' is not a whole number in "), err);
    }

    @Test
    void aCommandIsBuiltAloneUnlessItIsAboutAll() {
        for (String name : commands()) {
            assertEquals("help".equals(name) || "completion".equals(name) ? commands() : Set.of(name), commands(name, "--help"), name);
        }
        assertEquals(commands(), commands("no-command"));
        assertEquals(commands(), commands("--version"));
    }

    @Test
    void manualPagesAndCompletionAreOfEveryCommand() {
        CommandLine all = new CommandLine(new AllCommands());
        assertEquals(commands(), all.getSubcommands().keySet());
        assertEquals(List.of("completion", "devinfo", "dump", "env", "help", "loopback", "rping", "run", "stat", "version"),
            all.getSubcommands().keySet().stream().limit(10).toList());
        // Those of methods, which the JVM lists in any order.
        assertEquals(List.of("--progress", "--cc", "--ecn", "--pkeys", "--fault", "--verbs-fault"), all.getSubcommands().get("rping")
            .getCommandSpec().options().stream().filter(option -> option.userObject() instanceof Method)
            .map(OptionSpec::longestName).toList());
    }

    @Test
    void helpFitsTheTerminal() {
        assertEquals(80, Main.columns(null, null));
        assertEquals(80, Main.columns("wide", null));
        assertEquals(72, Main.columns("72", "90"));
        assertEquals(90, Main.columns(null, "90"));
        assertEquals(55, Main.columns("40", null));
        assertEquals(100, Main.columns("300", null));
        int columns = Main.columns(System.getenv("COLUMNS"), System.getProperty("rxe.columns"));
        for (String command : new String[] {"loopback", "rc_pingpong", "dump", "devinfo", "ib_send_bw", "rping", "stat"}) {
            Run.of(command, "--help").out().lines().forEach(line -> assertTrue(line.length() <= columns, command + ": " + line));
        }
    }

    @Test
    void aWordThatIsNearlyRightIsCorrectedAndNonsenseIsNot() {
        assertEquals("rxe: Unmatched argument at index 0: 'lopback'\nDid you mean: rxe loopback?\n", Run.of("lopback").err());
        assertEquals("rxe: Unmatched argument at index 0: 'ib_sedn_bw'\nDid you mean: rxe ib_send_bw?\n",
            Run.of("ib_sedn_bw").err());
        assertEquals("rxe: Unmatched argument at index 0: 'nonsense'\nTry 'rxe --help'. If that is a stock program: 'rxe run nonsense'.\n",
            Run.of("nonsense").err());
        assertEquals("rxe loopback: Unknown option: '--verifyonly'\nDid you mean: --verify-only?\n",
            Run.of("loopback", "--verifyonly").err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"version", "help", "dump --help", "completion", "stat --interval 0", "stat --json -", "devinfo -l"})
    void aFullStandardOutputIsAFailure(String line) throws IOException {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        if (line.startsWith("devinfo")) {
            words.addAll(List.of("--port", Integer.toString(FreePorts.udp("127.0.0.1"))));
        }
        StringWriter err = new StringWriter();
        try (OutputStream full = Files.newOutputStream(Path.of("/dev/full"))) {
            int status = Main.run(StandardOutput.over(full), new PrintWriter(err), words.toArray(String[]::new));
            assertEquals(ExitStatus.FAILED, status, line);
            assertEquals("rxe: cannot write to standard output: No space left on device; make room, or send the output elsewhere\n",
                err.toString());
        }
    }

    @Test
    void theProcessFailsWithAFullStandardOutputToo() throws Exception {
        try (ChildRun child = ChildRun.start(directory, new File("/dev/full"), List.of(), "version")) {
            Run run = child.end();
            assertEquals(ExitStatus.FAILED, run.status(), run.toString());
            assertTrue(run.err().contains("cannot write to standard output: No space left on device"), run.err());
        }
    }

    @Test
    void aReaderThatHasEnoughIsNoFailure() throws Exception {
        Process process = new ProcessBuilder("bash", "-c", "set -o pipefail; \"$@\" | head -1", "bash",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"),
            Main.class.getName(), "completion").redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(ExitStatus.OK, process.waitFor(), output);
        assertEquals(1, output.lines().count(), output);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "loopback --json FILE --port PORT             | the JSON",
        "loopback --capture FILE --port PORT          | the capture",
        "ib_send_bw --json FILE --udp-port PORT       | the JSON",
        "ib_send_bw --capture FILE --udp-port PORT    | the capture",
        "stat --json FILE                             | the JSON",
    })
    void aFileThatCannotBeWrittenIsReportedBeforeTheWork(String line, String what) {
        Path file = directory.resolve("none").resolve("x");
        String port = Integer.toString(FreePorts.udp("127.0.0.1", "127.0.0.2"));
        Run run = Run.of(Stream.of(line.split(" +")).map(word -> word.equals("FILE") ? file.toString() : word.equals("PORT") ? port : word)
            .toArray(String[]::new));
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertEquals("", run.out(), "nothing was measured");
        assertEquals("rxe " + line.split(" ")[0] + ": cannot write " + what + " to " + file + ": its folder " + file.getParent()
            + " does not exist; make that folder (mkdir -p " + file.getParent() + ") or choose another file\n", run.err());
    }

    @Test
    void aFolderOrAFullDeviceIsNoFileForAResult() {
        Run folder = Run.of("stat", "--json", directory.toString());
        assertEquals("rxe stat: cannot write the JSON to " + directory + ": it is a folder; choose a file that this user may write\n",
            folder.err());
        Run full = Run.of("stat", "--interval", "0", "--json", "/dev/full");
        assertEquals(ExitStatus.FAILED, full.status(), full.toString());
        assertTrue(full.err().contains("cannot write the JSON to /dev/full: No space left on device; make room (df /dev/full)"),
            full.err());
    }

    @Test
    void aCaptureThatEndsEarlyIsAFailure() throws Exception {
        Path file = directory.resolve("cut.pcapng");
        try (ChildRun child = ChildRun.startLimited(directory, "-f 2048", "loopback", "--verify-only", "--capture", file.toString(),
            "--port", Integer.toString(FreePorts.udp("127.0.0.1", "127.0.0.2")))) {
            Run run = child.end();
            assertTrue(run.out().contains("all right"), run.toString());
            assertTrue(run.err().contains("cannot write the capture to " + file
                + ": File too large; raise the limit on the size of a file (ulimit -f); it ends here, the NIC continues"), run.err());
            assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        }
    }

    @Test
    void testingAFileLeavesItAsItIs() throws IOException {
        Path existing = Files.writeString(directory.resolve("there"), "before");
        ResultFile.of("the JSON", existing);
        assertEquals("before", Files.readString(existing));
        ResultFile.of("the JSON", directory.resolve("new"));
        assertFalse(Files.exists(directory.resolve("new")));
    }

    @Test
    @DisplayName("words that have no effect are refused")
    void wordsWithoutEffect() {
        assertEquals("rxe completion: Unmatched argument at index 1: 'bash'", Run.of("completion", "bash").err().lines().findFirst().get());
        assertTrue(Run.of("loopback", "--capture", "x", "--capture-ring", "0").err().startsWith("rxe loopback: --capture-ring 0 keeps"
            + " nothing: give a size, or leave it out to write every packet"));
    }

    @Test
    void jsonMeansTheSameEverywhere() {
        Main.commandLine(new PrintWriter(Writer.nullWriter()), new PrintWriter(Writer.nullWriter())).getSubcommands().values().stream()
            .map(command -> command.getCommandSpec().findOption("--json")).filter(Objects::nonNull).forEach(option -> {
                assertEquals("FILE", option.paramLabel());
                assertTrue(option.description()[0].contains("- prints "), option.description()[0]);
            });
    }

    @Test
    void addressesOfTwoFamiliesAreReportedInWordsOfTheCommand() {
        Run run = Run.of("loopback", "-d", "127.0.0.11", "--peer-dev", "::1", "--port",
            Integer.toString(FreePorts.udp("127.0.0.11", "::1")));
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().startsWith("rxe loopback: -d 127.0.0.11 is IPv4 and --peer-dev ::1 is IPv6: give two addresses of one family"),
            run.err());
    }

    @Test
    void versionShowsCommitAndJava() {
        String version = Run.of("version").out();
        // That of the build, which a checkout knows.
        String commit = Files.exists(Path.of("../.git")) ? MachineInfo.commit(Path.of("..")).replace("-dirty", "") + "\\S*" : "unknown";
        assertTrue(version.matches("rxe \\d+\\.\\d+\\.\\d+\\S*, commit " + commit + ", Java " + System.getProperty("java.version") + "\n"),
            version);
    }

    @Test
    void completionContainsCommandsAndOptions() {
        String script = Run.of("completion").out();
        assertTrue(script.startsWith("#!"), script);
        assertTrue(script.contains("rc_pingpong"));
        assertTrue(script.contains("--verify-only"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "\"\"                                    | rxe: no command given: try 'rxe loopback'",
        "nonsense                              | rxe: Unmatched argument at index 0: 'nonsense'",
        "loopback --nonsense                   | rxe loopback: Unknown option: '--nonsense'",
        "loopback --ops sned                   | rxe loopback: operation 'sned' does not exist: use send,",
        "loopback --mtu 300                    | rxe loopback: path MTU 300 does not exist: use 256, 512,",
        "loopback --sizes 1x                   | '1x' is not a size: write bytes, or 64k, 1m, 1g",
        "loopback --sizes 2g                   | '2g' is not a size",
        "loopback --sizes -9g                  | '-9g' is not a size: write bytes, or 64k, 1m, 1g (at most 2147483647 bytes)",
        "loopback --sizes -1                   | rxe loopback: message size -1 is not in 0..1073741824",
        "loopback --duration soon              | 'soon' is not a time: write seconds, or 300ms, or 200us",
        "loopback --seed abc                   | '--seed': 'abc' is not a whole number in -9223372036854775808..9223372036854775807",
        "loopback --qps 2147483648             | '2147483648' is not a whole number in -2147483648..2147483647",
        "loopback --qps 0                      | rxe loopback: queue pairs 0 is not in 1..16384",
        "loopback --depth 32769                | rxe loopback: depth 32769 is not in 1..32768",
        "loopback --port 70000                 | rxe loopback: UDP port 70000 is not in 1..65535",
        "loopback --engines 0                  | rxe loopback: engines 0 is not in 1..64",
        "loopback --gso maybe                  | rxe loopback: Invalid value for option '--gso'",
        "loopback --reorder-bytes 1k           | reorderBytes 1024 is not in 65536..17179869184",
        "loopback --reorder-bytes 17g          | reorderBytes 18253611008 is not in 65536..17179869184",
        "loopback --reorder-bytes 9e18         | '9e18' is not a size: write bytes, or 64k, 1m, 1g (at most 9223372036854775807 bytes)",
        "loopback --capture=                   | rxe loopback: the name of the file for the capture is empty: name one",
        "run --disni -cp x --capture= Main     | rxe run: the name of the file for the capture is empty: name one",
        "loopback --pkeys 0x8000               | rxe loopback: --pkeys: P_Key 0x8000 is not in 0x0001..0x7fff (limited member) or 0x8001",
        "loopback --pkeys 0x8001,0x8001        | rxe loopback: --pkeys: P_Key 0x8001 is in the table twice",
        "run --disni -cp x --pkeys 1 Main       | rxe run: --pkeys: '1' is no P_Key",
        "loopback --ecn maybe                  | rxe loopback: --ecn: 'maybe' is no ECN mode: use off, on,",
        "run --disni -cp x --ecn maybe Main     | rxe run: --ecn: 'maybe' is no ECN mode: use off, on, which notifies peers that are rxe",
        "loopback --cnp-dscp 64                | rxe loopback: DSCP 64 of CNPs is not in 0..63: it is the traffic class divided by 4",
        "loopback --cc cubic                   | rxe loopback: --cc: 'cubic' is no congestion controller: use delay, which follows how",
        "loopback --cc dcqcn,rpg_ai_rate=0     | --cc: rpg_ai_rate=0mbit is not in 1kbit..10000000mbit: adapters use 5mbit, leave it out",
        "loopback --cc delay,rpg_ai_rate=5     | --cc: delay has no parameters, and 1 were given: leave them out, or use dcqcn",
        "run --disni -cp x --cc reno Main       | rxe run: --cc: 'reno' is no congestion controller: use delay",
        "run --disni -cp x --cc dcqcn,g=1 Main  | rxe run: --cc: 'g' is no parameter of dcqcn: use one of clamp_tgt_rate, clamp_tgt_rate_a",
        "run --disni -cp x --script gone Main   | --script gone: it cannot be read: no such file; name a text file",
        "run --dev 127.0.0.1,127.0.0.1 x       | rxe run: --dev 127.0.0.1,127.0.0.1 names an address twice: leave one out",
        "env --dev 127.78.1.0/33               | rxe env: --dev: 127.78.1.0/33 is neither an address nor an interface with an address, nor",
        "env --dev 10.1/16                     | rxe env: --dev: 10.1/16 is neither an address nor an interface",
        "env --dev 127.78.1.0/8,::1/129        | rxe env: --dev: ::1/129 is neither an address nor an interface",
        "loopback --fault loss                 | fault 'loss': loss needs a percentage, for example 3%",
        "rc_pingpong -m 1500                   | rxe rc_pingpong: path MTU 1500 does not exist",
        "rc_pingpong -p 0                      | rxe rc_pingpong: TCP port 0 is not in 1..65535",
        "rc_pingpong -n 0                      | rxe rc_pingpong: iterations 0 is not in 1..2147483647",
        "rc_pingpong -r 40000                  | rxe rc_pingpong: rx-depth 40000 is not in 1..32768",
        "rc_pingpong host another              | rxe rc_pingpong: Unmatched argument at index 2: 'another'",
        "devinfo -i 3                          | rxe devinfo: port 3 does not exist: the device has one, number 1",
        "dump                                  | rxe dump: Missing required parameter: 'FILE'",
        "loopback -D 0                         | rxe loopback: duration 0 ns is less than 1: give it some, such as 0.5s",
        "run --disni                           | rxe run: no class path given: for example 'rxe run --disni -cp app.jar:disni-2.1.jar",
        "run --disni -cp app.jar               | rxe run: no main class given: for example 'rxe run --disni -cp app.jar",
    })
    void wrongUsageEndsWithStatusTwoAndOneLine(String line, String words) {
        Run run = Run.of(withFreePort(line));
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertEquals(line.startsWith("env ") ? "false\n" : "", run.out());
        assertTrue(run.err().contains(words), run.err());
        assertTrue(run.err().lines().count() <= 2, run.err());
    }

    @Test
    void aProgramGetsTheControllerInItsEnvironment() {
        Run run = Run.of("env", "--disni", "--cc", "DCQCN,rpg_hai_rate=40,rpg_time_reset=1ms");
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertEquals("export RXE_CC='dcqcn,rpg_time_reset=1000us,rpg_hai_rate=40mbit'\n", run.out());
    }

    @Test
    @DisplayName("eval of an environment that rxe env cannot make fails; a file of lines NAME=VALUE gets none")
    void anEnvironmentThatCannotBeMadeFails() {
        Run run = Run.of("env", "--disni", "--dev", "203.0.113.9");
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertEquals("false\n", run.out());
        assertEquals("", Run.of("env", "--plain", "--disni", "--dev", "203.0.113.9").out());
    }

    // No test may use port 4791, not even one that should fail before it opens a NIC.
    private static String[] withFreePort(String line) {
        String words = line.startsWith("loopback") && !line.contains("--port")
            ? line + " --port " + FreePorts.udp("127.0.0.1", "127.0.0.2") : line;
        return words.isEmpty() ? new String[0] : words.split(" ");
    }

    @Test
    @DisplayName("an @ before the name of a file is the program's own")
    void leavesArgumentFilesToTheProgram() throws Exception {
        String list = "@" + Files.writeString(directory.resolve("list"), "a b");
        String[] words = {"run", "--seed", "1", "cc", list};
        assertEquals(List.of("cc", list), Main.commandLine(new PrintWriter(System.out), new PrintWriter(System.err), words).parseArgs(words)
            .subcommand().matchedPositional(0).getValue());
    }

    @Test
    void aFailureEndsWithStatusOneAndOneLine() {
        Run run = Run.of("dump", directory.resolve("none.pcap").toString());
        assertEquals(ExitStatus.FAILED, run.status());
        assertEquals("rxe dump: " + directory.resolve("none.pcap") + ": no such file\n", run.err());
    }

    @Test
    void showsTheStackTraceOfAFailureOnlyWithVerbose() {
        String none = directory.resolve("none.pcap").toString();
        assertFalse(Run.of("dump", none).err().contains("\tat "));
        assertTrue(Run.of("dump", "-v", none).err().contains("\tat "));
    }

    @Test
    void anAddressThatIsNotLocalIsReportedWithTheLocalOnes() {
        Run run = Run.of("devinfo", "-d", "192.0.2.77");
        assertEquals(ExitStatus.FAILED, run.status());
        assertTrue(run.err().startsWith("rxe devinfo: address 192.0.2.77 is not local: choose one of "), run.err());
    }

    @Test
    void sizesAndTimesHaveUnits() throws Exception {
        SizeConverter size = new SizeConverter();
        assertEquals(4096, size.convert("4096"));
        assertEquals(65536, size.convert("64k"));
        assertEquals(65536, size.convert("64KiB"));
        assertEquals(1 << 20, size.convert("1M"));
        assertEquals(1 << 30, size.convert("1g"));
        DurationConverter time = new DurationConverter();
        assertEquals(2_000_000_000L, time.convert("2"));
        assertEquals(500_000_000L, time.convert("0.5s"));
        assertEquals(300_000_000L, time.convert("300ms"));
        assertEquals(200_000L, time.convert("200us"));
    }
}
