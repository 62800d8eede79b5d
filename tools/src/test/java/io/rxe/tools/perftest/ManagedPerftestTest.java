package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.tools.Main;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The commands of perftest over connection management, over real sockets")
class ManagedPerftestTest {
    private static final String SERVER = "127.0.0.1";
    private static final String CLIENT = "127.0.0.2";
    // Not a port of a kernel socket, so any number is free.
    private static final String PORT = "65535";
    private static final String READY = "Waiting for client to connect";

    private final String udpPort = Integer.toString(FreePorts.udp(SERVER, CLIENT));

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw -R -n 20", "ib_send_bw -R -n 20 -b -q 3 -s 1000", "ib_send_bw -R -n 20 -c UD -s 2048",
        "ib_send_bw -R -n 20 -c UD -s 512 -b -q 2", "ib_send_lat -R -n 20", "ib_send_lat -R -n 20 -c UD", "ib_write_bw -R -n 20 -q 2",
        "ib_write_lat -R -n 20", "ib_read_bw -R -n 20 -b", "ib_read_lat -R -n 20 --engines 2", "ib_atomic_bw -R -n 20 --engines 3",
        "ib_atomic_lat -R -n 20", "ib_send_bw -R -a -n 5"})
    void aTestRunsOverConnectionsMadeByConnectionManagement(String line) throws Exception {
        for (Run run : runBoth(line, line)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().contains("\n rdma_cm QPs\t : ON\n Data ex. method : rdma_cm\n"), run.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_send_bw -z -n 20", "ib_write_bw -z -n 20 -c UC -s 5000", "ib_send_lat -z -n 20 -c UD",
        "ib_write_lat -z -n 20 --engines 2", "ib_read_bw -z -n 20 -q 3", "ib_atomic_lat -z -n 20"})
    void theHandshakeAloneMayUseConnectionManagement(String line) throws Exception {
        for (Run run : runBoth(line, line)) {
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().contains("\n rdma_cm QPs\t : OFF\n Data ex. method : rdma_cm\n"), run.out());
        }
    }

    @Test
    void bothSidesReportTheirMessages() throws Exception {
        for (Run run : runBoth("ib_write_bw -R -n 25 -s 4096", "ib_write_bw -R -n 25 -s 4096")) {
            assertTrue(run.out().contains("\n 4096       25 "), run.out());
        }
    }

    @Test
    void bothSidesShowEachOthersAddress() throws Exception {
        String line = "ib_read_bw -R -n 5 -q 2";
        Run[] runs = runBoth(line, line);
        assertEquals(addresses(runs[0], "local"), addresses(runs[1], "remote"));
        assertEquals(addresses(runs[1], "local"), addresses(runs[0], "remote"));
        assertEquals(2, addresses(runs[0], "local").size());
        // As the original, without memory key and address.
        assertTrue(addresses(runs[0], "local").get(0).matches("LID 0000 QPN 0x\\p{XDigit}+ PSN 0x\\p{XDigit}+"), runs[0].out());
    }

    @Test
    void twoTestsFollowEachOtherOnOnePort() throws Exception {
        for (int i = 0; i < 2; i++) {
            for (Run run : runBoth("ib_send_bw -R -n 5", "ib_send_bw -R -n 5")) {
                assertEquals(ExitStatus.OK, run.status(), run.toString());
            }
        }
    }

    @Test
    void anotherPortIsRefusedAtOnce() throws Exception {
        Server server = new Server("ib_send_bw -R -n 5");
        Run client = run("ib_send_bw -R -n 5 " + SERVER, CLIENT, "4242");
        assertEquals(ExitStatus.FAILED, client.status(), client.toString());
        assertTrue(client.err().contains("REJECTED (8): ") && client.err().contains("4242"), client.err());
        // The server still waits.
        Run second = run("ib_send_bw -R -n 5 " + SERVER, CLIENT, PORT);
        assertEquals(ExitStatus.OK, second.status(), second.toString());
        assertEquals(ExitStatus.OK, server.end().status());
    }

    @Test
    void bothSidesMustConnectInTheSameWay() throws Exception {
        Run[] managedServer = runBoth("ib_send_bw -R -n 5", "ib_send_bw -z -n 5");
        assertTrue(managedServer[0].err().contains("start it with -R as well"), managedServer[0].toString());
        assertTrue(managedServer[1].err().contains("use -R at both ends or at none"), managedServer[1].toString());
        Run[] managedClient = runBoth("ib_send_bw -z -n 5", "ib_send_bw -R -n 5");
        assertTrue(managedClient[0].err().contains("use -R at both ends or at none"), managedClient[0].toString());
        assertTrue(managedClient[1].err().contains("start it with -R as well"), managedClient[1].toString());
    }

    @Test
    void aClientCannotBeItsOwnServer() {
        Run run = run("ib_send_bw -R " + CLIENT, CLIENT, PORT);
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().contains("127.0.0.2 is the address of this very NIC"), run.err());
    }

    @Test
    void unreliableConnectionsAreNotMadeByConnectionManagement() {
        Run run = Run.of("ib_write_bw", "-R", "-c", "UC");
        assertEquals(ExitStatus.USAGE, run.status(), run.toString());
        assertTrue(run.err().contains("-R connects RC and UD: for UC use -z, or neither"), run.err());
    }

    private static List<String> addresses(Run run, String side) {
        String start = " " + side + " address: ";
        return run.out().lines().filter(row -> row.startsWith(start)).map(row -> row.substring(start.length())).toList();
    }

    private Run[] runBoth(String serverLine, String clientLine) throws Exception {
        Server server = new Server(serverLine);
        Run client = run(clientLine + " " + SERVER, CLIENT, PORT);
        return new Run[] {server.end(), client};
    }

    private Run run(String line, String address, String port) {
        return Run.of(words(line, address, port));
    }

    private String[] words(String line, String address, String port) {
        List<String> words = new ArrayList<>(Arrays.asList(line.split(" ")));
        words.addAll(1, List.of("-d", address, "--udp-port", udpPort, "-p", port, "--stall-timeout", "30s"));
        return words.toArray(String[]::new);
    }

    /** A server on a thread of its own; its constructor returns once it listens or has ended. */
    private final class Server {
        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final CompletableFuture<Integer> status;

        Server(String line) {
            String[] words = words(line, SERVER, PORT);
            status = CompletableFuture.supplyAsync(() -> Main.run(new PrintWriter(out), new PrintWriter(err), words));
            while (!status.isDone() && !out.toString().contains(READY)) {
                Thread.onSpinWait();
            }
        }

        Run end() throws Exception {
            return new Run(status.get(120, TimeUnit.SECONDS), out.toString(), err.toString());
        }
    }
}
