package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rule G10: when a request left. */
public class SendTimeTest {
    @Test
    @DisplayName("G10 a code is the time in units of 32,768 ns, and begins anew after 1024 of them")
    void codesAreUnits() {
        assertEquals(0, SendTime.of(32_767));
        assertEquals(1, SendTime.of(32_768));
        assertEquals(1023, SendTime.of(-1));
        assertEquals(5, SendTime.of(7 * SendTime.MODULO_NS + 5 * 32_768 + 9));
        assertEquals(33_554_432, SendTime.MODULO_NS);
        assertEquals(1023 * 32_768L, SendTime.ns(1023));
    }

    @Test
    @DisplayName("G10 the BTH has the time in 0x20 and 0x1F of byte 4 and 0x7C of byte 8, and keeps its other bits")
    void theBthHasTheTime() {
        for (int code = 0; code < 1024; code++) {
            UnsafeBuffer bth = Hex.buffer("0440ffffc0123456830abcde");
            assertFalse(Bth.isTimed(bth, 0));
            Bth.sendTime(bth, 0, code);
            assertTrue(Bth.isTimed(bth, 0));
            assertEquals(code, Bth.sendTime(bth, 0));
            assertEquals(0xC0 | 0x20 | code & 0x1F, bth.getByte(4) & 0xFF);
            assertEquals(0x83 | code >> 5 << 2, bth.getByte(8) & 0xFF);
            assertTrue(Bth.isFecn(bth, 0) && Bth.isBecn(bth, 0) && Bth.isAckRequested(bth, 0) && Bth.isRepeated(bth, 0)
                && Bth.isMarked(bth, 0));
            assertEquals(0x123456, Bth.destinationQpn(bth, 0));
            assertEquals(0x0ABCDE, Bth.psn(bth, 0));
        }
    }
}
