package io.rxe.tools.dump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.port.Flow;
import io.rxe.tools.Run;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import io.rxe.wire.Transport;
import io.rxe.wire.XrcEth;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A capture with one packet of each XRC opcode, as rxe dump prints it and as tshark names it. */
class DumpXrcTest {
    private static final int SECONDS = 120;
    private static final String TSHARK_PREFIX = "Extended Reliable Connection (XRC) - ";
    private static final List<Opcode> OPCODES = Arrays.stream(Opcode.values()).filter(one -> one.transport() == Transport.XRC).toList();

    private static Path capture(Path folder) throws IOException {
        Gid left = Gid.parse("10.0.0.1");
        Gid right = Gid.parse("10.0.0.2");
        Flow flow = new Flow(left, right, 4791, 4791);
        RoceFrameWriter header = new RoceFrameWriter(left, right, flow.sourcePort(), flow.destinationPort());
        UnsafeBuffer packet = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
        UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(512));
        Icrc icrc = new Icrc();
        Path file = folder.resolve("xrc.pcapng");
        try (CaptureWriter writer = new CaptureWriter(Files.newOutputStream(file), LinkType.ETHERNET, 0)) {
            for (Opcode opcode : OPCODES) {
                packet.setMemory(0, packet.capacity(), (byte) 0);
                Bth.write(packet, 0, opcode, false, 0, 0x11, true, opcode.code());
                if (opcode.hasXrcEth()) {
                    XrcEth.write(packet, opcode.xrcEthOffset(), 0xABC000 + opcode.code());
                }
                int covered = opcode.headerLength() + (opcode.hasPayload() ? 8 : 0);
                Icrc.write(packet, covered, icrc.compute(packet, 0, covered, flow.icrcSeed(), true, 0));
                int length = header.write(frame, 0, packet, 0, covered + Icrc.LENGTH, 0);
                writer.write(opcode.code(), Direction.OUTBOUND, null, frame, 0, length);
            }
        }
        return file;
    }

    @Test
    void everyRequestShowsItsSharedReceiveQueue(@TempDir Path folder) throws IOException {
        List<String> lines = Run.of("dump", capture(folder).toString()).out().lines()
            .filter(line -> line.contains(" XRC_") && line.contains(" qpn ")).toList();
        assertEquals(OPCODES.size(), lines.size(), lines::toString);
        for (int i = 0; i < lines.size(); i++) {
            Opcode opcode = OPCODES.get(i);
            assertTrue(lines.get(i).contains(opcode.name() + " qpn 0x11"), lines.get(i));
            assertEquals(opcode.isRequest(), lines.get(i).contains(" srqn 0x" + Integer.toHexString(0xABC000 + opcode.code())),
                lines.get(i));
        }
    }

    @Test
    @DisplayName("tshark gives each opcode that it knows the name that ours has; skipped where tshark is not installed")
    void tsharkNamesTheSameOperations(@TempDir Path folder) throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(one ->
            Files.isExecutable(Path.of(one, "tshark"))), "tshark is not installed (apt-get install tshark --no-install-recommends)");
        Path out = folder.resolve("tshark.out");
        Process process = new ProcessBuilder("tshark", "-n", "-V", "-r", capture(folder).toString()).redirectOutput(out.toFile())
            .redirectError(folder.resolve("tshark.err").toFile()).start();
        assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "tshark ends");
        List<String> names = new ArrayList<>();
        for (String line : Files.readAllLines(out, UTF_8)) {
            int at = line.indexOf(TSHARK_PREFIX);
            if (at >= 0) {
                names.add(line.substring(at + TSHARK_PREFIX.length(), line.lastIndexOf(" (")));
            }
        }
        // The annex that brought these two is newer than the opcodes of tshark 4.0.
        List<Opcode> known = OPCODES.stream().filter(opcode -> !opcode.isFlush() && !opcode.isAtomicWrite()).toList();
        assertTrue(names.size() >= known.size(), names::toString);
        for (int i = 0; i < known.size(); i++) {
            assertEquals(plain(known.get(i).name().substring("XRC_".length()).replace("COMPARE", "CMP")), plain(names.get(i)));
        }
    }

    private static String plain(String name) {
        return name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z]", "");
    }
}
