package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.ListeningPorts;
import io.rxe.tools.ChildRun;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tests would run for an hour: a server that ends has noticed that its client is gone. */
@DisplayName("Servers of perftest whose client is ended by a signal")
class LostPeerTest {
    private static final String SERVER = "127.0.0.1";
    private static final String CLIENT = "127.0.0.2";
    private static final String READY = "Waiting for client to connect";
    /** Printed once both sides know each other's keys. */
    private static final String RUNNING = "remote address: ";

    @TempDir
    private Path folder;

    private String[] words(String line, String address, String udpPort, String port, String... more) {
        List<String> words = new ArrayList<>(Arrays.asList(line.split(" ")));
        words.addAll(List.of("-d", address, "--udp-port", udpPort, "-p", port, "--stall-timeout", "3600s"));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    @ParameterizedTest
    @CsvSource({"ib_read_lat -D 3600, TERM", "ib_send_bw -D 3600, KILL", "ib_write_lat -D 3600, TERM"})
    void endWithTheReason(String line, String signal) throws Exception {
        String udpPort = Integer.toString(FreePorts.udp(SERVER, CLIENT));
        String port = Integer.toString(FreePorts.tcp());
        try (ChildRun server = ChildRun.start(folder, List.of(), words(line, SERVER, udpPort, port))) {
            server.awaitOutput(READY);
            try (ChildRun client = connect(line, udpPort, port)) {
                client.awaitOutput(RUNNING);
                server.awaitOutput(RUNNING);
                if (signal.equals("KILL")) {
                    client.kill();
                } else {
                    client.terminate();
                }
                Run ended = server.end();
                assertEquals(ExitStatus.FAILED, ended.status(), ended.toString());
                assertTrue(ended.err().matches("(?s).*(control connection|side channel|RETRY_EXC_ERR).*"), ended.err());
                Run killed = client.end();
                assertEquals(signal.equals("KILL") ? 128 + 9 : 128 + 15, killed.status(), killed.toString());
                assertEquals("", killed.err(), "a user who ends a command needs no explanation");
            }
        }
    }

    /** The server prints that it waits before it listens: an early client is refused and tries again. */
    private ChildRun connect(String line, String udpPort, String port) throws Exception {
        while (!ListeningPorts.contains(Integer.parseInt(port))) {
            Thread.sleep(20);
        }
        return ChildRun.start(folder, List.of(), words(line, CLIENT, udpPort, port, SERVER));
    }
}
