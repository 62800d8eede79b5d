package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PsnTest {
    private static final int LAST = 0xFFFFFF;
    private static final int HALF = 0x800000;

    @Test
    void additionWrapsAtTwentyFourBits() {
        assertEquals(0, Psn.next(LAST));
        assertEquals(LAST, Psn.previous(0));
        assertEquals(2, Psn.add(0xFFFFF0, 18));
        assertEquals(0xFFFFF0, Psn.add(2, -18));
        assertEquals(0x123456, Psn.add(0x123456, 1 << 24));
    }

    @Test
    void distanceIsSignedAndWraps() {
        assertEquals(0, Psn.subtract(5, 5));
        assertEquals(3, Psn.subtract(1, 0xFFFFFE));
        assertEquals(-3, Psn.subtract(0xFFFFFE, 1));
        assertEquals(HALF - 1, Psn.subtract(HALF - 1, 0));
        assertEquals(-HALF, Psn.subtract(HALF, 0));
        assertEquals(-HALF, Psn.subtract(0, HALF));
    }

    @Test
    void distanceUndoesAdditionEverywhere() {
        for (int psn = 0; psn <= LAST; psn += 0x3FFF) {
            for (int n : new int[] {-HALF, -HALF + 1, -4097, -1, 0, 1, 128, 65536, HALF - 1}) {
                assertEquals(n, Psn.subtract(Psn.add(psn, n), psn));
            }
        }
    }

    @Test
    void orderHoldsAcrossTheWrap() {
        assertEquals(-3, Psn.subtract(0xFFFFFE, 1));
        assertEquals(3, Psn.subtract(1, 0xFFFFFE));
        assertEquals(0, Psn.subtract(9, 9));
    }

    @Test
    void higherBitsOfArgumentsDoNotMatter() {
        assertEquals(1, Psn.next(0xAB000000));
        assertEquals(3, Psn.subtract(0x55000001, 0x12FFFFFE));
    }

    @Test
    void textIsSixHexDigits() {
        assertEquals("000000", Psn.toString(0));
        assertEquals("00002a", Psn.toString(42));
        assertEquals("ffffff", Psn.toString(-1));
    }
}
