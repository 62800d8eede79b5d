package io.rxe.testkit.endurance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Every byte of a message is compared. */
class MessageTest {
    private static final int OFFSET = 40;
    private static final int LENGTH = 300;

    private final Message message = new Message();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(OFFSET + Message.MOST_BYTES);

    @Test
    void everyWrongByteIsNoticed() {
        message.write(memory, OFFSET, LENGTH, 5, -7);
        assertNull(new Message().check(memory, OFFSET, LENGTH, 5));
        for (int i = 0; i < LENGTH; i++) {
            if (i >= Message.LEAST_BYTES || i < 8) {
                memory.put(OFFSET + i, (byte) (memory.get(OFFSET + i) ^ 1));
                assertNotNull(message.check(memory, OFFSET, LENGTH, 5), "byte " + i);
                memory.put(OFFSET + i, (byte) (memory.get(OFFSET + i) ^ 1));
            }
        }
    }

    @Test
    void aMissingMessageAndAWrongLengthAreNoticed() {
        message.write(memory, OFFSET, LENGTH, 5, 1);
        assertEquals("message 5 arrived in place of message 4", message.check(memory, OFFSET, LENGTH, 4));
        assertEquals("a message of 300 bytes arrived with 299", message.check(memory, OFFSET, LENGTH - 1, 5));
    }

    @Test
    void theLongestAndTheShortestMessageAreRight() {
        for (int length : new int[] {Message.LEAST_BYTES, Message.MOST_BYTES}) {
            message.write(memory, OFFSET, length, 1, Integer.MIN_VALUE);
            assertNull(message.check(memory, OFFSET, length, 1));
        }
    }
}
