package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.FreePorts;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mains of jars from Maven Central, byte for byte. {@code -Drxe.disni.rounds=100000} runs the benchmarks at full length. */
class UnmodifiedProgramsTest {
    private static final int ROUNDS = Integer.getInteger("rxe.disni.rounds", 2000);
    private static final int MINUTES = ROUNDS > 2000 ? 30 : 2;
    private static final String SERVER = "127.0.71.1";
    private static final String CLIENT = "127.0.71.2";
    private static final String EXAMPLES = "com.ibm.disni.examples.";
    private static final String BENCHMARKS = "com.ibm.disni.benchmarks.";
    private static final Map<String, String> JARS = Map.of(
        "disni-2.1.jar", "16cfa7f6b04e5fd14e3ee0425a650d46847cbd950f7f938a03362171725aa124",
        "disni-2.0-tests.jar", "647c9ff68c1cde212a18b0c0563da3a192df5b2dd7df577f0b8b8fbcc770592e",
        "darpc-1.9.jar", "4f2286584cc499a02d0cecc1fa4cc5254cc5e31cb380f72101ec15ff4a168702",
        "darpc-1.9-tests.jar", "65fa97239d5bc85fe231a8e1df44c70f6a510a14f0e9d687b7bf59e3e6d8743e",
        "jnvmf-1.6.jar", "47d008e22f3adbf8e9c6ef936b6cc3be718de12125eda178f75d344d6f38c5a0");

    private static void run(String server, String client, String arguments, String expected, String fault) throws Exception {
        int udpPort = FreePorts.udp(SERVER);
        int port = FreePorts.tcp();
        String options = "-a " + SERVER + " -p " + port + arguments;
        try (DisniProgram listening = new DisniProgram(SERVER, udpPort, fault, (server + " " + options).split(" "))) {
            listening.awaitListener();
            try (DisniProgram connecting = new DisniProgram(CLIENT, udpPort, fault, (client + " " + options).split(" "))) {
                assertEquals(0, connecting.exit(MINUTES), connecting::output);
                assertTrue(connecting.output().contains(expected), connecting::output);
                assertEquals(0, listening.exit(MINUTES), listening::output);
            }
        }
    }

    @Test
    @DisplayName("the jars are those of Maven Central")
    void jarsAreUnmodified() throws Exception {
        Map<String, String> found = new TreeMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            if (JARS.containsKey(jar.getFileName().toString())) {
                found.put(jar.getFileName().toString(), HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                    .digest(Files.readAllBytes(jar))));
            }
        }
        assertEquals(new TreeMap<>(JARS), found, () -> "class path " + Arrays.toString(JARS.keySet().toArray()));
    }

    @ParameterizedTest
    @DisplayName("examples of DiSNI send, receive and read")
    @CsvSource({
        "ReadServer, ReadClient, 'ReadClient::read memory from server: This is a RDMA/read on stag'",
        "SendRecvServer, SendRecvClient, 'Message from the server: Hello from the server'",
        "VerbsServer, VerbsClient, 'VerbsClient::read memory from server: This is a RDMA/read on stag'"})
    void examples(String server, String client, String expected) throws Exception {
        run(EXAMPLES + server, EXAMPLES + client, "", expected, "");
    }

    @ParameterizedTest
    @DisplayName("benchmarks of DiSNI run to their end")
    @CsvSource({
        "ReadServer, ReadClient, ' -s 4096', 'ReadClient, latency'",
        "SendRecvServer, SendRecvClient, ' -s 1024 -q 32', 'Bidirectional average latency'",
        "RDMAvsTcpBenchmarkServer, RDMAvsTcpBenchmarkClient, ' -s 1024', 'TCP result'"})
    void benchmarks(String server, String client, String arguments, String expected) throws Exception {
        run(BENCHMARKS + server, BENCHMARKS + client, arguments + " -k " + ROUNDS, expected, "");
    }

    @Test
    @DisplayName("RDMAvsTcpBenchmark, which freezes on rdma_rxe, runs to its end with a loss of 1 %")
    void benchmarkWithLoss() throws Exception {
        run(BENCHMARKS + "RDMAvsTcpBenchmarkServer", BENCHMARKS + "RDMAvsTcpBenchmarkClient", " -s 1024 -k " + ROUNDS, "RDMA result",
            "loss 1%");
    }

    @Test
    @DisplayName("DaRPC's client calls its server")
    void darpc() throws Exception {
        String main = "com.ibm.darpc.examples.";
        int udpPort = FreePorts.udp(SERVER);
        try (DisniProgram server = new DisniProgram(SERVER, udpPort, "", main + "server.DaRPCServer", "-a", SERVER)) {
            server.awaitListener();
            try (DisniProgram client = new DisniProgram(CLIENT, udpPort, "", main + "client.DaRPCClient", "-a", SERVER,
                "-k", "" + ROUNDS)) {
                assertEquals(0, client.exit(MINUTES), client::output);
                assertTrue(client.output().contains("throughput"), client::output);
            }
        }
    }
}
