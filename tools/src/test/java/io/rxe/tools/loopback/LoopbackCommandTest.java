package io.rxe.tools.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("rxe loopback, over real sockets")
class LoopbackCommandTest {
    @TempDir
    private Path directory;

    @Test
    void verifiesEveryOperationBetweenTwoAddresses() {
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        Run run = Run.of("loopback", "--verify-only", "--port", Integer.toString(port), "--seed", "7");
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertTrue(run.out().startsWith("verified: 7 operations, 86 messages, 10.7 MiB sent, "), run.out());
        assertTrue(run.out().contains(" bad_icrc 0"), run.out());
        assertTrue(run.out().contains("\nmachine: "), run.out());
    }

    @ParameterizedTest
    @CsvSource({"on, 1, true", "off, 2, true", "on, 4, true", "off, 4, false"})
    void verifiesWithEveryUseOfSocketsAndEngines(String gso, String engines, boolean spin) {
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        Run run = Run.of("loopback", "--verify-only", "--port", Integer.toString(port), "--qps", "5", "--sizes", "0,1,70000",
            "--gso", gso, "--gro", gso, "--engines", engines, spin ? "--spin" : "-v");
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertTrue(run.out().startsWith("verified: 7 operations, 230 messages, "), run.out());
    }

    @Test
    void verifiesBetweenTwoPortsOfOneIpv6Address() {
        int port = FreePorts.udp("::1");
        int peerPort = FreePorts.udp("::1");
        Run run = Run.of("loopback", "--verify-only", "-d", "::1", "--port", Integer.toString(port), "--peer-port",
            Integer.toString(peerPort), "--mtu", "1024", "--sizes", "0,1,5000");
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        // Five operations with three sizes and two atomics with four rounds, both ways.
        assertTrue(run.out().startsWith("verified: 7 operations, 46 messages, "), run.out());
    }

    @Test
    void measuresAndWritesJson() throws IOException {
        Path json = directory.resolve("result.json");
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        Run run = Run.of("loopback", "--ops", "send,read,fadd", "--sizes", "64,5000", "--duration", "20ms", "--qps", "2",
            "--port", Integer.toString(port), "--json", json.toString());
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertEquals(1, run.out().lines().filter(line -> line.startsWith("operation  ")).count(), run.out());
        assertEquals(5, run.out().lines().filter(line -> line.matches("(SEND|READ|FETCH_ADD) .*")).count(), run.out());
        assertTrue(run.out().lines().allMatch(line -> line.length() <= 100 || line.startsWith("machine: ")), run.out());
        String text = Files.readString(json);
        assertTrue(text.contains("\"operation\": \"fetch_and_add\""), text);
        assertTrue(text.contains("\"queue_pairs\": 2"), text);
    }

    @Test
    void measuresOnAnApplicationThreadWithSeveralEngines() {
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        Run run = Run.of("loopback", "--ops", "send,write", "--sizes", "64", "--duration", "20ms", "--engines", "2", "--port",
            Integer.toString(port), "--json", "-");
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        assertTrue(run.out().startsWith("{\n"), run.out());
        assertTrue(run.out().contains("\"application\": \"another thread\""), run.out());
    }

    @Test
    void namesAPeerAddressThatIsNotLocal() {
        Run run = Run.of("loopback", "-d", "127.0.0.1", "--port", Integer.toString(FreePorts.udp("127.0.0.1")), "--peer-dev",
            "192.0.2.9");
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.err().startsWith("rxe loopback: address 192.0.2.9 is not local"), run.err());
    }
}
