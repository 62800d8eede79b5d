package io.rxe.tools.rping;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.golden.GoldenCaptures;
import io.rxe.golden.GoldenFrame;
import io.rxe.wire.Opcode;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The payload of rping, compared with a capture of two kernel peers")
class PingTextTest {
    private static List<byte[]> golden(Opcode opcode) {
        return GoldenCaptures.open("rping_udaddy_cm").stream().filter(frame -> frame.opcode() == opcode)
            .map(PingTextTest::payload).toList();
    }

    private static byte[] payload(GoldenFrame frame) {
        byte[] bytes = new byte[frame.payloadLength()];
        frame.buffer().getBytes(frame.offset() + frame.opcode().headerLength(), bytes);
        return bytes;
    }

    @Test
    void everyPingEqualsThatOfRping() {
        List<byte[]> read = golden(Opcode.RC_RDMA_READ_RESPONSE_ONLY);
        List<byte[]> written = golden(Opcode.RC_RDMA_WRITE_ONLY);
        assertEquals(5, read.size());
        assertEquals(5, written.size());
        for (int ping = 0; ping < read.size(); ping++) {
            ByteBuffer ours = ByteBuffer.allocate(read.get(ping).length);
            PingText.fill(ours, ping);
            assertArrayEquals(read.get(ping), ours.array());
            assertArrayEquals(written.get(ping), ours.array());
        }
    }

    @Test
    void theMessagesOfTheClientAreAdverts() {
        List<byte[]> sent = golden(Opcode.RC_SEND_ONLY);
        for (byte[] message : sent) {
            assertEquals(BufferAdvert.LENGTH, message.length);
            ByteBuffer copy = ByteBuffer.allocate(BufferAdvert.LENGTH);
            BufferAdvert.read(ByteBuffer.wrap(message), 0).write(copy, 0);
            assertArrayEquals(message, copy.array());
        }
        assertEquals(20, sent.size(), "four for each ping");
        assertEquals(64, BufferAdvert.read(ByteBuffer.wrap(sent.get(0)), 0).sizeBytes());
    }

    @Test
    void theLettersWrapAfterSmallZ() {
        ByteBuffer text = ByteBuffer.allocate(80);
        PingText.fill(text, 0);
        assertEquals("rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyzABCDEFGH", PingText.of(text));
        PingText.fill(text, 57);
        assertEquals("rdma-ping-57: zABC", PingText.of(text).substring(0, 18));
        PingText.fill(text, 58);
        assertEquals("rdma-ping-58: ABC", PingText.of(text).substring(0, 17));
    }

    @Test
    void aTextWithoutAZeroFillsTheBuffer() {
        assertEquals(5, PingText.length(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5})));
        assertEquals(2, PingText.length(ByteBuffer.wrap(new byte[] {1, 2, 0, 4, 5})));
    }

    @Test
    void theLongestNumberFitsTheSmallestPing() {
        ByteBuffer text = ByteBuffer.allocate(PingText.MIN_SIZE_BYTES);
        PingText.fill(text, Integer.MAX_VALUE);
        assertEquals("rdma-ping-2147483647: ", PingText.of(text));
    }
}
