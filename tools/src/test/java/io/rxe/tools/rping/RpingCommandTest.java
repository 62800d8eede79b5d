package io.rxe.tools.rping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.port.OwnThread;
import io.rxe.tools.ChildRun;
import io.rxe.tools.Main;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.tools.terminal.StandardOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("rping, over real sockets")
class RpingCommandTest {
    private static final String FIRST_PING = "rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr";

    private final int udpPort = FreePorts.udp("127.0.0.1", "127.0.0.2");

    private Run client(String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addAll(List.of("--udp-port", Integer.toString(udpPort)));
        return Run.of(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"'',''", "--engines 2,--engines 3", "-p 9,-p 9"})
    void pingsReturnUnchanged(String serverOptions, String clientOptions) throws Exception {
        ServerRun server = ServerRun.start(("rping -s -a 127.0.0.2 " + serverOptions).trim(), udpPort);
        Run client = client(("rping -c -a 127.0.0.2 -C 2 -vV " + clientOptions).trim());
        Run served = server.end();
        assertEquals(ExitStatus.OK, client.status(), client.toString());
        assertEquals(ExitStatus.OK, served.status(), served.toString());
        assertTrue(client.out().startsWith("ping data: " + FIRST_PING + "\nping data: rdma-ping-1: BCD"), client.out());
        assertTrue(served.out().startsWith("server ping data: " + FIRST_PING + "\nserver ping data: rdma-ping-1: BCD"), served.out());
        assertEquals("client DISCONNECT EVENT...\n", client.err());
        assertTrue(served.err().endsWith("server DISCONNECT EVENT...\nwait for RDMA_READ_ADV state 10\n"), served.err());
    }

    @ParameterizedTest
    @ValueSource(ints = {PingText.MIN_SIZE_BYTES, 4097, PingText.MAX_SIZE_BYTES})
    void everySizeOfRpingReturnsUnchanged(int size) throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2 -S 65535", udpPort);
        Run client = client("rping -c -a 127.0.0.2 -C 3 -V -S " + size);
        assertEquals(ExitStatus.OK, client.status(), client.toString());
        assertEquals(3, server.end().out().lines().count());
    }

    @Test
    void aServerForOneClientRefusesTheSecond() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2", udpPort);
        CompletableFuture<Run> first =
            CompletableFuture.supplyAsync(() -> client("rping -c -a 127.0.0.2 -I 127.0.0.3 -C 1000000"), OwnThread::run);
        server.awaitOutput("server ping data: rdma-ping-0");
        Run second = client("rping -c -a 127.0.0.2 -C 1");
        assertEquals(ExitStatus.FAILED, second.status(), second.toString());
        assertTrue(second.err().startsWith("cma event RDMA_CM_EVENT_REJECTED, error 28\n"), second.err());
        Run served = server.interrupt();
        assertTrue(served.err().contains("note: refused 127.0.0.1: this rping serves one client"), served.err());
        Run ended = first.get(60, TimeUnit.SECONDS);
        assertEquals(ExitStatus.FAILED, ended.status());
        assertTrue(ended.err().contains("client DISCONNECT EVENT..."), ended.err());
    }

    /** Starts a command whose output nobody reads any more; its exit status. */
    private CompletableFuture<Integer> unread(StringWriter err, String line) {
        OutputStream closedPipe = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        String[] words = (line + " -v --udp-port " + udpPort).split(" ");
        return CompletableFuture.supplyAsync(() -> Main.run(StandardOutput.over(closedPipe), new PrintWriter(err), words), OwnThread::run);
    }

    @Test
    void aClientThatNobodyReadsDisconnects() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2", udpPort);
        CompletableFuture<Integer> client = unread(new StringWriter(), "rping -c -a 127.0.0.2");
        assertEquals(ExitStatus.OK, client.get(60, TimeUnit.SECONDS));
        Run served = server.end();
        assertEquals(ExitStatus.OK, served.status(), served.toString());
        assertEquals(1, served.out().lines().count(), served.out());
    }

    @Test
    void aServerThatNobodyReadsDisconnects() throws Exception {
        StringWriter err = new StringWriter();
        CompletableFuture<Integer> server = unread(err, "rping -s -a 127.0.0.2");
        while (!server.isDone() && !err.toString().contains("listening on ")) {
            Thread.onSpinWait();
        }
        Run client = client("rping -c -a 127.0.0.2");
        assertEquals(ExitStatus.OK, server.get(60, TimeUnit.SECONDS), err.toString());
        assertTrue(client.err().contains("client DISCONNECT EVENT...\n"), client.err());
    }

    @Test
    void aServerNoticesThatItsClientWasKilled(@TempDir Path folder) throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2 --stall-timeout 3s", udpPort);
        try (ChildRun client = ChildRun.start(folder, List.of(), "rping", "-c", "-a", "127.0.0.2", "-I", "127.0.0.3", "-v", "--udp-port",
            Integer.toString(udpPort))) {
            client.awaitOutput("ping data: rdma-ping-0");
            client.kill();
            Run served = server.end();
            assertEquals(ExitStatus.FAILED, served.status(), served.toString());
            // The moment of the kill decides who notices. While the server waits for a ping, that is its stall timeout or the keep-alives
            // of the idle queue pair, whichever ends first on a busy machine. While it reads or writes, the retries of that request run
            // out.
            assertTrue(Stream.of("nothing happened for 3 s while waiting for its next ping from 127.0.0.3: is it still running",
                "did not answer 8 keep-alives", "RETRY_EXC_ERR").anyMatch(served.err()::contains), served.err());
        }
    }

    @Test
    void aServerWithASmallerBufferNamesBothSizes() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2 -S 64", udpPort);
        Run client = client("rping -c -a 127.0.0.2 -C 1 -S 65");
        Run served = server.end();
        assertEquals(ExitStatus.FAILED, served.status());
        assertTrue(served.err().contains("pings of 127.0.0.1 have 65 bytes, this server's buffer has 64: use the same -S"), served.err());
        assertEquals(ExitStatus.FAILED, client.status());
        assertTrue(client.err().contains("disconnected after 0 of 1 pings"), client.err());
    }

    @Test
    void pingsSurviveLoss() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2 -S 5000", udpPort);
        List<String> words = List.of("rping", "-c", "-a", "127.0.0.2", "-C", "100", "-V", "-S", "5000", "--udp-port",
            Integer.toString(udpPort), "--fault", "loss 2%", "--seed", "7");
        Run client = Run.of(words.toArray(String[]::new));
        server.end();
        assertEquals(ExitStatus.OK, client.status(), client.toString());
    }

    @Test
    void aPortWithoutListenerIsNamed() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2", udpPort);
        Run rping = client("rping -c -a 127.0.0.2 -p 7175 -C 1");
        assertTrue(rping.err().startsWith("cma event RDMA_CM_EVENT_REJECTED, error 8\n"), rping.err());
        assertTrue(rping.err().contains("no listener on TCP port 7175 at 127.0.0.2"), rping.err());
        assertTrue(rping.err().contains("start the server or check the port"), rping.err());
        assertEquals(ExitStatus.FAILED, rping.status(), rping.toString());
        server.interrupt();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "rping -c -a 127.0.0.2 -C 1 --connect-timeout 100ms | no answer from TCP port 7174 at 127.0.0.2 to 1 request in",
        "rping -c -a 127.0.0.2 -I 127.0.0.2 | is the address of this NIC itself: give the server's address, or use -I to bind another",
        "rping -c -a ::1 -I 127.0.0.1 | host '::1' has no IPv4 address",
        "rping -c -a no.such.host.invalid | 'no.such.host.invalid' is neither a host name that can be resolved nor an IP address",
        "rping -s -a 0.0.0.0 | a NIC needs one that can be its GID"})
    void aFailureStatesItsReason(String line, String message) {
        Run run = client(line);
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.toString().contains(message), run.toString());
    }

    @Test
    void theFailureNamesTheUdpPort() {
        Run run = client("rping -c -a 127.0.0.2 -C 1 --connect-timeout 100ms");
        assertTrue(run.err().contains("that it has an RDMA device with this address on UDP port " + udpPort + ","), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "rping | -s (server) or -c (client) is missing",
        "rping -s -c -a 127.0.0.2 | -s and -c exclude each other",
        "rping -c | -c needs -a ADDR",
        "rping -s -S 22 | size 22 is not in 23..65535",
        "rping -s -S 65536 | size 65536 is not in 23..65535",
        "rping -s -p 0 | port 0 is not in 1..65535",
        "rping -s -C -1 | count -1 is not in 0..",
        "rping -s -P | 'rxe run rping' runs the original, which takes all of its options",
        "rping -c -q -a 127.0.0.2 | Unknown option: '-q'"})
    void wrongUsageIsExplained(String line, String message) {
        Run run = client(line);
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains(message), run.err());
    }
}
