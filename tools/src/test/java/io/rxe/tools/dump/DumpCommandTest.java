package io.rxe.tools.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureReader;
import io.rxe.capture.CaptureRecord;
import io.rxe.capture.CaptureWriter;
import io.rxe.capture.LinkType;
import io.rxe.golden.GoldenCaptures;
import io.rxe.net.FreePorts;
import io.rxe.port.OwnThread;
import io.rxe.tools.ChildRun;
import io.rxe.tools.Main;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("rxe dump, on captures of kernel peers")
class DumpCommandTest {
    private static final String CORRUPTED = "cases/22e_badicrc";
    private static final int PCAP_HEADER_BYTES = 24;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int ETHERNET_BYTES = 14;

    @TempDir
    private Path directory;

    @Test
    void everyGoldenCaptureIsGood() throws IOException {
        int captures = 0;
        for (String name : GoldenCaptures.names()) {
            if (!CORRUPTED.equals(name)) {
                Run run = Run.of("dump", "-q", write(name, golden(name)).toString());
                assertEquals(ExitStatus.OK, run.status(), name + "\n" + run);
                assertTrue(run.out().contains(", bad 0"), name + "\n" + run);
                captures++;
            }
        }
        assertTrue(captures > 100, "only " + captures + " captures");
    }

    @Test
    void namesTheCorruptedFrame() throws IOException {
        Run run = Run.of("dump", "-q", write("corrupted", golden(CORRUPTED)).toString());
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertTrue(run.out().contains(", bad 1"), run.out());
        assertTrue(run.err().contains("bad ICRC in frame "), run.err());
    }

    @Test
    void namesTheFrameOfAFlippedBit() throws IOException {
        byte[] bytes = golden("rc_pingpong");
        int frame = 7;
        // A bit in the middle of the seventh frame, inside the packet.
        bytes[recordOffset(bytes, frame) + RECORD_HEADER_BYTES + ETHERNET_BYTES + 60] ^= 0x10;
        Path file = write("flipped", bytes);
        Run run = Run.of("dump", file.toString());
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertEquals("rxe dump: " + file + ": bad ICRC in frame 7\n", run.err());
        List<String> bad = run.out().lines().filter(line -> line.contains("ICRC BAD (is ")).toList();
        assertEquals(1, bad.size());
        assertTrue(bad.get(0).startsWith("     7 "), bad.get(0));
    }

    @Test
    @DisplayName("a picture that does not fit is an error, and no part of it is left")
    void noPartOfAPicture() throws Exception {
        Path picture = directory.resolve("cut.svg");
        try (ChildRun child = ChildRun.startLimited(directory, "-f 4", "dump", "--time-sequence", picture.toString(),
            write("capture", golden("rc_pingpong")).toString())) {
            Run run = child.end();
            assertEquals("rxe dump: cannot write the picture to " + picture + ": File too large; raise the limit on the size of a file"
                + " (ulimit -f)\n", run.err());
            assertEquals(ExitStatus.FAILED, run.status());
        }
        assertFalse(Files.exists(picture));
    }

    @Test
    @DisplayName("figures have the digits of ASCII, also in a country with others")
    void figuresOfEveryCountry() throws Exception {
        String file = write("capture", golden("write_loss5")).toString();
        try (ChildRun child = ChildRun.start(directory, List.of("-Duser.language=ar", "-Duser.country=EG"), "dump", "--flow", file)) {
            assertEquals(Run.of("dump", "--flow", file), child.end());
        }
    }

    @Test
    void printsOneLineForEachPacketThenTotals() throws IOException {
        Run run = Run.of("dump", write("capture", golden("rc_pingpong")).toString());
        List<String> lines = run.out().lines().toList();
        assertTrue(lines.get(0).matches(" +1 +0\\.000000  10\\.99\\.0\\.\\d > 10\\.99\\.0\\.\\d  RC_SEND_FIRST qpn 0x[0-9a-f]+ "
            + "psn [0-9a-f]{6} .*payload 1024  icrc ok"), lines.get(0));
        long frames = GoldenCaptures.open("rc_pingpong").size();
        assertEquals(frames, lines.stream().filter(line -> line.endsWith("  icrc ok")).count());
        assertTrue(lines.get(lines.size() - 1).matches(" *" + frames + "  RoCEv2 packets: ICRC good " + frames + ", bad 0.*"),
            lines.get(lines.size() - 1));
        assertEquals("", run.err());
    }

    @Test
    void showsTheIpHeaderWhenVerbose() throws IOException {
        String out = Run.of("dump", "-v", write("capture", golden("rc_pingpong_v6")).toString()).out();
        assertTrue(out.contains("ipv6 hop limit 64 class 0x00 udp "), out.substring(0, 400));
        assertTrue(out.contains("fd99::"), out.substring(0, 400));
    }

    @Test
    void quietPrintsTotalsOnly() throws IOException {
        String out = Run.of("dump", "--quiet", write("capture", golden("rdma_read")).toString()).out();
        assertFalse(out.contains("icrc ok"), out);
        assertTrue(out.contains("RC_RDMA_READ_REQUEST\n"), out);
    }

    @Test
    void showsATruncatedCaptureUpToItsEnd() throws IOException {
        byte[] bytes = golden("rc_pingpong");
        int end = recordOffset(bytes, 4) + 20;
        Run run = Run.of("dump", write("cut", Arrays.copyOf(bytes, end)).toString());
        assertEquals(ExitStatus.FAILED, run.status(), run.toString());
        assertEquals(3, run.out().lines().filter(line -> line.endsWith("icrc ok")).count());
        assertTrue(run.err().startsWith("rxe dump: "), run.err());
    }

    @Test
    void refusesAFileThatIsNotACapture() throws IOException {
        Run run = Run.of("dump", write("text", "hello, world".getBytes()).toString());
        assertEquals(ExitStatus.FAILED, run.status());
        assertTrue(run.err().contains("neither pcap nor pcapng"), run.err());
    }

    @Test
    void refusesACompressedCaptureWithTheRemedy() throws IOException {
        Run run = Run.of("dump", write("packed", new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0}).toString());
        assertEquals(ExitStatus.FAILED, run.status());
        assertTrue(run.err().contains("it is compressed: unpack it first with gunzip"), run.err());
    }

    @Test
    void namesLinkTypesThatItCannotDecode() throws IOException {
        byte[] bytes = golden("rc_pingpong");
        // The link type of the file.
        bytes[20] = 0;
        for (String option : new String[] {"-q", "--flow"}) {
            Run run = Run.of("dump", option, write("null", bytes).toString());
            assertEquals(ExitStatus.FAILED, run.status(), run.toString());
            assertTrue(run.out().contains("; 60 frames of other link types"), run.out());
            assertTrue(run.err().contains(": 60 frames of link type 0 (NULL, BSD loopback) cannot be decoded: rxe dump decodes Ethernet,"
                + " Linux cooked (what tcpdump -i any writes) and raw IP"), run.err());
        }
    }

    @Test
    void saysThatFramesWereCutByTheSnapLength() throws IOException {
        byte[] bytes = golden("rc_pingpong");
        Run headers = Run.of("dump", write("cut80", cut(bytes, 80)).toString());
        assertEquals(ExitStatus.OK, headers.status(), headers.toString());
        assertFalse(headers.out().contains("length_not_multiple_of_four"), headers.out());
        assertTrue(headers.out().lines().findFirst().orElse("").matches(".*  RC_SEND_FIRST qpn 0x[0-9a-f]+ psn [0-9a-f]{6}.* captured 38 of"
            + " 1040 bytes  icrc not captured"), headers.out());
        assertTrue(headers.err().matches("note: \\d+ frames captured in part, so that the ICRC cannot be checked: capture with a larger"
            + " snap length \\(tcpdump -s 0\\)\n"), headers.err());
        Run nothing = Run.of("dump", "-q", write("cut40", cut(bytes, 40)).toString());
        assertTrue(nothing.out().contains("0  RoCEv2 packets: ICRC good 0, bad 0; 60 frames cut before the packet"), nothing.out());
        Run flow = Run.of("dump", "--flow", write("cut80flow", cut(bytes, 80)).toString());
        assertTrue(flow.out().contains("connections: 1, 1 without anomalies"), flow.out());
    }

    /** The capture as it would be with this snap length. */
    private static byte[] cut(byte[] pcap, int snapBytes) {
        ByteBuffer in = ByteBuffer.wrap(pcap).order(ByteOrder.LITTLE_ENDIAN);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(pcap, 0, PCAP_HEADER_BYTES);
        int length;
        for (int at = PCAP_HEADER_BYTES; at < pcap.length; at += RECORD_HEADER_BYTES + length) {
            length = in.getInt(at + 8);
            int kept = Math.min(length, snapBytes);
            byte[] record = Arrays.copyOfRange(pcap, at, at + RECORD_HEADER_BYTES + kept);
            ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).putInt(8, kept);
            out.writeBytes(record);
        }
        return out.toByteArray();
    }

    @Test
    void decodesConnectionManagement() throws IOException {
        String file = write("cm", golden("rping_udaddy_cm")).toString();
        List<String> lines = Run.of("dump", "--qpn", "1", file).out().lines().toList();
        assertTrue(lines.get(0).endsWith(" payload 256  CM REQ id 0xb5527338 to TCP port 7174 of 10.99.0.2 from 10.99.0.3 port 55292 RC"
            + " qpn 0x1f psn 61a1fa mtu 1024 resources 1 depth 1 timeout 19 retry 7 rnr_retry 7  icrc ok"), lines.get(0));
        assertEquals(7, lines.stream().filter(line -> line.contains("  CM ")).count(), lines.toString());
        assertEquals(0, Run.of("dump", "--errors", file).out().lines().filter(line -> line.contains("CM")).count(), "nothing was refused");
    }

    @Test
    void showsRefusalsOfConnectionManagement() throws Exception {
        Path file = directory.resolve("refused.pcapng");
        String port = Integer.toString(FreePorts.udp("127.0.0.1", "127.0.0.2"));
        StringWriter err = new StringWriter();
        CompletableFuture<Integer> server = CompletableFuture.supplyAsync(() -> Main.run(new PrintWriter(Writer.nullWriter()),
            new PrintWriter(err), "rping", "-v", "-s", "-a", "127.0.0.1", "--udp-port", port), OwnThread::run);
        while (!server.isDone() && !err.toString().contains("listening on ")) {
            Thread.onSpinWait();
        }
        String[] client = {"rping", "-c", "-a", "127.0.0.1", "-I", "127.0.0.2", "-C", "1", "--udp-port", port, "--capture", file.toString(),
            "-p", "4242"};
        assertEquals(ExitStatus.FAILED, Run.of(client).status(), "nothing listens on port 4242");
        Run run = Run.of("dump", "--errors", file.toString());
        assertTrue(run.out().contains("  CM REJ id 0x"), run.toString());
        assertTrue(run.out().contains(" of REQ reason 8 (invalid service ID)"), run.toString());
        assertFalse(run.out().contains("CM REQ"), "a request is no error: " + run);
        client[client.length - 1] = "7174";
        assertEquals(ExitStatus.OK, Run.of(client).status());
        assertEquals(ExitStatus.OK, server.get(60, TimeUnit.SECONDS));
        Run all = Run.of("dump", "-v", file.toString());
        assertTrue(all.out().contains(" to TCP port 7174 of 127.0.0.1 from 127.0.0.2 port "), all.toString());
        assertTrue(all.out().contains("  CM DREQ id 0x"), all.toString());
    }

    @Test
    void readsAPipeTwiceForTheFlow() throws IOException {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(golden("write_loss5")));
        try {
            Run piped = Run.of("dump", "--flow", "-");
            assertEquals(Run.of("dump", "--flow", write("write_loss5", golden("write_loss5")).toString()).out(), piped.out());
            assertTrue(piped.out().contains("connections: 1, 0 without anomalies; 245 requests"), piped.out());
        } finally {
            System.setIn(before);
        }
    }

    @Test
    @DisplayName("a temporary folder that is missing is named, with the variable that every java reads; the input is not blamed")
    void namesTheTemporaryFolder() throws Exception {
        Path none = directory.resolve("none");
        try (ChildRun child = ChildRun.start(directory, List.of("-Djava.io.tmpdir=" + none), "dump", "--flow", "-")) {
            Run run = child.end();
            assertTrue(run.err().contains("rxe dump: cannot keep a copy of the pipe in " + none + " (there is no such folder): make room"
                + " there, or choose another folder with JDK_JAVA_OPTIONS=-Djava.io.tmpdir=DIR\n"), run.err());
        }
    }

    @Test
    @DisplayName("Ctrl-C ends who writes the pipe, too: what the pipe had is summed up")
    void sumsUpAtCtrlC() throws Exception {
        Path out = directory.resolve("out");
        long frames = GoldenCaptures.open("rc_pingpong").size();
        String script = "set -m; tail -c +1 -f " + write("capture", golden("rc_pingpong")) + " | \"$@\" dump - >" + out
            + " & until [ \"$(grep -c 'icrc ok' " + out + ")\" = " + frames + " ]; do kill -0 $! || { kill %1; exit 1; };"
            + " sleep 0.05; done; kill -INT %1; wait %1; echo status $?";
        Process process = new ProcessBuilder("env", "--default-signal=INT", "bash", "-c", script, "bash",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--add-opens",
            "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Main.class.getName())
            .redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        // 0 where it reads the end of the pipe, and ends, before Java takes the signal.
        assertTrue(output.endsWith("status 130\n") || output.endsWith("status 0\n"), output);
        String printed = Files.readString(out);
        assertTrue(printed.contains(frames + "  RoCEv2 packets: ICRC good " + frames + ", bad 0"), printed);
    }

    @Test
    void readsStandardInput() throws IOException {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(golden("ud_pingpong")));
        try {
            Run run = Run.of("dump", "-q", "-");
            assertEquals(ExitStatus.OK, run.status(), run.toString());
            assertTrue(run.out().contains("UD_SEND_ONLY\n"), run.out());
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void cutsABatchCapturedBeforeSegmentation() throws IOException {
        Run run = Run.of("dump", write("batch", batchOfMiddles()).toString());
        assertEquals(ExitStatus.OK, run.status(), run.toString());
        List<String> lines = run.out().lines().filter(line -> line.endsWith("icrc ok")).toList();
        assertEquals(3, lines.size(), run.out());
        assertTrue(lines.get(0).startsWith("   1/1 "), lines.get(0));
        assertTrue(lines.get(2).startsWith("   1/3 "), lines.get(2));
        assertTrue(run.out().contains("; 1 frame was a batch of packets"), run.out());
    }

    /** A capture may come from anybody: what a terminal would obey is not printed. */
    @Test
    void printsNoControlCharactersOfAComment() throws IOException {
        Path file = directory.resolve("comment.pcapng");
        try (CaptureReader reader = new CaptureReader(new ByteArrayInputStream(golden("rc_pingpong")));
             CaptureWriter writer = new CaptureWriter(Files.newOutputStream(file), LinkType.ETHERNET, 0)) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                writer.write(record.timestampNs(), record.direction(), "a\u001b[2Jb\r\u009bc", new UnsafeBuffer(record.bytes()), 0,
                    record.bytes().length);
            }
        }
        assertTrue(Run.of("dump", file.toString()).out().contains("  # a [2Jb  c\n"), () -> Run.of("dump", file.toString()).out());
    }

    /**
     * Three packets of a message in one datagram, as captured on the loopback interface: IDs 0, 1, 2, the last packet shorter.
     */
    private static byte[] batchOfMiddles() {
        int[] payloads = {1024, 1024, 100};
        BatchBuilder builder = new BatchBuilder(0x0A630002, 0x0A630003);
        for (int i = 0; i < payloads.length; i++) {
            builder.add(i == payloads.length - 1 ? 2 : 1, 100 + i, payloads[i]);
        }
        return builder.toPcap();
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(directory.resolve(name.replace('/', '_') + ".pcap"), bytes);
    }

    private static byte[] golden(String name) throws IOException {
        try (InputStream stream = GoldenCaptures.class.getResourceAsStream("/golden/" + name + ".pcap")) {
            return stream.readAllBytes();
        }
    }

    // The golden captures are little-endian pcap files.
    private static int recordOffset(byte[] pcap, int frame) {
        ByteBuffer buffer = ByteBuffer.wrap(pcap).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> offsets = new ArrayList<>();
        int offset = PCAP_HEADER_BYTES;
        while (offset < pcap.length) {
            offsets.add(offset);
            offset += RECORD_HEADER_BYTES + buffer.getInt(offset + 8);
        }
        return offsets.get(frame - 1);
    }

    @Test
    void filtersByQueuePairOpcodeAndErrors() throws IOException {
        String file = write("write_loss5", golden("write_loss5")).toString();
        Run errors = Run.of("dump", "--errors", file);
        assertEquals(ExitStatus.OK, errors.status(), errors.toString());
        assertEquals(2, errors.out().lines().filter(line -> line.contains("NAK PSN sequence error")).count(), errors.out());
        assertTrue(errors.out().contains("2  RoCEv2 packets: ICRC good 2"), errors.out());
        assertTrue(Run.of("dump", "--opcode", "acknowledge,write_first", file).out().contains("35  RoCEv2 packets"), "30 and 5");
        assertTrue(Run.of("dump", "--qpn", "0x13", "--opcode", "ack", file).out().contains("5  RoCEv2 packets"));
        assertTrue(Run.of("dump", "--qpn", "20", file).out().contains("0  RoCEv2 packets"));
        assertEquals(ExitStatus.USAGE, Run.of("dump", "--qpn", "0x1000000", file).status());
        assertEquals(ExitStatus.USAGE, Run.of("dump", "--flow", "--opcode", "ack", file).status());
        assertEquals(ExitStatus.USAGE, Run.of("dump", "--udp-port", "70000", file).status());
        Run unknown = Run.of("dump", "--opcode", "ack,foo", file);
        assertEquals(ExitStatus.USAGE, unknown.status(), unknown.toString());
        assertTrue(unknown.err().startsWith("rxe dump: --opcode foo is part of no opcode's name; these are made of ACKNOWLEDGE, "),
            unknown.err());
    }

    @Test
    void findsTheUdpPortOfOurCapturesAndSuggestsThatOfOthers() throws IOException {
        Path own = directory.resolve("own.pcapng");
        Path file = directory.resolve("other_port.pcapng");
        String port = Integer.toString(FreePorts.udp("127.0.0.1", "127.0.0.2"));
        assertEquals(ExitStatus.OK, Run.of("loopback", "--verify-only", "--sizes", "1", "--ops", "send", "--port", port, "--capture",
            own.toString()).status());
        Run named = Run.of("dump", "--flow", own.toString());
        assertTrue(named.out().contains("4  RoCEv2 packets: ICRC good 4, bad 0\n"), named.toString());
        assertTrue(named.out().contains("connections: 1,"), named.out());
        try (CaptureReader reader = new CaptureReader(Files.newInputStream(own));
             CaptureWriter writer = new CaptureWriter(Files.newOutputStream(file), LinkType.ETHERNET, 0)) {
            for (CaptureRecord record = reader.read(); record != null; record = reader.read()) {
                writer.write(record.timestampNs(), record.direction(), null, new UnsafeBuffer(record.bytes()), 0, record.bytes().length);
            }
        }
        Run withoutOption = Run.of("dump", "-q", file.toString());
        assertEquals(ExitStatus.OK, withoutOption.status(), withoutOption.toString());
        assertTrue(withoutOption.out().contains("0  RoCEv2 packets: ICRC good 0, bad 0; 4 other frames"), withoutOption.out());
        assertEquals("note: no packets to UDP port 4791; --udp-port " + port + " decodes packets to that port as RoCEv2\n",
            withoutOption.err());
        Run withOption = Run.of("dump", "--flow", "--udp-port", "4791," + port, file.toString());
        assertTrue(withOption.out().contains("4  RoCEv2 packets: ICRC good 4, bad 0\n"), withOption.out());
        assertTrue(withOption.out().contains("connections: 1,"), withOption.out());
        assertEquals("", withOption.err());
    }

    @Test
    void drawsConnectionsAndPrintsTotals() throws IOException {
        Run lossy = Run.of("dump", "--flow", write("write_loss5", golden("write_loss5")).toString());
        assertEquals(ExitStatus.OK, lossy.status(), lossy.toString());
        assertTrue(lossy.out().contains("R |WRITE"), lossy.out());
        assertTrue(lossy.out().contains("connections: 1, 0 without anomalies; 245 requests"), lossy.out());
        Run clean = Run.of("dump", "--flow", "--errors", write("rc_pingpong", golden("rc_pingpong")).toString());
        assertFalse(clean.out().contains("SEND df6d51"), clean.out());
        assertTrue(clean.out().contains("connections: 0"), clean.out());
        Run corrupted = Run.of("dump", "--flow", write("corrupted", golden(CORRUPTED)).toString());
        assertEquals(ExitStatus.FAILED, corrupted.status(), corrupted.toString());
        assertTrue(corrupted.out().contains("X |"), corrupted.out());
        assertTrue(corrupted.out().contains("bad ICRC"), corrupted.out());
    }
}
