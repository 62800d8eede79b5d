package io.rxe.tools.rdmacm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.tools.ChildRun;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The commands of rdmacm-utils, over real sockets")
class RdmaCmCommandTest {
    private static final String FIRST_PING = "rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr";

    private final int udpPort = FreePorts.udp("127.0.0.1", "127.0.0.2");

    private Run client(String line) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addAll(List.of("--udp-port", Integer.toString(udpPort), "--linger", "0"));
        return Run.of(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"'',''", "-q,''", "'',-q", "-q,-q", "--engines 2,--engines 3", "-p 9,-p 9"})
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

    @Test
    void everySizeOfRpingReturnsUnchanged() throws Exception {
        ServerRun server = ServerRun.start("rping -s -P -a 127.0.0.2 -S 65535", udpPort);
        for (int size : new int[] {PingText.MIN_SIZE_BYTES, 1024, 4097, PingText.MAX_SIZE_BYTES}) {
            Run client = client("rping -c -a 127.0.0.2 -C 3 -V -S " + size);
            assertEquals(ExitStatus.OK, client.status(), client.toString());
        }
        Run served = server.interrupt();
        assertEquals(12, served.out().lines().count(), served.out());
    }

    @Test
    void debugShowsEveryStep() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2 -d", udpPort);
        Run client = client("rping -c -a 127.0.0.2 -C 1 -d");
        List<String> served = server.end().out().lines().map(line -> line.replaceAll(" [0-9a-f]+ ", " # ")).toList();
        assertTrue(client.out().contains("ESTABLISHED\nrdma_connect successful\nRDMA addr "), client.out());
        assertTrue(served.containsAll(List.of("rdma_listen", "accepting client connection request", "server received sink adv",
            "server posted rdma read req ", "rdma read completion", "server received read complete", "server posted go ahead",
            "rdma write completion", "server rdma write complete ")), served.toString());
    }

    @Test
    void aPersistentServerServesSeveralClientsAtOnce() throws Exception {
        ServerRun server = ServerRun.start("rping -s -P -a 127.0.0.2", udpPort);
        List<CompletableFuture<Run>> clients = IntStream.of(1, 3, 4)
            .mapToObj(host -> "rping -c -a 127.0.0.2 -C 20 -V -I 127.0.0." + host)
            .map(line -> CompletableFuture.supplyAsync(() -> client(line))).toList();
        for (CompletableFuture<Run> client : clients) {
            Run run = client.get(60, TimeUnit.SECONDS);
            assertEquals(ExitStatus.OK, run.status(), run.toString());
        }
        Run served = server.interrupt();
        assertEquals(60, served.out().lines().count(), served.out());
        assertEquals(3, served.err().lines().filter("server DISCONNECT EVENT..."::equals).count(), served.err());
    }

    @Test
    void aServerForOneClientRefusesTheSecond() throws Exception {
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2", udpPort);
        CompletableFuture<Run> first =
            CompletableFuture.supplyAsync(() -> client("rping -c -a 127.0.0.2 -I 127.0.0.3 -C 1000000"));
        server.awaitOutput("server ping data: rdma-ping-0");
        Run second = client("rping -c -a 127.0.0.2 -C 1");
        assertEquals(ExitStatus.FAILED, second.status(), second.toString());
        assertTrue(second.err().startsWith("cma event RDMA_CM_EVENT_REJECTED, error 28\n"), second.err());
        Run served = server.interrupt();
        assertTrue(served.err().contains("note: refused 127.0.0.1: this rping serves one client; start it with -P"), served.err());
        Run ended = first.get(60, TimeUnit.SECONDS);
        assertEquals(ExitStatus.FAILED, ended.status());
        assertTrue(ended.err().contains("client DISCONNECT EVENT..."), ended.err());
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
            assertTrue(Stream.of("nothing arrived from 127.0.0.3 for 3 s while waiting for its next ping: is it still running",
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
        ServerRun server = ServerRun.start("rping -s -a 127.0.0.2 -S 5000 --linger 1s", udpPort);
        List<String> words = List.of("rping", "-c", "-a", "127.0.0.2", "-C", "100", "-V", "-S", "5000", "--udp-port",
            Integer.toString(udpPort), "--fault", "loss 2%", "--seed", "7");
        Run client = Run.of(words.toArray(String[]::new));
        server.end();
        assertEquals(ExitStatus.OK, client.status(), client.toString());
    }

    @Test
    void messagesOfSixteenBytesAreExchanged() throws Exception {
        ServerRun server = ServerRun.start("rdma_server -s 127.0.0.2", udpPort);
        Run client = client("rdma_client -s 127.0.0.2");
        Run served = server.end();
        assertEquals(ExitStatus.OK, client.status(), client.toString());
        assertEquals(ExitStatus.OK, served.status(), served.toString());
        assertEquals("rdma_client: start\nrdma_client: end 0\n", client.out());
        assertEquals("rdma_server: start\nrdma_server: end 0\n", served.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-C 10", "-c 3 -C 4 -S 4096", "-C 0", "-S 0", "-C 1 --engines 2"})
    void datagramsAreReplied(String options) throws Exception {
        ServerRun server = ServerRun.start("udaddy -b 127.0.0.2 " + options, udpPort);
        Run client = client("udaddy -s 127.0.0.2 " + options);
        Run served = server.end();
        assertEquals(ExitStatus.OK, client.status(), client.toString());
        assertEquals(ExitStatus.OK, served.status(), served.toString());
        boolean empty = options.endsWith(" 0");
        assertEquals("udaddy: starting client\nudaddy: connecting\n" + (empty ? ""
            : "initiating data transfers\nreceiving data transfers\ndata transfers complete\n") + "test complete\nreturn status 0\n",
            client.out());
        assertEquals("udaddy: starting server\n" + (empty ? ""
            : "receiving data transfers\nsending replies\ndata transfers complete\n") + "test complete\nreturn status 0\n", served.out());
    }

    @Test
    void aPortWithoutListenerIsNamed() throws Exception {
        ServerRun server = ServerRun.start("rping -s -P -a 127.0.0.2", udpPort);
        Run rping = client("rping -c -a 127.0.0.2 -p 7175 -C 1");
        assertTrue(rping.err().startsWith("cma event RDMA_CM_EVENT_REJECTED, error 8\n"), rping.err());
        assertTrue(rping.err().contains("no listener on TCP port 7175 at 127.0.0.2"), rping.err());
        assertTrue(rping.err().contains("start the server or check the port"), rping.err());
        Run message = client("rdma_client -s 127.0.0.2");
        assertEquals("rdma_client: start\nrdma_client: end -1\n", message.out());
        assertTrue(message.err().contains("no listener on TCP port 7471 at 127.0.0.2"), message.err());
        Run datagrams = client("udaddy -s 127.0.0.2");
        assertTrue(datagrams.out().endsWith("udaddy: event: RDMA_CM_EVENT_UNREACHABLE, error: 1\ntest complete\nreturn status 1\n"),
            datagrams.out());
        assertTrue(datagrams.err().contains("no listener on UDP port 7174 at 127.0.0.2"), datagrams.err());
        for (Run run : List.of(rping, message, datagrams)) {
            assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        }
        server.interrupt();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "rping -c -a 127.0.0.2 -C 1 --connect-timeout 100ms | no answer from TCP port 7174 at 127.0.0.2 to 1 request in",
        "rdma_client -s 127.0.0.2 --connect-timeout 100ms | check that the host is up",
        "udaddy -s 127.0.0.2 --connect-timeout 100ms | and that no firewall stops that port",
        "rping -c -a 127.0.0.2 -I 127.0.0.2 | is the address of this NIC itself: give the server's address, or use -I to bind another",
        "udaddy -s 127.0.0.1 | is the address of this NIC itself: give the server's address, or use -b to bind another",
        "rping -c -a ::1 -I 127.0.0.1 | peer ::1 is of another address family than this port's 127.0.0.1",
        "rping -c -a no.such.host.invalid | 'no.such.host.invalid' is neither a host name that can be resolved nor an IP address",
        "rping -s -a 0.0.0.0 | a NIC needs one that can be its GID",
        "udaddy -s 127.0.0.2 -S 4097 | message_size 4097 is larger than active mtu 4096"})
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

    @Test
    void aStallNamesPeerTimeAndRemedy() throws Exception {
        ServerRun server = ServerRun.start("udaddy -b 127.0.0.2 -C 10 --stall-timeout 1s", udpPort);
        Run client = client("udaddy -s 127.0.0.2 -C 4 --stall-timeout 1s");
        Run served = server.end();
        assertEquals(ExitStatus.FAILED, client.status(), client.toString());
        assertEquals(ExitStatus.FAILED, served.status(), served.toString());
        assertTrue(client.err().contains("nothing arrived from 127.0.0.2 for 1 s after 0 of 4 datagrams"), client.err());
        assertTrue(served.err().contains("nothing arrived from 127.0.0.1 for 1 s after 4 of 10 datagrams"), served.err());
        assertTrue(client.err().contains("with the same -C, -c and -S at both ends, and check that no firewall drops UDP port " + udpPort),
            client.err());
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
        "rdma_server -p 65536 | port 65536 is not in 1..65535",
        "udaddy -P ipoib | RoCE has datagram services in UDP (0x111) only",
        "udaddy -p 2 | RoCE has datagram services in UDP (0x111) only",
        "udaddy -c 0 | connections 0 is not in 1..256"})
    void wrongUsageIsExplained(String line, String message) {
        Run run = client(line);
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains(message), run.err());
    }

    @Test
    void optionsWithoutEffectAreNoted() {
        Run run = client("udaddy -s 127.0.0.2 -t 8 -f gid -p 0x111 -P udp --connect-timeout 1ms");
        assertTrue(run.err().contains("note: -t 8 does nothing here"), run.err());
        assertTrue(run.err().contains("note: -f gid does nothing here"), run.err());
        assertFalse(run.err().contains("note: -P"), run.err());
        Run rping = client("rping -c -a 127.0.0.2 -P --connect-timeout 1ms");
        assertTrue(rping.err().contains("note: -P does nothing here: it is an option of servers"), rping.err());
    }

    @Test
    void aServerWithoutAddressPrintsWhereItListens() throws Exception {
        ServerRun server = ServerRun.start("rdma_server", udpPort);
        Run served = server.interrupt();
        assertTrue(served.err().contains("note: listening on 127.0.0.1, reachable from this machine only; -s ADDRESS"), served.err());
    }
}
