package io.rxe.tools.dump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.port.EcnOptions;
import io.rxe.tools.Run;
import io.rxe.wire.Aeth;
import io.rxe.wire.Bth;
import io.rxe.wire.Ecn;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A mark and the CNPs it causes, as rxe dump and tshark show them")
class DumpNotificationTest {
    private static final int SECONDS = 120;
    private static final Gid LEFT = Gid.parse("10.0.0.1");
    private static final Gid RIGHT = Gid.parse("10.0.0.2");

    @TempDir
    private Path folder;
    private final UnsafeBuffer packet = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(512));
    private long nowNs;

    /** Two SENDs, the second marked, an ACK and two CNPs. */
    private Path capture() throws IOException {
        Path file = folder.resolve("marked.pcapng");
        try (CaptureWriter writer = new CaptureWriter(Files.newOutputStream(file), LinkType.ETHERNET, 0)) {
            write(writer, true, Opcode.RC_SEND_ONLY, 10, Ecn.CAPABLE);
            write(writer, true, Opcode.RC_SEND_ONLY, 11, Ecn.CONGESTION_EXPERIENCED);
            write(writer, false, Opcode.RC_ACKNOWLEDGE, 11, 0);
            write(writer, false, Opcode.CNP, 0, EcnOptions.ON.cnpTrafficClass());
            write(writer, false, Opcode.CNP, 0, EcnOptions.ON.cnpTrafficClass());
        }
        return file;
    }

    private void write(CaptureWriter writer, boolean toRight, Opcode opcode, int psn, int trafficClass) throws IOException {
        packet.setMemory(0, packet.capacity(), (byte) 0);
        Bth.write(packet, 0, opcode, false, 0, toRight ? 0x22 : 0x11, toRight, psn);
        if (opcode.isNotification()) {
            Bth.notifyBackward(packet, 0);
        } else if (opcode.isAck()) {
            Aeth.write(packet, opcode.aethOffset(), 0x1F, 2);
        }
        int covered = opcode.headerLength() + (opcode.hasPayload() && !opcode.isAck() ? 8 : 0);
        Gid from = toRight ? LEFT : RIGHT;
        Gid to = toRight ? RIGHT : LEFT;
        Icrc.write(packet, covered, new Icrc().compute(packet, 0, covered, Icrc.seed(from, to, 4791, 4791), true, 0));
        int length = new RoceFrameWriter(from, to, 4791, 4791).trafficClass(trafficClass).write(frame, 0, packet, 0,
            covered + Icrc.LENGTH, 0);
        writer.write(nowNs += 1000, Direction.OUTBOUND, null, frame, 0, length);
    }

    @Test
    void dumpNamesThem() throws IOException {
        List<String> lines = Run.of("dump", capture().toString()).out().lines().toList();
        assertFalse(lines.get(0).contains(" CE "), lines.get(0));
        assertTrue(lines.get(1).endsWith("payload 8  CE  icrc ok"), lines.get(1));
        assertTrue(lines.get(3).contains("10.0.0.2 > 10.0.0.1  CNP qpn 0x11 psn 000000 BECN"), lines.get(3));
        assertTrue(lines.get(3).endsWith("  icrc ok"), lines.get(3));
        assertTrue(Run.of("dump", "-v", capture().toString()).out().contains(" tos 0xc0 "), "DSCP 48");
    }

    @Test
    void theFlowCountsThem() throws IOException {
        String text = Run.of("dump", "--flow", "-v", capture().toString()).out();
        assertTrue(text.contains("- CNP (2)|"), text);
        assertTrue(text.contains("    congestion     2 CNPs say that routers marked what this side sent\n"), text);
        assertTrue(text.contains("amplification  1.00"), text);
        assertTrue(text.contains("gaps           0 of 0 packets"), text);
    }

    @Test
    @DisplayName("tshark knows the opcode, the DSCP and the mark, and finds nothing malformed; skipped where it is not installed")
    void tsharkReadsThem() throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(one ->
            Files.isExecutable(Path.of(one, "tshark"))), "tshark is not installed (apt-get install tshark --no-install-recommends)");
        Path capture = capture();
        assertEquals(List.of("4\t0x02", "4\t0x03", "17\t0x00", "129\t0xc0", "129\t0xc0"),
            tshark(capture, "-T", "fields", "-e", "infiniband.bth.opcode", "-e", "ip.dsfield"));
        assertEquals(List.of(), tshark(capture, "--disable-protocol", "rpcordma", "-Y", "_ws.malformed"));
        assertEquals(2, tshark(capture, "-Y", "infiniband.bth.opcode == 0x81").size());
        assertEquals(1, tshark(capture, "-Y", "ip.dsfield.ecn == 3").size());
    }

    private List<String> tshark(Path capture, String... options) throws Exception {
        Path out = folder.resolve("tshark.out");
        List<String> command = Stream.concat(Stream.of("tshark", "-n", "-r", capture.toString()), Stream.of(options)).toList();
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile())
            .redirectError(folder.resolve("tshark.err").toFile()).start();
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "tshark ends");
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve("tshark.err"), UTF_8));
        return Files.readAllLines(out, UTF_8);
    }
}
