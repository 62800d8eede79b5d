package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.counters.NicCounter;
import io.rxe.port.EcnOptions;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Ecn;
import io.rxe.wire.Opcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two NICs in a network namespace whose loopback interface cuts batches before tcpdump sees them. For a million packets:
 * {@code mvn -o test -pl rxe-net -am -Dtest=TrafficClassWireTest -Drxe.class.packets=1000000 -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@DisplayName("DSCP and ECN of each packet, as tshark reads them")
class TrafficClassWireTest {
    private static final int CLASSES = 8;
    private static final int BYTES = 60_000;
    private static final int PACKETS = Integer.getInteger("rxe.class.packets", 20_000);
    private static final int CNP_CLASS = EcnOptions.ON.cnpTrafficClass();
    private static final int MARKED_OF = 16;

    @Test
    void everyPacketOfEightClasses(@TempDir Path folder) throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "needs root for a network namespace");
        assumeTrue(Stream.of("ip", "tcpdump", "tshark").allMatch(TrafficClassWireTest::isInstalled),
            "needs ip, tcpdump and tshark");
        String space = "rxe-run-" + ProcessHandle.current().pid() + "-class";
        Path capture = folder.resolve("wire.pcap");
        run("ip", "netns", "add", space);
        try {
            run("ip", "-n", space, "link", "set", "lo", "up");
            run("ip", "-n", space, "link", "set", "lo", "gso_max_segs", "1");
            compare(capture, captured(space, capture));
        } finally {
            run("ip", "netns", "delete", space);
        }
    }

    /** Runs {@link #main} in a namespace, and returns what it prints: numbers of queue pairs and their classes, then counters. */
    private static List<String> captured(String space, Path capture) throws Exception {
        Process tcpdump = new ProcessBuilder("ip", "netns", "exec", space, "tcpdump", "-i", "lo", "-s", "96", "-B", "262144", "-U", "-w",
            capture.toString(), "udp dst port 4791").start();
        try (BufferedReader messages = reader(tcpdump.getErrorStream())) {
            String line = messages.readLine();
            while (line != null && !line.contains("listening on")) {
                line = messages.readLine();
            }
            List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", space,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--add-exports",
                "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                TrafficClassWireTest.class.getName(), Integer.toString(PACKETS)));
            List<String> printed = run(command.toArray(new String[0])).lines().toList();
            awaitWritten(capture);
            tcpdump.toHandle().destroy();
            String summary = messages.lines().reduce("", (one, next) -> one + " " + next);
            assertTrue(summary.contains(" 0 packets dropped by kernel"), summary);
            return printed;
        } finally {
            tcpdump.destroyForcibly();
        }
    }

    /** What tcpdump has not read yet when it is told to end is lost. */
    private static void awaitWritten(Path capture) throws Exception {
        long before = -1;
        while (Files.size(capture) != before) {
            before = Files.size(capture);
            Thread.sleep(1000);
        }
    }

    private static void compare(Path capture, List<String> printed) throws IOException {
        Map<Integer, Integer> classes = new HashMap<>();
        for (String line : printed.subList(0, 2 * CLASSES)) {
            classes.put(Integer.decode(line.split(" ")[0]), Integer.decode(line.split(" ")[1]));
        }
        assertEquals(2 * CLASSES, classes.size(), printed.toString());
        Process tshark = new ProcessBuilder("tshark", "-n", "-r", capture.toString(), "-T", "fields", "-e", "ip.dsfield", "-e",
            "infiniband.bth.opcode", "-e", "infiniband.bth.destqp").redirectError(ProcessBuilder.Redirect.DISCARD).start();
        long packets = 0;
        long marked = 0;
        long notifications = 0;
        Map<Integer, Integer> seen = new HashMap<>();
        try (BufferedReader lines = reader(tshark.getInputStream())) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split("\t");
                int trafficClass = Integer.decode(fields[0]);
                Opcode opcode = Opcode.of(Integer.decode(fields[1]));
                int dscp = opcode == Opcode.CNP ? CNP_CLASS : classes.get(Integer.decode(fields[2]));
                assertEquals(dscp, trafficClass & ~Ecn.MASK, line);
                int ecn = trafficClass & Ecn.MASK;
                assertTrue(opcode.hasPayload() ? ecn >= Ecn.CAPABLE : ecn == 0, line);
                seen.merge(dscp, 1, Integer::sum);
                marked += ecn == Ecn.CONGESTION_EXPERIENCED ? 1 : 0;
                notifications += opcode == Opcode.CNP ? 1 : 0;
                packets++;
            }
        }
        assertEquals(CLASSES + 1, seen.size(), seen.toString());
        assertTrue(packets >= PACKETS, packets + " packets");
        assertEquals(printed.get(2 * CLASSES), packets + " packets, " + marked + " marked, " + notifications + " CNPs");
        System.out.println(packets + " packets, " + marked + " marked, " + notifications + " CNPs; by class " + seen);
    }

    /** In the namespace: eight queue pairs, each with a class of its own, write and read until so many packets were sent. */
    public static void main(String[] arguments) throws IOException {
        int wanted = Integer.parseInt(arguments[0]);
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withEcn(EcnOptions.ON).withCounterFile(false);
        AtomicInteger marks = new AtomicInteger();
        RxeNic one = RxeNic.open(options.withFault((inner, counters) -> new MarkingRouter(inner, batch -> batch % MARKED_OF == 0, marks)));
        RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"));
        List<QueuePairLink> links = new ArrayList<>();
        List<QueuePairLink> peers = new ArrayList<>();
        for (int i = 0; i < CLASSES; i++) {
            int trafficClass = 28 * i;
            links.add(new QueuePairLink(one.device(), 2 * BYTES));
            peers.add(new QueuePairLink(two.device(), 2 * BYTES));
            QueuePairLink.connect(links.get(i), peers.get(i), PathMtu.MTU_1024, trafficClass);
            System.out.println(links.get(i).queuePair.number() + " " + trafficClass);
            System.out.println(peers.get(i).queuePair.number() + " " + trafficClass);
        }
        while (count(one, NicCounter.SENT_PKTS) + count(two, NicCounter.SENT_PKTS) < wanted) {
            exchange(links, peers);
        }
        one.close();
        two.close();
        System.out.println(count(one, NicCounter.SENT_PKTS) + count(two, NicCounter.SENT_PKTS) + " packets, " + marks + " marked, "
            + (count(one, NicCounter.NP_CNP_SENT) + count(two, NicCounter.NP_CNP_SENT)) + " CNPs");
    }

    private static void exchange(List<QueuePairLink> links, List<QueuePairLink> peers) {
        for (int i = 0; i < CLASSES; i++) {
            MemoryRegion far = peers.get(i).region;
            MemoryRegion near = links.get(i).region;
            links.get(i).queuePair.postSend(new WorkRequest().id(1).write(far.address(), far.rKey()).add(near, 0, BYTES));
            links.get(i).queuePair.postSend(new WorkRequest().id(2).read(far.address(), far.rKey()).add(near, BYTES, BYTES));
        }
        for (QueuePairLink link : links) {
            link.complete();
            link.complete();
        }
    }

    private static long count(RxeNic nic, NicCounter counter) {
        return nic.core().counter(counter);
    }

    private static BufferedReader reader(InputStream in) {
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    private static boolean isInstalled(String tool) {
        return Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin").anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> String.join(" ", command));
        return output;
    }
}
