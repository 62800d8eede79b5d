package io.rxe.capture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class CaptureWriterTest {
    @Test
    void theBytesAreThoseOfTheFormat() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CaptureWriter writer = new CaptureWriter(bytes, LinkType.ETHERNET, 0)) {
            writer.write(0x0000000100000002L, Direction.OUTBOUND, "hi", new UnsafeBuffer(new byte[] {0, 1, 2, 3, 4}), 1, 3);
            writer.write(3, Direction.UNKNOWN, null, new UnsafeBuffer(new byte[] {9}), 0, 1);
        }
        String expected = "0a0d0d0a" + "1c000000" + "4d3c2b1a" + "01000000" + "ffffffffffffffff" + "1c000000"
            + "01000000" + "20000000" + "01000000" + "00000000" + "09000100" + "09000000" + "00000000" + "20000000"
            + "06000000" + "38000000" + "00000000" + "01000000" + "02000000" + "03000000" + "03000000" + "01020300"
            + "02000400" + "02000000" + "01000200" + "68690000" + "00000000" + "38000000"
            + "06000000" + "24000000" + "00000000" + "00000000" + "03000000" + "01000000" + "01000000" + "09000000" + "24000000";
        assertEquals(expected, HexFormat.of().formatHex(bytes.toByteArray()));
    }

    @Test
    void aGoldenCaptureIsReadBackEqual() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CaptureWriter writer = new CaptureWriter(bytes, LinkType.ETHERNET, 0)) {
            for (GoldenFrame frame : GoldenCaptures.open("rc_pingpong")) {
                String comment = frame.number() % 2 == 0 ? frame.toString() : null;
                Direction direction = Direction.values()[frame.number() % 3];
                byte[] frameBytes = frame.record().bytes();
                writer.write(frame.record().timestampNs(), direction, comment, frame.buffer(), 0, frameBytes.length);
            }
            writer.flush();
        }
        try (CaptureReader reader = new CaptureReader(new ByteArrayInputStream(bytes.toByteArray()))) {
            for (GoldenFrame frame : GoldenCaptures.open("rc_pingpong")) {
                CaptureRecord record = reader.read();
                assertEquals(frame.record().timestampNs(), record.timestampNs());
                assertArrayEquals(frame.record().bytes(), record.bytes());
                assertEquals(record.bytes().length, record.originalLength());
                assertEquals(LinkType.ETHERNET, record.linkType());
                assertEquals(Direction.values()[frame.number() % 3], record.direction());
                assertEquals(frame.number() % 2 == 0 ? frame.toString() : null, record.comment());
            }
            assertNull(reader.read());
        }
    }

    @Test
    void theDescriptionOfTheInterfaceNamesTheUdpPort() throws IOException {
        for (int port : new int[] {0, 4791, 65_535}) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (CaptureWriter writer = new CaptureWriter(bytes, LinkType.RAW_IP, port)) {
                writer.write(1, Direction.INBOUND, null, new UnsafeBuffer(new byte[8]), 0, 8);
            }
            assertEquals(port != 0, bytes.toString(ISO_8859_1).contains("RoCEv2 on UDP port " + port));
            try (CaptureReader reader = new CaptureReader(new ByteArrayInputStream(bytes.toByteArray()))) {
                assertEquals(port, reader.read().udpPort());
            }
        }
    }

    @Test
    void framesAndCommentsLargerThanTheFirstBufferAreWritten() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        UnsafeBuffer frame = new UnsafeBuffer(new byte[20_000]);
        frame.setMemory(0, 20_000, (byte) 7);
        try (CaptureWriter writer = new CaptureWriter(bytes, LinkType.RAW_IP, 0)) {
            writer.write(1, Direction.INBOUND, "x".repeat(70_000), frame, 0, 20_000);
        }
        try (CaptureReader reader = new CaptureReader(new ByteArrayInputStream(bytes.toByteArray()))) {
            CaptureRecord record = reader.read();
            assertEquals(frame, new UnsafeBuffer(record.bytes()));
            assertEquals("x".repeat(65_532), record.comment());
            assertNull(reader.read());
        }
    }
}
