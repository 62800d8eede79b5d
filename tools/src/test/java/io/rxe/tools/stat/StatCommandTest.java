package io.rxe.tools.stat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.CountersView.QueuePairRow;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.net.observe.CounterFile;
import io.rxe.tools.Main;
import io.rxe.tools.stat.ProcessSnapshot.DeviceCounter;
import io.rxe.tools.stat.ProcessSnapshot.DeviceSnapshot;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatCommandTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private static String run(int expectedStatus, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        assertEquals(expectedStatus, status, out + "\n" + err);
        return out + err.toString();
    }

    private static QueuePairRow row(int number, Gid peer, long sent, boolean open) {
        Map<String, Long> cells = new LinkedHashMap<>();
        cells.put("state", 3L);
        cells.put("next_psn", 0x123456L);
        cells.put("acked_psn", 0x123450L);
        cells.put("expected_psn", 0xABCDEFL);
        cells.put("outstanding", 6L);
        cells.put("retries_left", 7L);
        cells.put("rnr_retries_left", 5L);
        cells.put("round_trip_ns", 31_415L);
        cells.put("window_bytes", 172_000L);
        cells.put("rate_bits_per_second", 9_410_000_000L);
        cells.put("round_trip_min_ns", 12_100L);
        cells.put("sent_pkts", sent);
        cells.put("rcvd_pkts", 10L);
        cells.put("retransmitted_pkts", 42L);
        cells.put("np_ecn_marked_roce_packets", 12L);
        cells.put("np_cnp_sent", 3L);
        cells.put("rp_cnp_handled", 4L);
        return new QueuePairRow(open, number, 0, Gid.parse("10.0.0.1"), 4791, 0, peer, 0xFEDCBA, 1, cells);
    }

    private static ProcessSnapshot process(long takenNs, boolean running, long sent, List<QueuePairRow> rows) {
        Map<DeviceCounter, Long> counters = new LinkedHashMap<>();
        counters.put(new DeviceCounter(CounterLayout.TYPE_NIC, "sent_pkts"), sent);
        counters.put(new DeviceCounter(CounterLayout.TYPE_NIC, "retransmitted_pkts"), 42L);
        counters.put(new DeviceCounter(CounterLayout.TYPE_NIC, "rcvd_seq_err"), 0L);
        counters.put(new DeviceCounter(CounterLayout.TYPE_DROP, "bad_icrc"), 3L);
        counters.put(new DeviceCounter(CounterLayout.TYPE_NET, "sent_frames"), 640L);
        counters.put(new DeviceCounter(CounterLayout.TYPE_NET, "send_calls"), 100L);
        return new ProcessSnapshot(4711, "rxe loopback " + "--option ".repeat(20), running, 1000, 0, takenNs,
            List.of(new DeviceSnapshot(Gid.parse("10.0.0.1"), 4791, 1, false, counters, rows)));
    }

    private static void assertNarrow(String text) {
        text.lines().forEach(line -> assertTrue(line.length() <= 80, line.length() + ": " + line));
    }

    @Test
    void aProcessIsShownWithRatesIn80Columns() {
        Gid peer = Gid.parse("192.168.100.200");
        ProcessSnapshot before = process(0, true, 1000, List.of(row(0x11, peer, 100, true)));
        ProcessSnapshot now = process(2 * SECOND_NS, true, 5_001_000, List.of(row(0x11, peer, 2_000_100, true)));
        String text = StatText.of(now, before, false, 20);
        assertNarrow(text);
        List<String> lines = text.lines().map(line -> line.replaceAll(" +", " ").strip()).toList();
        assertTrue(lines.contains("sent 5,001,000 0 B 2.50M 0 B"), text);
        assertTrue(lines.contains("000011 RC RTS 192.168.100.200 fedcba 6 7/5 31.4us 1.00M 0"), text);
        assertTrue(lines.contains("psn next 123456 acked 123450 expected abcdef window 0 held 0"), text);
        assertTrue(lines.contains("events retransmitted_pkts 42"), text);
        assertTrue(lines.contains("path window 172 kB rate 9.41Gbit/s RTT at least 12.1us"), text);
        assertTrue(lines.contains("retransmitted_pkts 42, np_ecn_marked_roce_packets 12,"), text);
        assertTrue(lines.contains("np_cnp_sent 3, rp_cnp_handled 4"), text);
        assertTrue(lines.contains("drops bad_icrc 3"), text);
        assertTrue(text.contains("batches  sent 6.4 frames a call"), text);
    }

    @Test
    void aPathWithoutPaceOrRoundTripSaysSo() {
        QueuePairRow row = row(0x11, null, 10, true);
        row.cells().putAll(Map.of("rate_bits_per_second", 0L, "round_trip_min_ns", 0L));
        String text = StatText.of(process(0, true, 10, List.of(row)), null, false, 20);
        assertTrue(text.contains("path window 172 kB  rate unpaced  RTT at least -"), text);
        row.cells().put("window_bytes", 0L);
        assertFalse(StatText.of(process(0, true, 10, List.of(row)), null, false, 20).contains("path"), "no path, no line");
    }

    @Test
    void aQueuePairCreatedBetweenTwoSamplesHasNoRate() {
        ProcessSnapshot before = process(0, true, 0, List.of());
        ProcessSnapshot now = process(SECOND_NS, true, 10, List.of(row(0x11, null, 10, true)));
        String text = StatText.of(now, before, false, 20);
        assertTrue(text.lines().anyMatch(line -> line.matches("  000011 RC   RTS   - .* 31.4us       -       -")), text);
    }

    @Test
    void bothSidesOfAnXrcConnectionAreNamed() {
        QueuePairRow plain = row(0x11, null, 10, true);
        List<QueuePairRow> rows = new ArrayList<>();
        for (QueuePairType type : List.of(QueuePairType.XRC_SEND, QueuePairType.XRC_RECV)) {
            rows.add(new QueuePairRow(true, 0x11 + type.ordinal(), type.ordinal(), plain.device(), 4791, 0, null, 0, 1, plain.cells()));
        }
        String text = StatText.of(process(0, true, 10, rows), null, false, 20);
        assertTrue(text.contains("  000014 XINI RTS"), text);
        assertTrue(text.contains("  000015 XTGT RTS"), text);
        assertTrue(text.lines().anyMatch(line -> line.contains("XINI") && line.contains(" 7/5 ")), text);
        assertTrue(text.lines().anyMatch(line -> line.contains("XTGT") && !line.contains("7/5")), text);
    }

    @Test
    void aLongPeerAddressGetsALineOfItsOwn() {
        String text = StatText.of(process(0, true, 10, List.of(row(0x11, Gid.parse("2001:db8:1234:5678:9abc:def0:1234:5678"),
            10, true))), null, false, 20);
        assertNarrow(text);
        assertTrue(text.contains("peer 2001:db8:1234:5678:9abc:def0:1234:5678 fedcba"), text);
    }

    @Test
    void theBusiestQueuePairsComeFirstAndTheRestIsCounted() {
        List<QueuePairRow> rows = new ArrayList<>();
        for (int number = 1; number <= 30; number++) {
            rows.add(row(number, null, number, true));
        }
        rows.add(row(99, null, 500, false));
        String text = StatText.of(process(0, true, 10, rows), null, false, 3);
        List<String> shown = text.lines().filter(line -> line.matches("  [0-9a-f]{6} .*"))
            .map(line -> line.substring(2, 8)).toList();
        assertEquals(List.of("00001e", "00001d", "00001c"), shown);
        assertTrue(text.contains("and 27 more queue pairs (--all), 1 closed ones (--closed)"), text);
    }

    @Test
    void anEndedProcessShowsItsLastQueuePairs() {
        String text = StatText.of(process(0, false, 10, List.of(row(0x63, null, 500, false))), null, false, 20);
        assertTrue(text.contains("ended without close, started"), text);
        assertTrue(text.contains("  000063 RC   gone"), text);
    }

    @Test
    void aRunningProcessIsFoundByIdWithAllCountersInTheJson() throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"));
        try (RxeNic nic = RxeNic.open(options)) {
            CompletionQueue queue = nic.device().createCompletionQueue(16);
            QueuePair queuePair = nic.device().allocateProtectionDomain()
                .createQueuePair(QueuePairConfig.of(QueuePairType.UD, queue, queue));
            String pid = Long.toString(ProcessHandle.current().pid());
            String text = run(0, "stat", pid, "--interval", "0", "--all");
            assertTrue(text.contains("device 127.0.0.1 UDP " + options.udpPort() + ", 1 engine"), text);
            assertTrue(text.contains(String.format("  %06x UD   RESET", queuePair.number())), text);
            assertNarrow(text);
            String json = run(0, "stat", pid, "--json", "-");
            int own = json.indexOf("\"qpn\": " + queuePair.number());
            assertFalse(json.substring(own, json.indexOf('}', own)).contains("icrc_full"), "only the device counts ICRCs: " + json);
            for (String name : List.of("\"sent_pkts\": 0", "\"drop_bad_icrc\": 0", "\"socket_sent_frames\": 0",
                "\"qpn\": " + queuePair.number(), "\"transport\": \"UD\"", "\"running\": true")) {
                assertTrue(json.contains(name), name + " in " + json);
            }
        }
    }

    @Test
    @DisplayName("a process with a file for each of its class loaders is shown with the devices of both")
    void theFilesOfOneProcessAreShownTogether(@TempDir Path folder) throws Exception {
        int port = FreePorts.udp("127.0.0.1");
        RxeNic.open(RxeNicOptions.defaults("127.0.0.1").withUdpPort(port)).close();
        String pid = Long.toString(ProcessHandle.current().pid());
        Files.copy(CounterFile.ofProcess().path(), folder.resolve(pid + ".counters"));
        Files.copy(CounterFile.ofProcess().path(), folder.resolve(pid + ".2.counters"));
        String text = run(0, "stat", pid, "--interval", "0", "--closed", "--folder", folder.toString());
        assertEquals(3, text.split("device 127.0.0.1 UDP " + port + ",", -1).length, text);
    }

    @Test
    @DisplayName("an address means the process that has it, not the peer that was told it")
    void thePeerOfAnAddressIsNotShown(@TempDir Path folder) throws Exception {
        String address = "127.0.0.131";
        RxeNic.open(RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"))).close();
        ByteBuffer peer = ByteBuffer.wrap(Files.readAllBytes(CounterFile.ofProcess().path())).order(ByteOrder.nativeOrder());
        byte[] command = ("rping -c -a " + address).getBytes(UTF_8);
        peer.putLong(CounterLayout.PROCESS_ID_OFFSET, 77).putInt(CounterLayout.COMMAND_LENGTH_OFFSET, command.length)
            .position(CounterLayout.COMMAND_OFFSET).put(command);
        Files.write(folder.resolve("77.counters"), peer.array());
        RxeNic.open(RxeNicOptions.defaults(address).withUdpPort(FreePorts.udp(address))).close();
        Files.copy(CounterFile.ofProcess().path(), folder.resolve("1.counters"));
        String json = run(0, "stat", address, "--json", "-", "--folder", folder.toString());
        assertTrue(json.contains("\"pid\": " + ProcessHandle.current().pid()) && !json.contains("rping"), json);
        assertTrue(run(0, "stat", "rping", "--json", "-", "--folder", folder.toString()).contains("\"pid\": 77"));
    }

    @Test
    void whatFaultsAndExpectationsCountIsShownByTheirWords() throws Exception {
        VerbsFaultSpec spec = VerbsFaultSpec.parse("create_cq: ENOMEM nth 1; alloc_pd: ENOMEM nth 7")
            .and(VerbsFaultSpec.script(List.of("expect established within 60s")));
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1"))
            .withVerbsFault(spec.faults(1));
        RxeNic nic = RxeNic.open(options);
        assertThrows(IllegalStateException.class, () -> nic.device().createCompletionQueue(16));
        nic.close();
        String pid = Long.toString(ProcessHandle.current().pid());
        String text = run(0, "stat", pid, "--interval", "0", "--closed");
        assertTrue(text.contains("    faults   1 of create_cq: ENOMEM nth 1\n    faults   0 of alloc_pd: ENOMEM nth 7\n"
            + "    faults   0 of expect ESTABLISHED within 60000 ms, line 1\n"), text);
        assertTrue(run(0, "stat", pid, "--json", "-").contains("\"verbs_fault create_cq: ENOMEM nth 1\": 1"), text);
    }

    @Test
    void aProcessWithoutCountersIsReportedWithARemedy(@TempDir Path folder) throws Exception {
        assertTrue(run(1, "stat", "1", "--folder", folder.toString()).contains("`rxe stat` lists those that have"));
        assertTrue(run(1, "stat", "no-such-name", "--folder", folder.toString()).contains("no-such-name has counters"));
        assertTrue(run(0, "stat", "x", "--watch", "--count", "1", "-i", "0", "--folder", folder.toString())
            .contains("the name or address x"));
        assertTrue(run(0, "stat", "--folder", folder.toString()).contains("no rxe process of this user is running"));
        Files.writeString(folder.resolve("77.counters"), "not that");
        assertTrue(run(1, "stat", "77", "--folder", folder.toString()).contains("no counter file"));
        assertTrue(run(2, "stat", "--count", "3").contains("--watch"));
    }

    @Test
    void unitsAreShortAtEverySize() {
        assertEquals("0 B", StatUnits.bytes(0));
        assertEquals("999 B", StatUnits.bytes(999));
        assertEquals("1.00 kB", StatUnits.bytes(1000));
        assertEquals("99.9 MB", StatUnits.bytes(99_900_000));
        assertEquals("999 GB", StatUnits.bytes(999_400_000_000.0));
        assertEquals("1.00 TB", StatUnits.bytes(999_600_000_000.0));
        assertEquals("12.3k", StatUnits.rate(12_345));
        assertEquals("4.10s", StatUnits.time(4_096_000_000.0));
        assertEquals("-", StatUnits.ratio(1, 0));
    }
}
