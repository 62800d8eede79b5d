package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.ListeningPorts;
import io.rxe.port.OwnThread;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The commands of perftest, over real sockets")
class PerftestCommandTest {
    private static final String SERVER = "127.0.0.1";
    private static final String CLIENT = "127.0.0.2";
    private static final String BANDWIDTH_ROW = "(?s).* (\\d+) +(\\d+) +\\d+\\.\\d\\d +\\d+\\.\\d\\d *\\t\\t   \\d+\\.\\d{6}\n-{87}\n";
    private static final String LATENCY_ROW = "(?s).* \\d+ +\\d+ +(\\d+\\.\\d\\d[ \\t]+){6}\\d+\\.\\d\\d *\n-{87}\n";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw -n 20", "ib_send_bw -n 20 -b -q 2 -s 1000",
        "ib_send_bw -n 20 -c UC -s 5000", "ib_send_bw -n 20 -c UD -s 2048", "ib_write_bw -n 50 -s 8", "ib_write_bw -n 20 -b",
        "ib_write_bw -n 64 -t 8 -s 512", "ib_write_bw -n 20 -c UC -s 4096", "ib_read_bw -n 20 -q 3", "ib_read_bw -n 10 -b -m 256"})
    void bandwidthIsMeasuredAndReportedOnBothSides(String line) throws Exception {
        for (Run run : runBoth(line)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().matches(BANDWIDTH_ROW), run.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_lat -n 20", "ib_send_lat -n 20 -c UC -s 5000", "ib_send_lat -n 20 -c UD", "ib_write_lat -n 300 -s 1",
        "ib_write_lat -n 20 -c UC"})
    void latencyIsMeasuredAndReportedOnBothSides(String line) throws Exception {
        for (Run run : runBoth(line)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().matches(LATENCY_ROW), run.out());
        }
    }

    @Test
    void latencyOfReadsIsMeasuredByTheClientAlone() throws Exception {
        Run[] runs = runBoth("ib_read_lat -n 20");
        assertEquals(ExitStatus.OK, runs[0].status(), runs[0].toString());
        assertFalse(runs[0].out().contains("#bytes"), runs[0].out());
        assertEquals(ExitStatus.OK, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].out().matches(LATENCY_ROW), runs[1].out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw -a -n 5", "ib_read_bw -a -b -n 5", "ib_send_lat -a -n 5"})
    void allSizesRunFromTwoBytesToEightMebibytes(String line) throws Exception {
        for (Run run : runBoth(line)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            List<String> sizes = run.out().lines().filter(row -> row.matches(" \\d+ .*"))
                .map(row -> row.trim().split(" ")[0]).toList();
            List<String> wanted = new ArrayList<>();
            for (int size = 2; size <= 1 << 23; size *= 2) {
                wanted.add(Integer.toString(size));
            }
            assertEquals(wanted, sizes, run.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw -D 1 -s 1024", "ib_write_bw -D 1 -b -s 1024", "ib_write_lat -D 1"})
    void aTimedRunEndsByTheClock(String line) throws Exception {
        for (Run run : runBoth(line)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().matches("(?s).* (1024|2) +[1-9]\\d* .*\n-{87}\n"), run.out());
        }
    }

    @Test
    void bothSidesShowEachOthersAddress() throws Exception {
        Run[] runs = runBoth("ib_write_bw -n 5 -q 2");
        assertEquals(addresses(runs[0], "local"), addresses(runs[1], "remote"));
        assertEquals(addresses(runs[1], "local"), addresses(runs[0], "remote"));
        assertEquals(2, addresses(runs[0], "local").size());
    }

    @Test
    void theServerOfAWritePrintsTheClientsNumbers() throws Exception {
        Run[] runs = runBoth("ib_write_bw -n 20");
        assertEquals(row(runs[1]), row(runs[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_write_bw -n 20 ", "ib_send_bw -n 20 -c UD -s 64 "})
    void aLimitedMemberReachesAFullOneInTheirPartition(String line) throws Exception {
        for (Run run : runBoth(line + "--pkeys 0x8001,0x8002 --pkey_index 1", line + "--pkeys 0xffff,0x8003,0x0002 --pkey_index 2")) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().matches(BANDWIDTH_ROW), run.out());
        }
    }

    @Test
    void aDatagramShrinksToThePacket() throws Exception {
        for (Run run : runBoth("ib_send_bw -n 10 -c UD -m 1024")) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().contains(" Max msg size in UD is MTU 1024\n Changing to this MTU\n"), run.out());
            assertTrue(run.out().contains("\n 1024       10 "), run.out());
        }
    }

    @Test
    void jsonHasARowForEachSize() throws Exception {
        Path file = directory.resolve("result.json");
        Run client = runBoth("ib_read_lat -n 50", "ib_read_lat -n 50 --json " + file)[1];
        assertEquals(ExitStatus.OK, client.status(), client.toString());
        String json = Files.readString(file);
        for (String words : new String[] {"\"test\": \"ib_read_lat\"", "\"role\": \"client\"", "\"size_bytes\": 2",
            "\"iterations\": 50", "\"percentile_99.9_us\": "}) {
            assertTrue(json.contains(words), words + " in " + json);
        }
    }

    @Test
    void differentSizesAreNamed() throws Exception {
        Run server = runBoth("ib_send_bw -n 5 -s 100", "ib_send_bw -n 5 -s 200")[0];
        assertEquals(ExitStatus.FAILED, server.status(), server.toString());
        assertTrue(server.err().contains("use the same -s at both ends"), server.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw", "ib_send_lat"})
    void unansweredPacketsNameTheUdpPortInUseAndAdviseOnce(String command) throws Exception {
        int other = FreePorts.udp(SERVER);
        Run[] runs = runBoth(command + " -n 5 --stall-timeout 1s", command + " -n 5 --peer-udp-port " + other);
        assertEquals(ExitStatus.FAILED, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].err().matches("(?s).* failed: RETRY_EXC_ERR .* no firewall stops UDP " + other + "\n"), runs[1].err());
        assertEquals(1, runs[1].err().split("firewall", -1).length - 1, runs[1].err());
        assertEquals(ExitStatus.FAILED, runs[0].status(), runs[0].toString());
        assertTrue(runs[0].err().matches("(?s).*is it still running, with the same options\\? Does a firewall drop UDP \\d+\\?\n"),
            runs[0].err());
        assertFalse(runs[0].err().contains("UDP 4791"), runs[0].err());
    }

    @Test
    void aClientWithoutAServerSaysWhatItTried() {
        int port = FreePorts.tcp();
        Run run = Run.of("ib_send_bw", "-d", CLIENT, "--udp-port", Integer.toString(FreePorts.udp(CLIENT)), "-p",
            Integer.toString(port), SERVER);
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("no TCP connection to 127.0.0.1 port " + port), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "ib_read_bw -c UC       | ib_read_bw cannot run over UC: use -c RC",
        "ib_write_bw -c UD      | ib_write_bw cannot run over UD: use -c RC or UC",
        "ib_send_lat -b         | a latency test has no -b",
        "ib_send_lat -q 2       | queue pairs (-q) 2 > 1",
        "ib_send_bw -n 4        | iterations (-n) 4 is not in 5..100000000",
        "ib_send_bw -m 1500     | path MTU 1500 does not exist",
        "ib_send_bw -a -D 3     | -a and -D exclude each other",
        "ib_write_bw -R         | Unknown option: '-R'",
        "ib_write_bw -l 8       | 'rxe run ib_write_bw' runs the original, which takes all of its options",
        "ib_send_bw --pkey_index 1 | --pkey_index 1 is not in 0..0: open the NIC with that many P_Keys",
        "ib_send_bw -p 0        | TCP port 0 is not in 1..65535",
    })
    void wrongUsageEndsWithStatusTwoAndNamesTheError(String line, String words) {
        Run run = Run.of(line.split(" "));
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains(words), run.err());
        assertEquals("", run.out());
    }

    @Test
    void everyLineOfHelpFitsAHundredColumns() {
        for (String command : List.of("ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat")) {
            Run run = Run.of(command, "--help");
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().lines().allMatch(row -> row.length() <= 100), run.out());
        }
    }

    private static String row(Run run) {
        return run.out().lines().filter(line -> line.matches(" \\d+ .*")).findFirst().orElseThrow();
    }

    private static List<String> addresses(Run run, String side) {
        String start = " " + side + " address: ";
        return run.out().lines().filter(row -> row.startsWith(start)).map(row -> row.substring(start.length())).toList();
    }

    private static Run[] runBoth(String line) throws Exception {
        return runBoth(line, line);
    }

    private static Run[] runBoth(String serverLine, String clientLine) throws Exception {
        String udpPort = Integer.toString(FreePorts.udp(SERVER, CLIENT));
        int port = FreePorts.tcp();
        CompletableFuture<Run> server = CompletableFuture.supplyAsync(() -> Run.of(words(serverLine, SERVER, udpPort, port)),
            OwnThread::run);
        while (!server.isDone() && !ListeningPorts.contains(port)) {
            Thread.onSpinWait();
        }
        Run client = Run.of(words(clientLine + " " + SERVER, CLIENT, udpPort, port));
        return new Run[] {server.get(120, TimeUnit.SECONDS), client};
    }

    private static String[] words(String line, String address, String udpPort, int port) {
        List<String> words = new ArrayList<>(Arrays.asList(line.split(" ")));
        words.addAll(1, List.of("-d", address, "--udp-port", udpPort, "-p", Integer.toString(port), "--stall-timeout", "30s"));
        return words.toArray(String[]::new);
    }
}
