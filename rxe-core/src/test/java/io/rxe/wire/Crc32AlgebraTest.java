package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class Crc32AlgebraTest {
    private final Random random = new Random(3);

    @Test
    void feedingBytesIsTheCrcOfTheJdk() {
        byte[] bytes = new byte[1000];
        random.nextBytes(bytes);
        int register = -1;
        CRC32 crc = new CRC32();
        for (byte b : bytes) {
            register = Crc32Algebra.feed(register, b);
            crc.update(b);
            assertEquals((int) crc.getValue(), ~register);
        }
    }

    @Test
    void feedingAWordIsFeedingItsBytesMostSignificantFirst() {
        int expected = Crc32Algebra.feed(Crc32Algebra.feed(Crc32Algebra.feed(Crc32Algebra.feed(5, 0xCA), 0xFE), 0xBA), 0xBE);
        assertEquals(expected, Crc32Algebra.feedWord(5, 0xCAFEBABE));
    }

    @Test
    void onwardIsFeedingZerosAndBackUndoesIt() {
        for (int n : new int[] {0, 1, 2, 3, 4, 7, 24, 255, 1024, 4095, 4096, 8191}) {
            int[] onward = Crc32Algebra.onward(n);
            int[] back = Crc32Algebra.back(n);
            int[] onwardTables = Crc32Algebra.tables(onward);
            int[] backTables = Crc32Algebra.tables(back);
            for (int i = 0; i < 50; i++) {
                int register = random.nextInt();
                int later = Crc32Algebra.feedZeros(register, n);
                assertEquals(later, Crc32Algebra.applyColumns(onward, register));
                assertEquals(later, Crc32Algebra.apply(onwardTables, register));
                assertEquals(register, Crc32Algebra.applyColumns(back, later));
                assertEquals(register, Crc32Algebra.apply(backTables, later));
            }
        }
    }
}
