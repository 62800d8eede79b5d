package io.rxe.testkit.flood;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of the transfer beside hostile traffic. */
class FloodMessageTest {
    private static final int OFFSET = 64;

    private final FloodMessage message = new FloodMessage();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(OFFSET + FloodMessage.BYTES);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("the receiver accepts what was written and varied, and finds any other byte")
    void findsAWrongByte(boolean likeFrames) {
        message.write(memory, OFFSET, likeFrames, 1);
        assertEquals(-1, message.firstWrongByte(memory, OFFSET));
        message.vary(memory, OFFSET, 2);
        assertEquals(-1, message.firstWrongByte(memory, OFFSET));
        for (int wrong : new int[] {9, 255, 256, 260, 4096, FloodMessage.BYTES - 1}) {
            memory.put(OFFSET + wrong, (byte) (memory.get(OFFSET + wrong) ^ 1));
            assertEquals(wrong, message.firstWrongByte(memory, OFFSET));
            memory.put(OFFSET + wrong, (byte) (memory.get(OFFSET + wrong) ^ 1));
        }
    }

    @Test
    @DisplayName("behind each boundary of a smaller MTU stands a BTH, and before it four bytes that differ in each message")
    void looksLikeFrames() {
        for (int mtu : new int[] {256, 512, 1024, 2048}) {
            int icrc = OFFSET + 5 * 4096 + mtu;
            message.write(memory, OFFSET, true, 7);
            int first = memory.getInt(icrc);
            assertEquals(0x0100FFFF, memory.getInt(icrc + 4));
            message.vary(memory, OFFSET, 8);
            assertNotEquals(first, memory.getInt(icrc));
            assertEquals(0x0100FFFF, memory.getInt(icrc + 4));
        }
    }
}
