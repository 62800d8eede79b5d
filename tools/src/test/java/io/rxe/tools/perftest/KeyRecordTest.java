package io.rxe.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A key record")
class KeyRecordTest {
    // Captured between ib_write_bw and ib_read_bw 4.5+0.17 of two kernel hosts.
    private static final String WRITE =
        "0000:0001:000017:be1652:00000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:\0";
    private static final String READ =
        "0000:0080:00001e:216574:00000da0:000055a8eea67000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:\0";

    @ParameterizedTest
    @ValueSource(strings = {WRITE, READ})
    void ofTheOriginalIsReadAndWrittenByteForByte(String text) {
        byte[] wire = text.getBytes(StandardCharsets.US_ASCII);
        assertEquals(KeyRecord.WIRE_BYTES, wire.length);
        assertArrayEquals(wire, KeyRecord.parse(wire).toWire());
    }

    @Test
    void parsesEveryField() {
        assertEquals(new KeyRecord(0x80, 0x1e, 0x216574, 0xda0, 0x55a8eea67000L, Gid.ofIpv4(0x0A630003)),
            KeyRecord.parse(READ.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void keepsKeysAndAddressesWithTheHighestBitSet() {
        KeyRecord record = new KeyRecord(1, 0xFFFFFF, 0xFFFFFF, 0xFEDCBA98, 0xFFFF_8000_0000_1000L, Gid.parse("fd99::2"));
        assertEquals(record, KeyRecord.parse(record.toWire()));
    }

    @Test
    void printsTheBytesOfItsGidInDecimal() {
        assertEquals("00:00:00:00:00:00:00:00:00:00:255:255:10:99:00:03",
            KeyRecord.parse(WRITE.getBytes(StandardCharsets.US_ASCII)).gidText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HTTP/1.1", "0000:0001:000017:be1652:00000757:000055ceb38c2000",
        "0000:0001:1000017:be1652:00000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:",
        "0000:-001:000017:be1652:00000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:",
        "0000:10000:000017:be1652:00000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:",
        "0000:0001:000017:be1652:+0000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:",
        "0000:0001:000017:be1652:00000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:1ff:0a:63:00:03:00000000:",
        "0000:0001:00zz17:be1652:00000757:000055ceb38c2000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:03:00000000:"})
    void ofAnotherFormIsShownWithAHint(String text) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> KeyRecord.parse(text.getBytes(StandardCharsets.US_ASCII)));
        assertTrue(refused.getMessage().startsWith("the peer's key record '" + text + "' cannot be read"), refused.getMessage());
        assertTrue(refused.getMessage().contains("is the same test running at the other end"), refused.getMessage());
    }

    @Test
    @DisplayName("of an attacker sends no control characters to the terminal")
    void controlCharactersAreNotPrinted() {
        byte[] message = WRITE.replace("0001:", "\u001b[2J:").getBytes(StandardCharsets.US_ASCII);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> KeyRecord.parse(message));
        assertTrue(refused.getMessage().chars().noneMatch(Character::isISOControl), refused.getMessage());
    }
}
