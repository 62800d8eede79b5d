package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.ListeningPorts;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("xsrq_pingpong, over real sockets")
class XsrqPingPongCommandTest {
    private static final String SERVER = "127.0.0.1";
    private static final String[] CLIENTS = {"127.0.0.2", "127.0.0.3"};
    private static final String ADDRESS = "LID 0000, QPN RECV [0-9a-f]{6} SEND [0-9a-f]{6}, PSN [0-9a-f]{6}, SRQN [0-9a-f]{6},"
        + " GID ::ffff:127.0.0.\\d\n";

    /** The common pool of JDK 25 has a thread less than a server and two clients need, on two processors. */
    private static final Executor THREAD_EACH = program -> new Thread(program).start();

    private final String udpPort = Integer.toString(FreePorts.udp(SERVER, CLIENTS[0], CLIENTS[1]));
    private final int port = FreePorts.tcp();

    @ParameterizedTest
    @ValueSource(strings = {"", "-n 200", "-n 1 -s 0", "-n 50 -s 5000 -m 4096 -e", "-n 20 -i 1 -g 1", "-n 100 --fault loss~5%"})
    void serverAndClientRunToTheEnd(String options) throws Exception {
        List<Run> runs = runAll(options, options);
        for (Run run : runs) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().matches("   local: " + ADDRESS + "  remote: " + ADDRESS + "success\n"), run.out());
        }
        String[] server = runs.get(0).out().split("\n");
        String[] client = runs.get(1).out().split("\n");
        assertEquals(server[0].substring(10), client[1].substring(10), "the client shows the server's address");
        assertEquals(server[1].substring(10), client[0].substring(10), "the server shows the client's address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-n 50", "-n 50 -e", "-n 1"})
    @DisplayName("clients with a NIC each: each is reached over its own queue pairs")
    void clientsWithANicEach(String options) throws Exception {
        for (Run run : runAll(options + " -c 2", options, options)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().endsWith("\nsuccess\n"), run.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-n 50 -c 4", "-n 20 -c 4 -e --fault loss~3%"})
    @DisplayName("clients with one NIC: the server reaches each over the queue pairs of all, which share an XRC domain")
    void clientsWithOneNic(String options) throws Exception {
        for (Run run : runAll(options, options)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertEquals(4, run.out().lines().filter(line -> line.startsWith("  remote: ")).distinct().count(), run.out());
            assertTrue(run.out().endsWith("\nsuccess\n"), run.out());
        }
    }

    @Test
    void optionsWithoutEffectAreNoted() throws Exception {
        assertEquals(List.of("note: -l does nothing here: RoCEv2 has no service levels",
            "note: -o does nothing here: all memory of a process is paged on demand"),
            runAll("", "-l 3 -o").get(1).err().lines().filter(line -> line.startsWith("note: ")).toList());
    }

    @Test
    void differentNumbersOfMessagesAreReported() throws Exception {
        List<Run> runs = runAll("-n 3", "-n 5 --stall-timeout 3s");
        assertEquals(ExitStatus.FAILED, runs.get(1).status(), runs.get(1).toString());
        assertTrue(runs.get(1).err().contains("nothing happened for 3 s while waiting for messages (3 of 5 received, the last one"
            + " acknowledged for 0 of 1 clients): are the peers still running, with the same -n?"), runs.get(1).err());
        assertEquals(ExitStatus.FAILED, runs.get(0).status(), runs.get(0).toString());
        assertTrue(runs.get(0).err().contains("the peer closed the side channel where a message of 4 bytes was expected"),
            runs.get(0).err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-e"})
    void aPeerThatEndsFirstIsReported(String sleeping) throws Exception {
        List<Run> runs = runAll("-n 5 --stall-timeout 3s", "-n 3 --stall-timeout 600s " + sleeping);
        assertEquals(ExitStatus.FAILED, runs.get(0).status(), runs.get(0).toString());
        assertEquals(ExitStatus.FAILED, runs.get(1).status(), runs.get(1).toString());
        assertTrue(runs.get(1).err().contains("the peer closed the side channel where a message of 4 bytes was expected"),
            runs.get(1).err());
    }

    @Test
    void aMessageLongerThanTheReceiveIsReported() throws Exception {
        List<Run> runs = runAll("-s 200", "-s 100");
        assertEquals(ExitStatus.FAILED, runs.get(1).status(), runs.get(1).toString());
        assertTrue(runs.get(1).err().contains("receive failed: LOC_LEN_ERR"), runs.get(1).err());
        assertTrue(runs.get(0).err().contains("REM_INV_REQ_ERR") && runs.get(0).err().contains("use the same -s and -m at both ends"),
            runs.get(0).err());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "0000:762aeb:b87fa1:60ecfd:ee1fcc:00000000000000000000000000000000 | sent no GID: start it with -g INDEX of an IPv4 RoCE v2 GID",
        "0000:762aeb:b87fa1:60ecfd:ee1fcc:fd990000000000000000000000000002 | of another address family than our ::ffff:127.0.0.2",
        "GET / HTTP/1.1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | is the program at the other end an xsrq_pingpong?"})
    void aServerWithAnInvalidReplyIsReported(String line) throws Exception {
        String[] parts = line.split(" \\| ");
        try (ServerSocket listener = new ServerSocket(port, 1, InetAddress.getByName(SERVER))) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() -> reply(listener, parts[0] + "\0"));
            Run run = Run.of(words(CLIENTS[0], SERVER));
            server.get(60, TimeUnit.SECONDS);
            assertEquals(ExitStatus.FAILED, run.status(), run.toString());
            assertTrue(run.err().contains(parts[1]), run.err());
        }
    }

    private static void reply(ServerSocket listener, String text) {
        try (Socket socket = listener.accept()) {
            socket.getInputStream().readNBytes(XsrqAddress.WIRE_BYTES);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().read();
        } catch (IOException e) {
            // The test checks the client's report.
        }
    }

    /** Returns the server's result, then those of the clients. */
    private List<Run> runAll(String serverOptions, String... clientOptions) throws Exception {
        CompletableFuture<Run> server = CompletableFuture.supplyAsync(() -> Run.of(words(SERVER, serverOptions)), THREAD_EACH);
        // Asks the kernel for listeners: the server would accept a connection of the test as its client.
        while (!server.isDone() && !ListeningPorts.contains(port)) {
            Thread.onSpinWait();
        }
        List<CompletableFuture<Run>> clients = new ArrayList<>();
        for (int i = 0; i < clientOptions.length; i++) {
            String[] words = words(CLIENTS[i], clientOptions[i] + " " + SERVER);
            clients.add(CompletableFuture.supplyAsync(() -> Run.of(words), THREAD_EACH));
        }
        List<Run> runs = new ArrayList<>();
        runs.add(server.get(60, TimeUnit.SECONDS));
        for (CompletableFuture<Run> client : clients) {
            runs.add(client.get(60, TimeUnit.SECONDS));
        }
        return runs;
    }

    private String[] words(String address, String options) {
        List<String> words = new ArrayList<>(List.of("xsrq_pingpong", "-d", address, "--udp-port", udpPort, "-p",
            Integer.toString(port), "--stall-timeout", "20s"));
        for (String word : options.trim().split(" +")) {
            if (!word.isEmpty()) {
                words.add(word.replace('~', ' '));
            }
        }
        return words.toArray(String[]::new);
    }
}
