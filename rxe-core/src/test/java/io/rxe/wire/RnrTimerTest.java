package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RnrTimerTest {
    /** Rule T7, in ms. */
    private static final String[] MS = ("655.36 .01 .02 .03 .04 .06 .08 .12 .16 .24 .32 .48 .64 .96 1.28 1.92 2.56 3.84 5.12 "
        + "7.68 10.24 15.36 20.48 30.72 40.96 61.44 81.92 122.88 163.84 245.76 327.68 491.52").split(" ");

    @Test
    @DisplayName("T7: the 32 delays")
    void delaysAreThoseOfTheSpecification() {
        assertEquals(32, MS.length);
        for (int code = 0; code < 32; code++) {
            assertEquals(new BigDecimal(MS[code]).movePointRight(6).longValueExact(), RnrTimer.toNs(code), "code " + code);
        }
        assertEquals(RnrTimer.toNs(1), RnrTimer.toNs(33));
    }

    @Test
    @DisplayName("T7: code 0 is the longest delay, not none")
    void codeZeroIsTheLongestDelay() {
        for (int code = 1; code < 32; code++) {
            assertTrue(RnrTimer.toNs(code) < RnrTimer.toNs(0), "code " + code);
        }
    }
}
