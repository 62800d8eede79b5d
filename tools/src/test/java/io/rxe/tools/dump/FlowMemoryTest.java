package io.rxe.tools.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.CaptureWriter;
import io.rxe.capture.Direction;
import io.rxe.capture.LinkType;
import io.rxe.capture.RoceFrameWriter;
import io.rxe.port.Flow;
import io.rxe.tools.ChildRun;
import io.rxe.tools.Run;
import io.rxe.tools.cli.ExitStatus;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("rxe dump --flow, on captures larger than its heap")
class FlowMemoryTest {
    private static final Gid LEFT = Gid.parse("10.0.0.1");
    private static final Gid RIGHT = Gid.parse("10.0.0.2");
    private static final int FRAMES = 300_000;
    private static final int RUN = 10;
    private static final int PAYLOAD_BYTES = 64;

    @Test
    void neitherTheDiagramNorTheStatisticsKeepThePackets(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("large.pcapng");
        write(file);
        assertTrue(Files.size(file) > 40 << 20, Files.size(file) + " bytes");
        try (ChildRun child = ChildRun.start(folder, List.of("-Xmx20m", "-XX:+UseSerialGC"), "dump", "--flow", file.toString())) {
            Run run = child.end();
            assertEquals(ExitStatus.OK, run.status(), run.err());
            assertTrue(run.out().contains("requests       " + String.format("%,d", FRAMES) + " packets"), "all requests are counted");
            String gaps = String.format("%,d", FRAMES / RUN - 1);
            assertTrue(run.out().contains("gaps           " + gaps + " of " + gaps + " packets; " + gaps + " not captured"), gaps);
            assertEquals(FRAMES / RUN, run.out().lines().filter(line -> line.contains("|SEND ")).count());
        }
    }

    /** One of {@code RUN + 1} packets is missing, so that the diagram has many lines. */
    private static void write(Path file) throws IOException {
        UnsafeBuffer packet = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
        UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(512));
        RoceFrameWriter header = new RoceFrameWriter(LEFT, RIGHT, 4791, 4791);
        Flow flow = new Flow(LEFT, RIGHT, 4791, 4791);
        Icrc icrc = new Icrc();
        int length = Bth.LENGTH + PAYLOAD_BYTES + Icrc.LENGTH;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
             CaptureWriter capture = new CaptureWriter(out, LinkType.ETHERNET, 0)) {
            for (int i = 0; i < FRAMES; i++) {
                Bth.write(packet, 0, Opcode.RC_SEND_MIDDLE, false, 0, 0x11, i % 2 == 0, i + i / RUN);
                Icrc.write(packet, length - Icrc.LENGTH, icrc.compute(packet, 0, length - Icrc.LENGTH, flow.icrcSeed(), true, i & 0xFFFF));
                int bytes = header.write(frame, 0, packet, 0, length, i & 0xFFFF);
                capture.write(1000L * i, Direction.UNKNOWN, null, frame, 0, bytes);
            }
        }
    }
}
