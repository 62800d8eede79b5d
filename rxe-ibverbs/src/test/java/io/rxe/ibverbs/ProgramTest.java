package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.net.FreePorts;
import io.rxe.net.ListeningPorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.process.ProcessSettings;
import io.rxe.verbs.DeviceAttributes;
import io.rxe.verbs.PartitionKeys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stock programs, each in two processes. Not ibv_rc_pingpong: its retries run out within 0.6 s, in which a process that has just started
 * may not get the processor on a busy machine.
 */
@DisplayName("unchanged programs run on the NIC")
class ProgramTest {
    private static final String SERVER = "127.0.0.71";
    private static final String CLIENT = "127.0.0.72";

    @TempDir
    private static Path folder;

    private static Path library;

    @BeforeAll
    static void build() throws Exception {
        library = CProgram.library();
    }

    private static Map<String, String> variables(String address, int udpPort) {
        Map<String, String> variables = new HashMap<>(new ProgramStart(library).address(address).udpPort(udpPort).variables());
        variables.put("RXE_VERBOSE", "1");
        return variables;
    }

    private static ProcessBuilder command(String line, int port) {
        List<String> words = new ArrayList<>(Arrays.asList(line.split(" ")));
        words.addAll(List.of("-p", Integer.toString(port)));
        return new ProcessBuilder(words);
    }

    /** Runs a server and a client of one program; returns what the client prints. */
    private static List<String> pair(String line) throws Exception {
        return pair(line, "0xffff", "0xffff");
    }

    private static Map<String, String> variables(String address, int udpPort, String partitionKeys) {
        Map<String, String> variables = variables(address, udpPort);
        variables.put(ProcessSettings.PKEYS, partitionKeys);
        return variables;
    }

    private static List<String> pair(String line, String serverKeys, String clientKeys) throws Exception {
        int port = FreePorts.tcp();
        int udpPort = FreePorts.udp(SERVER, CLIENT);
        Path serverOutput = folder.resolve("server");
        Path clientOutput = folder.resolve("client");
        Process server = CProgram.start(command(line, port), serverOutput, variables(SERVER, udpPort, serverKeys));
        try {
            long endNs = System.nanoTime() + CProgram.TIMEOUT_SECONDS * 1_000_000_000L;
            while (!ListeningPorts.contains(port)) {
                assertTrue(server.isAlive() && System.nanoTime() < endNs, () -> CProgram.text(serverOutput));
                Thread.sleep(10);
            }
            ProcessBuilder client = command(line, port);
            client.command().add("127.0.0.1");
            List<String> printed = CProgram.finish(client, clientOutput, variables(CLIENT, udpPort, clientKeys));
            CProgram.await(server, serverOutput);
            return printed;
        } finally {
            server.destroyForcibly();
        }
    }

    private static void assertPrints(String expected, List<String> lines) {
        assertTrue(lines.stream().anyMatch(line -> line.contains(expected)), () -> String.join("\n", lines));
    }

    @Test
    @DisplayName("ibv_uc_pingpong with events compares every byte")
    void unreliableConnection() throws Exception {
        CProgram.requireProgram("ibv_uc_pingpong", "ibverbs-utils");
        assertPrints("20 iters in", pair("ibv_uc_pingpong -g 1 -c -e -n 20"));
    }

    @Test
    @DisplayName("ibv_ud_pingpong finds its peer through address handles")
    void datagrams() throws Exception {
        CProgram.requireProgram("ibv_ud_pingpong", "ibverbs-utils");
        assertPrints("20 iters in", pair("ibv_ud_pingpong -g 0 -c -n 20"));
    }

    @Test
    @DisplayName("ib_write_bw posts with ibv_wr_*")
    void perftest() throws Exception {
        CProgram.requireProgram("ib_write_bw", "perftest");
        // A long timeout: on a busy machine the peer may not run for a while.
        assertPrints(" 4096       100 ", pair("ib_write_bw -d rxe0 -F -s 4096 -n 100 -u 20"));
    }

    @Test
    @DisplayName("ucx_perftest finds the device by its files, and its peer through the GRH of datagrams")
    void ucx() throws Exception {
        CProgram.requireProgram("ucx_perftest", "ucx-utils");
        assertPrints("Final:", pair("ucx_perftest -d rxe0:1 -x ud_verbs -t am_lat -w 2 -n 20"));
    }

    @Test
    @DisplayName("each verb does what verbs.h says: exerciser.c")
    void exerciser() throws Exception {
        CProgram.requireHeader();
        Path program = CProgram.compile(folder, "exerciser", "-libverbs");
        Path output = folder.resolve("exerciser.out");
        assertPrints("all right", CProgram.finish(new ProcessBuilder(program.toString()), output,
            variables(SERVER, FreePorts.udp(SERVER))));
    }

    @Test
    @DisplayName("a table of P_Keys: queue pairs and datagrams of several partitions: exerciser.c")
    void partitions() throws Exception {
        CProgram.requireHeader();
        Path program = CProgram.compile(folder, "exerciser", "-libverbs");
        Map<String, String> variables = variables(SERVER, FreePorts.udp(SERVER));
        variables.put(ProcessSettings.PKEYS, PartitionKeys.of(0xFFFF, 0x8001, 0x0001).toString());
        List<String> printed = CProgram.finish(new ProcessBuilder(program.toString(), "partitions"), folder.resolve("partitions.out"),
            variables);
        assertPrints("all right", printed);
        assertPrints("P_Key 0x0001 for queue pair", printed);
        assertPrints("PARTITION_KEY_INDEX 3 is not in 0..2", printed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0x0", "0x8000", "0x18001", "0x8001,0x8001", "8001", "0xffff, 0x8001", "0xffff,", "0x12345678"})
    @DisplayName("a table of wrong P_Keys is refused with the reason of the Java half when the device is opened")
    void wrongPartitions(String list) throws Exception {
        CProgram.requireProgram("ibv_devinfo", "ibverbs-utils");
        String reason = assertThrows(IllegalArgumentException.class, () -> PartitionKeys.parse(list)).getMessage();
        Map<String, String> variables = variables(CLIENT, FreePorts.udp(CLIENT));
        variables.put(ProcessSettings.PKEYS, list);
        Path output = folder.resolve("wrong");
        Process process = CProgram.start(new ProcessBuilder("ibv_devinfo"), output, variables);
        assertNotEquals(0, process.waitFor());
        String said = CProgram.text(output);
        assertTrue(said.contains("RXE_PKEYS is '" + list + "': ") && said.contains(reason.substring(reason.indexOf(" is ") + 1)), said);
    }

    @Test
    @DisplayName("the longest table is read, and one longer is refused")
    void longestTable() throws Exception {
        CProgram.requireProgram("ibv_devinfo", "ibverbs-utils");
        String longest = PartitionKeys.of(IntStream.rangeClosed(1, PartitionKeys.MAX_KEYS).toArray()).toString();
        Map<String, String> variables = variables(CLIENT, FreePorts.udp(CLIENT));
        variables.put(ProcessSettings.PKEYS, longest);
        Path output = folder.resolve("longest");
        List<String> printed = CProgram.finish(new ProcessBuilder("ibv_devinfo", "-v"), output, variables);
        assertTrue(printed.stream().anyMatch(line -> line.matches("\\s*pkey_tbl_len:\\s*128")), () -> String.join("\n", printed));
        variables.put(ProcessSettings.PKEYS, longest + ",0xffff");
        assertNotEquals(0, CProgram.start(new ProcessBuilder("ibv_devinfo"), output, variables).waitFor());
        assertTrue(CProgram.text(output).contains("'0xffff' is one more than the 128 P_Keys"), () -> CProgram.text(output));
    }

    @Test
    @DisplayName("ib_send_bw with --pkey_index reaches a peer in the same partition")
    void perftestPartition() throws Exception {
        CProgram.requireProgram("ib_send_bw", "perftest");
        String line = "ib_send_bw -d rxe0 -F -s 4096 -n 100 -u 20 --pkey_index 1";
        assertPrints(" 4096       100 ", pair(line, "0x8002,0x8001", "0x8003,0x0001"));
    }

    @Test
    @DisplayName("an ordinary user runs it in namespaces of its own, where /sys is empty: exerciser.c")
    void withoutSysfs() throws Exception {
        CProgram.requireHeader();
        CProgram.requireNamespaces();
        inNamespaces("exerciser", "mount -t tmpfs none /sys && ip link set lo up && test -z \"$(ls -A /sys)\"");
    }

    @Test
    @DisplayName("the port is down while its interface is, and events say so: ports.c")
    void portFollowsItsInterface() throws Exception {
        CProgram.requireHeader();
        CProgram.requireNamespaces();
        inNamespaces("ports", "mount -t sysfs none /sys && ip link set lo up");
    }

    private static void inNamespaces(String name, String prepare) throws Exception {
        Path program = CProgram.compile(folder, name, "-libverbs");
        List<String> command = new ArrayList<>(List.of("unshare", "-Urnm", "sh", "-c", prepare + " && exec env \"$@\"", "sh"));
        // Only the program itself is to have the library before it.
        variables(SERVER, FreePorts.udp(SERVER)).forEach((variable, value) -> command.add(variable + "=" + value));
        command.add(program.toString());
        assertPrints("all right", CProgram.finish(new ProcessBuilder(command), folder.resolve(name + "-namespace.out"), Map.of()));
    }

    @Test
    @DisplayName("ibv_devinfo prints the limits of the device, without a JVM")
    void limits() throws Exception {
        CProgram.requireProgram("ibv_devinfo", "ibverbs-utils");
        int udpPort = FreePorts.udp(CLIENT);
        Map<String, String> withoutJvm = variables(CLIENT, udpPort);
        withoutJvm.put("RXE_JVM", "/nonexistent");
        Map<String, String> printed = new HashMap<>();
        CProgram.finish(new ProcessBuilder("ibv_devinfo", "-v"), folder.resolve("devinfo"), withoutJvm).forEach(line -> {
            String[] parts = line.strip().split(":\\s+", 2);
            printed.putIfAbsent(parts[0], parts[parts.length - 1]);
        });
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults(CLIENT).withUdpPort(udpPort))) {
            DeviceAttributes limits = nic.device().attributes();
            // Of queue pairs and regions a NIC in a program has fewer: what the heap of its JVM has room for.
            Map<String, Integer> expected = Map.of("max_qp", 1 << 15, "max_mr", 1 << 18, "max_qp_wr", limits.maxQueueRequests(),
                "max_srq_wr", limits.maxQueueRequests(), "max_sge", limits.maxElements(), "max_cqe", limits.maxCompletions(),
                "max_qp_rd_atom", limits.maxReadAtomicResponder(), "max_qp_init_rd_atom", limits.maxReadAtomicInitiator(),
                "local_ca_ack_delay", limits.localAckDelayCode());
            expected.forEach((name, value) -> assertEquals(Integer.toString(value), printed.get(name), name));
            assertEquals("0x" + Long.toHexString(limits.maxMessageBytes()), printed.get("max_msg_sz"));
            assertEquals(String.format("%016x", nic.device().guid()), printed.get("node_guid").replace(":", ""));
            assertEquals(nic.device().portMtu().bytes() + " (" + nic.device().portMtu().code() + ")", printed.get("active_mtu"));
        }
    }

    @Test
    @DisplayName("every function of libibverbs that takes an object is ours")
    void definesAllOfLibibverbs() throws Exception {
        Path real = Path.of("/usr/lib/x86_64-linux-gnu/libibverbs.so.1");
        CProgram.requireProgram("nm", "binutils");
        assumeTrue(Files.exists(real), "no " + real + ": apt-get install libibverbs1");
        Set<String> missing = new TreeSet<>(functions(real));
        missing.removeAll(functions(library));
        // They work on values alone, or read files of the kernel.
        missing.removeAll(Set.of("ibv_copy_ah_attr_from_kern", "ibv_copy_path_rec_from_kern", "ibv_copy_path_rec_to_kern",
            "ibv_copy_qp_attr_from_kern", "ibv_event_type_str", "ibv_get_sysfs_path", "ibv_node_type_str", "ibv_port_state_str",
            "ibv_rate_to_mbps", "ibv_rate_to_mult", "ibv_read_sysfs_file", "ibv_register_driver", "ibv_wc_status_str"));
        assertEquals(Set.of(), missing);
    }

    private static Set<String> functions(Path file) throws Exception {
        return CProgram.finish(new ProcessBuilder("nm", "-D", "--defined-only", file.toString()), folder.resolve("nm"), Map.of()).stream()
            .filter(line -> !line.contains("IBVERBS_PRIVATE")).map(line -> line.replaceAll("^\\S+ \\S+ |@.*", ""))
            .filter(name -> name.matches("_?ibv_.*"))
            .collect(Collectors.toSet());
    }
}
