package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SyndromeTest {
    @Test
    void everyByteHasExactlyOneKind() {
        for (int syndrome = 0; syndrome < 256; syndrome++) {
            int kind = syndrome >> 5;
            assertEquals(kind == 0, Syndrome.isAck(syndrome));
            assertEquals(kind == 1, Syndrome.isRnr(syndrome));
            assertEquals(kind == 3, Syndrome.isNak(syndrome));
            assertEquals(kind == 2 || kind >= 4, Syndrome.isReserved(syndrome));
        }
    }

    @Test
    void rnrCarriesItsTimerCode() {
        for (int code = 0; code < 32; code++) {
            assertEquals(0x20 + code, Syndrome.rnr(code));
            assertTrue(Syndrome.isRnr(Syndrome.rnr(code)));
            assertEquals(code, Syndrome.rnrTimerCode(Syndrome.rnr(code)));
        }
        assertEquals(0x21, Syndrome.rnr(33));
    }

    @Test
    void anUnlimitedAckHasTheInvalidCreditCode() {
        assertEquals(0x1F, Syndrome.ACK_UNLIMITED);
        assertEquals(31, Syndrome.creditCode(Syndrome.ACK_UNLIMITED));
        assertTrue(Syndrome.isAck(Syndrome.ACK_UNLIMITED));
    }

    @Test
    void theTextHasKindAndValue() {
        assertEquals("ACK", Syndrome.describe(0x1F));
        assertEquals("ACK credits 6", Syndrome.describe(5));
        assertEquals("RNR NAK timer 12", Syndrome.describe(0x2C));
        assertEquals("NAK PSN sequence error", Syndrome.describe(Syndrome.PSN_SEQUENCE_ERROR));
        assertEquals("NAK invalid request", Syndrome.describe(Syndrome.INVALID_REQUEST));
        assertEquals("NAK remote access error", Syndrome.describe(Syndrome.REMOTE_ACCESS_ERROR));
        assertEquals("NAK remote operational error", Syndrome.describe(Syndrome.REMOTE_OPERATIONAL_ERROR));
        assertEquals("NAK invalid RD request", Syndrome.describe(0x64));
        assertEquals("NAK reserved code 0x7f", Syndrome.describe(0x7F));
        assertEquals("reserved syndrome 0x40", Syndrome.describe(0x40));
        assertEquals("reserved syndrome 0xff", Syndrome.describe(0xFF));
    }
}
