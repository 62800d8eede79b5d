package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.ListeningPorts;
import io.rxe.port.OwnThread;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The pingpong commands, over real sockets")
class PingPongCommandTest {
    private static final String SERVER = "127.0.0.1";
    private static final String CLIENT = "127.0.0.2";

    @ParameterizedTest
    @ValueSource(strings = {"-n 100", "-s 5000 -n 50 -c", "-s 5000 -m 4096 -n 50 -c", "-s 1 -n 20 -c -r 2", "-s 0 -n 3",
        "-s 1048576 -n 3 -c"})
    void serverAndClientRunToTheEnd(String options) throws Exception {
        checkOutput(runBoth(options, options));
    }

    @ParameterizedTest
    @ValueSource(strings = {"uc_pingpong -n 100 -c", "uc_pingpong -s 5000 -n 50 -c -m 4096", "uc_pingpong -s 0 -n 3",
        "ud_pingpong -n 100 -c", "ud_pingpong -n 20 -s 4096 -c", "ud_pingpong -n 5 -s 1", "srq_pingpong -n 200 -q 1",
        "srq_pingpong -n 300 -s 5000 -r 20"})
    void theOtherKindsRunToTheEnd(String line) throws Exception {
        String[] words = line.split(" ", 2);
        Run[] runs = runBoth(words[0], words[1], words[1]);
        if (line.contains("srq") && !line.contains("-q 1")) {
            for (Run run : runs) {
                assertEquals(ExitStatus.OK, run.status(), run.toString());
                assertEquals(16, run.out().lines().filter(text -> text.startsWith("  local address:  LID 0x0000, QPN 0x")).count());
                assertEquals(16, run.out().lines().filter(text -> text.startsWith("  remote address: LID 0x0000, QPN 0x")).count());
                assertTrue(run.out().contains("\n3000000 bytes in "), run.out());
            }
        } else {
            checkOutput(runs);
        }
    }

    @Test
    void aDatagramLongerThanThePacketIsRefused() {
        Run run = Run.of("ud_pingpong", "-d", CLIENT, "--udp-port", udpPort(), "-s", "4097", SERVER);
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("message size 4097 > port MTU 4096"), run.err());
    }

    @Test
    void differentNumbersOfQueuePairsAreReported() throws Exception {
        Run[] runs = runBoth("srq_pingpong", "-n 10 -q 3", "-n 10 -q 2");
        assertEquals(ExitStatus.FAILED, runs[0].status(), runs[0].toString());
        assertTrue(runs[0].err().contains("uses 2 queue pairs < 3 here: use the same -q at both ends"), runs[0].err());
    }

    private static void checkOutput(Run[] runs) {
        for (Run run : runs) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().matches("  local address:  LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID ::ffff:127.0.0.\\d\n"
                + "  remote address: LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID ::ffff:127.0.0.\\d\n"
                + "\\d+ bytes in \\d+\\.\\d\\d seconds = \\d+\\.\\d\\d Mbit/sec\n"
                + "\\d+ iters in \\d+\\.\\d\\d seconds = \\d+\\.\\d\\d usec/iter\n"), run.out());
        }
        String[] server = runs[0].out().split("\n");
        String[] client = runs[1].out().split("\n");
        assertEquals(server[0].substring(18), client[1].substring(18), "the client shows the server's address");
        assertEquals(server[1].substring(18), client[0].substring(18), "the server shows the client's address");
    }

    @Test
    void aServerThatValidatesReportsMissingMarks() throws Exception {
        Run[] runs = runBoth("-n 5 -c", "-n 5");
        assertEquals(ExitStatus.FAILED, runs[0].status(), runs[0].toString());
        assertTrue(runs[0].out().endsWith("\ninvalid data in page 0\n"), runs[0].out());
        assertEquals(ExitStatus.OK, runs[1].status(), runs[1].toString());
    }

    @Test
    void aMessageLongerThanTheReceiveFailsOnBothSides() throws Exception {
        Run[] runs = runBoth("-n 5 -s 100", "-n 5 -s 200");
        assertEquals(ExitStatus.FAILED, runs[0].status(), runs[0].toString());
        assertTrue(runs[0].err().contains("LOC_LEN_ERR"), runs[0].err());
        assertTrue(runs[0].err().contains("use the same -s and -m at both ends"), runs[0].err());
        assertEquals(ExitStatus.FAILED, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].err().contains("REM_INV_REQ_ERR"), runs[1].err());
    }

    @Test
    void aClientWithoutAServerReportsTheAddressItTried() {
        int port = FreePorts.tcp();
        Run run = Run.of("rc_pingpong", "-d", CLIENT, "--udp-port", udpPort(), "-p", Integer.toString(port), SERVER);
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().matches("(?s).*no TCP connection to 127.0.0.1 port " + port + " \\(connection refused after \\d+ ms\\): start"
            + " the server there first, with the same port, .*"), run.err());
    }

    @Test
    void anUnknownHostNameIsReported() {
        Run run = Run.of("rc_pingpong", "-d", CLIENT, "--udp-port", udpPort(), "no.such.host.invalid");
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("'no.such.host.invalid' is neither a host name that can be resolved nor an IP address"), run.err());
    }

    /** As with a firewall, or a NIC on another UDP port: addresses are exchanged over TCP, and then no packet is answered. */
    @ParameterizedTest
    @ValueSource(strings = {"rc_pingpong", "srq_pingpong"})
    void unansweredPacketsAreReportedWithPeerTimeAndRemedy(String command) throws Exception {
        String other = udpPort();
        Run[] runs = runBoth(command, "--stall-timeout 1s", "--peer-udp-port " + other);
        assertEquals(ExitStatus.FAILED, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].err().matches("(?s).*send 1 to ::ffff:127.0.0.1 \\(QPN 0x.* of 1000 failed: RETRY_EXC_ERR .* did not answer PSN"
            + " 0x[0-9a-f]{6} in 8 transmissions over \\d+\\.\\d ms .*that both agree on path MTU 1024 and every link between carries it,"
            + " and that no firewall stops UDP " + other + "; use the same -m at both ends; if a smaller -s gets through, lower -m; .*"),
            runs[1].err());
        checkStall(runs[0], "127.0.0.2", "1024");
    }

    @ParameterizedTest
    @ValueSource(strings = {"uc_pingpong -m 4096", "ud_pingpong -s 4096"})
    void lostMessagesAreReportedAsAStall(String line) throws Exception {
        String[] words = line.split(" ", 2);
        Run[] runs = runBoth(words[0], words[1] + " --stall-timeout 1s", words[1] + " --stall-timeout 1s --peer-udp-port " + udpPort());
        checkStall(runs[1], "127.0.0.1", "4096");
        assertTrue(runs[1].err().contains("(1 of 1000 sent, 0 received)"), runs[1].err());
        assertTrue(runs[1].err().contains("A lost message is never retransmitted"), runs[1].err());
    }

    private static void checkStall(Run run, String peer, String bytes) {
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().matches("(?s).*nothing happened for 1 s while waiting for a message from ::ffff:" + peer + " .*is it still"
            + " running, with the same -n\\? Does a firewall drop UDP \\d+\\? Does every link between carry payloads of " + bytes
            + " bytes\\?.*"),
            run.err());
    }

    @Test
    void differentAddressFamiliesAreReportedOnBothSides() throws Exception {
        Run[] runs = runBoth("-n 1", "-n 1 -d ::1");
        assertEquals(ExitStatus.FAILED, runs[0].status(), runs[0].toString());
        assertTrue(runs[0].err().contains("the GID ::1 of 127.0.0.1 and ours ::ffff:127.0.0.1 are of different address families: choose"),
            runs[0].err());
        assertEquals(ExitStatus.FAILED, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].err().contains("exchanging addresses with 127.0.0.1:"), runs[1].err());
        assertTrue(runs[1].err().contains("a GID of another address family than our ::1"), runs[1].err());
    }

    @Test
    void differentPathMtusAreReported() throws Exception {
        Run[] runs = runBoth("-n 5 -s 4000 -m 256 --stall-timeout 1s", "-n 5 -s 4000 -m 4096");
        assertEquals(ExitStatus.FAILED, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].err().contains("use the same -s and -m at both ends"), runs[1].err());
    }

    @Test
    void aPeerThatEndsFirstIsReported() throws Exception {
        Run[] runs = runBoth("-n 10", "-n 20 --stall-timeout 600s");
        assertEquals(ExitStatus.OK, runs[0].status(), runs[0].toString());
        assertEquals(ExitStatus.FAILED, runs[1].status(), runs[1].toString());
        assertTrue(runs[1].err().contains("the peer ended before this end: see its output for the reason, and use the same -n at both"
            + " ends; this end waited for a message from ::ffff:127.0.0.1 "), runs[1].err());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "0000:000011:9a2b3c:00000000000000000000000000000000 | sent no GID: start it with -g INDEX of an IPv4 RoCE v2 GID",
        "0000:000011:9a2b3c:fd990000000000000000000000000002 | are of different address families",
        "GET / HTTP/1.1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | is the program at the other end a pingpong of the same kind?"})
    void aServerWithAnInvalidReplyIsReported(String line) throws Exception {
        String[] parts = line.split(" \\| ");
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName(SERVER))) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() -> reply(listener, parts[0]), OwnThread::run);
            Run run = Run.of("rc_pingpong", "-d", CLIENT, "--udp-port", udpPort(), "-p",
                Integer.toString(listener.getLocalPort()), SERVER);
            server.get(60, TimeUnit.SECONDS);
            assertEquals(ExitStatus.FAILED, run.status(), run.toString());
            assertTrue(run.err().contains(parts[1]), run.err());
            assertTrue(run.err().contains(SERVER), run.err());
        }
    }

    private static void reply(ServerSocket listener, String text) {
        try (Socket socket = listener.accept()) {
            socket.getInputStream().readNBytes(PingPongAddress.WIRE_BYTES);
            socket.getOutputStream().write(Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII),
                PingPongAddress.WIRE_BYTES));
            socket.getInputStream().read();
        } catch (IOException e) {
            // The test checks the client's report.
        }
    }

    private static String udpPort() {
        return Integer.toString(FreePorts.udp(SERVER, CLIENT));
    }

    private static Run[] runBoth(String serverOptions, String clientOptions) throws Exception {
        return runBoth("rc_pingpong", serverOptions, clientOptions);
    }

    private static Run[] runBoth(String command, String serverOptions, String clientOptions) throws Exception {
        String udpPort = udpPort();
        int port = FreePorts.tcp();
        CompletableFuture<Run> server =
            CompletableFuture.supplyAsync(() -> Run.of(words(command, SERVER, udpPort, port, serverOptions)), OwnThread::run);
        awaitListening(port, server);
        Run client = Run.of(words(command, CLIENT, udpPort, port, clientOptions + " " + SERVER));
        return new Run[] {server.get(60, TimeUnit.SECONDS), client};
    }

    private static String[] words(String command, String address, String udpPort, int port, String options) {
        List<String> words = new ArrayList<>(List.of(command, "-d", address, "--udp-port", udpPort, "-p",
            Integer.toString(port), "--stall-timeout", "20s"));
        words.addAll(List.of(options.split(" ")));
        return words.toArray(String[]::new);
    }

    // Asks the kernel for listeners: the server would accept a connection of the test as its client.
    private static void awaitListening(int port, CompletableFuture<Run> server) throws IOException {
        while (!server.isDone() && !ListeningPorts.contains(port)) {
            Thread.onSpinWait();
        }
    }
}
