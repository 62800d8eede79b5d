package io.rxe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.cli.SizeConverter;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    void helpNamesEveryCommandThatIsNotHidden() {
        String help = Run.of("help").out();
        for (String command : new String[] {"loopback", "rc_pingpong", "dump", "devinfo", "version", "completion"}) {
            assertTrue(help.contains("\n  " + command + " "), command + " in " + help);
        }
        assertFalse(help.contains("\n  agent "), help);
    }

    @Test
    void everyLineOfHelpFitsAHundredColumns() {
        for (String command : new String[] {"loopback", "rc_pingpong", "dump", "devinfo"}) {
            assertTrue(Run.of(command, "--help").out().lines().allMatch(line -> line.length() <= 100), command);
        }
    }

    @Test
    void versionShowsCommitAndJava() {
        String version = Run.of("version").out();
        assertTrue(version.matches("rxe \\d+\\.\\d+\\.\\d+\\S*, commit \\S+, Java " + System.getProperty("java.version") + "\n"), version);
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
        "loopback --sizes -1                   | rxe loopback: message size -1 is not in 0..1073741824",
        "loopback --duration soon              | 'soon' is not a time: write seconds, or 300ms, or 200us",
        "loopback --port 70000                 | rxe loopback: UDP port 70000 is not in 1..65535",
        "loopback --engines 0                  | rxe loopback: engines 0 is not in 1..64",
        "loopback --gso maybe                  | rxe loopback: Invalid value for option '--gso'",
        "loopback --fault loss                 | fault 'loss': loss needs a percentage, for example 3%",
        "rc_pingpong -m 1500                   | rxe rc_pingpong: path MTU 1500 does not exist",
        "rc_pingpong -p 0                      | rxe rc_pingpong: TCP port 0 is not in 1..65535",
        "rc_pingpong -n 0                      | rxe rc_pingpong: iterations 0 is not in 1..2147483647",
        "rc_pingpong -r 40000                  | rxe rc_pingpong: rx-depth 40000 is not in 1..32768",
        "rc_pingpong -i 2                      | rxe rc_pingpong: port 2 does not exist: the device has one, number 1",
        "rc_pingpong -g -1                     | rxe rc_pingpong: GID index -1 < 0",
        "rc_pingpong host another              | rxe rc_pingpong: Unmatched argument at index 2: 'another'",
        "devinfo -i 3                          | rxe devinfo: port 3 does not exist: the device has one, number 1",
        "dump                                  | rxe dump: Missing required parameter: 'FILE'",
    })
    void wrongUsageEndsWithStatusTwoAndOneLine(String line, String words) {
        Run run = Run.of(withFreePort(line));
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertEquals("", run.out());
        assertTrue(run.err().contains(words), run.err());
        assertTrue(run.err().lines().count() <= 2, run.err());
    }

    // No test may use port 4791, not even one that should fail before it opens a NIC.
    private static String[] withFreePort(String line) {
        String words = line.startsWith("loopback") && !line.contains("--port")
            ? line + " --port " + FreePorts.udp("127.0.0.1", "127.0.0.2") : line;
        return words.isEmpty() ? new String[0] : words.split(" ");
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
