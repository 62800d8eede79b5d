package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

public class FiveBitCodeTest {
    @DisplayName("a code is at least the value that it was made of, or at most, and the next one is not; but below a unit it is 0")
    @ParameterizedTest
    @EnumSource
    void aCodeIsAnUpperBound(FiveBitCode field) {
        long unit = field.value(1) / 2;
        for (long value = 0; value <= field.value(FiveBitCode.MAX); value += 1 + value / 100) {
            int code = field.of(value);
            long coded = value;
            assertTrue(code == 0 ? value < unit : field.value(code) >= value, () -> coded + " has the code " + code);
            assertTrue(code <= 1 || field.value(code - 1) < value, () -> coded + " has the code " + code);
            int least = field.atMost(value);
            assertTrue(field.value(least) <= value && (least == code || least == code - 1 && field.value(code) > value),
                () -> coded + " has at most the code " + least);
        }
        assertEquals(FiveBitCode.MAX, field.of(Long.MAX_VALUE));
    }

    @Test
    @DisplayName("codes 1 to 5 are 16, 24, 32, 48 and 64 us of 1024 ns, and 2, 3, 4, 6 and 8 times 65,536 bytes a second")
    void theSteps() {
        int[] units = {0, 2, 3, 4, 6, 8};
        for (int code = 0; code < units.length; code++) {
            assertEquals(units[code] * 8_192L, FiveBitCode.HOST_DELAY.value(code));
            assertEquals(units[code] * 65_536L, FiveBitCode.READ_RATE.value(code));
        }
        assertEquals(65_536L * 8_192, FiveBitCode.HOST_DELAY.value(FiveBitCode.MAX));
        assertEquals(1L << 32, FiveBitCode.READ_RATE.value(FiveBitCode.MAX));
    }
}
