package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class DataPatternTest {
    private static final int LENGTH = 1000;

    @Test
    void showsEachChangedByteAtItsPlace() {
        ByteBuffer buffer = ByteBuffer.allocate(LENGTH + 3);
        DataPattern.fill(buffer, 3, LENGTH, 42);
        assertEquals(-1, DataPattern.mismatch(buffer, 3, LENGTH, 42, 0));
        for (int i = 0; i < LENGTH; i++) {
            buffer.put(3 + i, (byte) (buffer.get(3 + i) ^ 1));
            assertEquals(i, DataPattern.mismatch(buffer, 3, LENGTH, 42, 0));
            buffer.put(3 + i, (byte) (buffer.get(3 + i) ^ 1));
        }
    }

    @Test
    void canBeComparedFromAnyOffset() {
        ByteBuffer buffer = ByteBuffer.allocate(LENGTH);
        DataPattern.fill(buffer, 0, LENGTH, 7);
        for (int from = 0; from < 20; from++) {
            assertEquals(-1, DataPattern.mismatch(buffer, from, LENGTH - from, 7, from));
        }
    }

    @Test
    void differsBetweenSeedsAndBetweenPlaces() {
        ByteBuffer buffer = ByteBuffer.allocate(LENGTH);
        DataPattern.fill(buffer, 0, LENGTH, 7);
        assertNotEquals(-1, DataPattern.mismatch(buffer, 0, LENGTH, 8, 0));
        assertNotEquals(-1, DataPattern.mismatch(buffer, 0, LENGTH - 256, 7, 256));
    }

    @Test
    void isTheSameForTheSameSeedEverywhere() {
        ByteBuffer buffer = ByteBuffer.allocate(8);
        DataPattern.fill(buffer, 0, 8, 1);
        assertEquals(DataPattern.mix(1), Long.reverseBytes(buffer.getLong(0)));
    }
}
