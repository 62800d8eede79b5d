package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.net.FreePorts;
import io.rxe.net.process.ProcessSettings;
import io.rxe.verbs.PartitionKeys;
import io.rxe.wire.Bth;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("librdmacm runs on the NIC")
class ConnectionProgramTest {
    /** Behind the headers of Ethernet, IPv4 and UDP. */
    private static final int BTH_OFFSET = 42;
    private static final String ADDRESS = "127.0.0.73";

    @TempDir
    private static Path folder;

    private static Path library;

    @BeforeAll
    static void build() throws Exception {
        library = CProgram.library();
    }

    private static void runProgram(String name) throws Exception {
        runProgram(name, Map.of());
    }

    private static void runProgram(String name, Map<String, String> more) throws Exception {
        runProgram(name, ADDRESS, FreePorts.udp(ADDRESS), more);
    }

    private static void runProgram(String name, String device, int udpPort, Map<String, String> more) throws Exception {
        CProgram.requireCmHeader();
        Path program = CProgram.compile(folder, name, "-lrdmacm", "-libverbs", "-lpthread");
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).address(device).udpPort(udpPort).variables());
        variables.put("RXE_VERBOSE", "1");
        variables.putAll(more);
        List<String> printed = CProgram.finish(new ProcessBuilder(program.toString(), ADDRESS), folder.resolve(name + ".out"), variables);
        assertTrue(printed.contains("all right"), () -> String.join("\n", printed));
    }

    @Test
    @DisplayName("each function does what its manual page says: connections.c")
    void connections() throws Exception {
        runProgram("connections");
    }

    @Test
    @DisplayName("all connections and datagrams are in the first partition of the table: connections.c")
    void partition() throws Exception {
        Path capture = folder.resolve("partition.pcapng");
        runProgram("connections", Map.of(ProcessSettings.PKEYS, "0x8001,0xffff", ProcessSettings.CAPTURE, capture.toString()));
        Set<String> keys = new TreeSet<>();
        int frames = 0;
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(capture))) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                // A peer that is slow to answer is probed with one byte.
                if (record.bytes().length >= BTH_OFFSET + Bth.LENGTH) {
                    keys.add(PartitionKeys.text(Bth.partitionKey(new UnsafeBuffer(record.bytes()), BTH_OFFSET)));
                    frames++;
                }
            }
        }
        assertEquals(Set.of("0x8001"), keys);
        // At least a REQ, REP and RTU, a message and its acknowledgement, a DREQ and a DREP; each is sent and received.
        assertTrue(frames >= 14, frames + " frames");
    }

    @Test
    @DisplayName("what is out of order is refused, and nothing is waited for that cannot come: orders.c")
    void orders() throws Exception {
        runProgram("orders");
    }

    @Test
    @DisplayName("events are in the channel that their id has, and each is one thread's: channels.c")
    void channels() throws Exception {
        runProgram("channels");
    }

    @Test
    @DisplayName("a child has descriptors of its own, and free locks whatever other threads did at the fork: forks.c")
    void forks() throws Exception {
        runProgram("forks");
    }

    @Test
    @DisplayName("closing a context destroys the queue pairs that the program left in it: leftover.c")
    void leftover() throws Exception {
        runProgram("leftover");
    }

    @Test
    @DisplayName("signals that the program blocks reach its signalfd, not the JVM: signalfds.c")
    void signalfds() throws Exception {
        runProgram("signalfds");
    }

    @Test
    @DisplayName("two NICs are two devices, and connect to each other and to those of a peer: rails.c")
    void twoNics() throws Exception {
        runProgram("rails", "127.0.74.0/29,127.0.75.0/29", FreePorts.udp("127.0.74.1", "127.0.74.2", "127.0.75.1", "127.0.75.2"), Map.of());
    }

    @Test
    @DisplayName("what came after rdma-core 44 works, or answers EOPNOTSUPP: newer.c")
    void newer() throws Exception {
        runProgram("newer");
    }

    @Test
    @DisplayName("rsockets are librdmacm's own code on our functions: streams.c")
    void streams() throws Exception {
        runProgram("streams");
    }

    @Test
    @DisplayName("servers that use epoll run over librspreload: servers.c")
    void servers() throws Exception {
        Path preload = Path.of("/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so");
        assumeTrue(Files.exists(preload), "no " + preload + ": apt-get install librdmacm1");
        runProgram("servers", Map.of("LD_PRELOAD", library + ":" + preload));
    }

    @Test
    @DisplayName("every function of librdmacm that takes an object is ours")
    void definesAllOfLibrdmacm() throws Exception {
        Path real = Path.of("/usr/lib/x86_64-linux-gnu/librdmacm.so.1");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/nm")), "no nm: apt-get install binutils");
        assumeTrue(Files.exists(real), "no " + real + ": apt-get install librdmacm1");
        Set<String> missing = new TreeSet<>(functions(real));
        missing.removeAll(functions(library));
        assertEquals(Set.of(), missing);
    }

    private static Set<String> functions(Path file) throws Exception {
        return CProgram.finish(new ProcessBuilder("nm", "-D", "--defined-only", file.toString()), folder.resolve("nm"), Map.of()).stream()
            .map(line -> line.replaceAll("^\\S+ \\S+ |@.*", "")).filter(name -> name.matches("rdma_.*")).collect(Collectors.toSet());
    }
}
