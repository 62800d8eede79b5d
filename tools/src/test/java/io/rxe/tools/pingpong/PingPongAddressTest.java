package io.rxe.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A pingpong address")
class PingPongAddressTest {
    private static final String IPV4 = "0000:000011:9a2b3c:00000000000000000000ffff0a000001\0";
    private static final String IPV6 = "0000:abcdef:000000:fd990000000000000000000000000002\0";

    @Test
    void isFiftyTwoBytesLikeThoseOfTheOriginal() {
        PingPongAddress address = new PingPongAddress(0, 0x11, 0x9a2b3c, Gid.ofIpv4(0x0A000001));
        assertArrayEquals(IPV4.getBytes(StandardCharsets.US_ASCII), address.toWire());
        assertEquals(52, address.toWire().length);
    }

    @Test
    void isReadBack() {
        PingPongAddress address = PingPongAddress.parse(IPV6.getBytes(StandardCharsets.US_ASCII));
        assertEquals(new PingPongAddress(0, 0xabcdef, 0, Gid.parse("fd99::2")), address);
        assertArrayEquals(IPV6.getBytes(StandardCharsets.US_ASCII), address.toWire());
    }

    @Test
    void isPrintedLikeThatOfTheOriginal() {
        assertEquals("LID 0x0000, QPN 0x000011, PSN 0x9a2b3c, GID ::ffff:10.0.0.1",
            PingPongAddress.parse(IPV4.getBytes(StandardCharsets.US_ASCII)).toString());
        assertEquals("LID 0x0000, QPN 0xabcdef, PSN 0x000000, GID fd99::2",
            PingPongAddress.parse(IPV6.getBytes(StandardCharsets.US_ASCII)).toString());
    }

    @Test
    void hasNoGidIfThePeerSentNone() {
        assertNull(PingPongAddress.parse("0000:000011:9a2b3c:00000000000000000000000000000000\0"
            .getBytes(StandardCharsets.US_ASCII)).gid());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hello", "0000:000011:9a2b3c", "0000:000011:9a2b3c:0011",
        "0000:zz0011:9a2b3c:00000000000000000000ffff0a000001",
        "0000:1000000:9a2b3c:00000000000000000000ffff0a000001", "0000:000011:9a2b3c:0000000000000000000!ffff0a000001"})
    void aMalformedOneIsShownWithARemedy(String text) {
        IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> PingPongAddress.parse(text.getBytes(StandardCharsets.US_ASCII)));
        assertTrue(refused.getMessage().startsWith("the peer's address '" + text + "' cannot be read"), refused.getMessage());
        assertTrue(refused.getMessage().endsWith("is the program at the other end a pingpong of the same kind?"),
            refused.getMessage());
    }

    @Test
    @DisplayName("of an attacker sends no control characters to the terminal")
    void controlCharactersAreNotPrinted() {
        byte[] message = "0000:\u001b[2J:9a2b3c:00000000000000000000ffff0a000001".getBytes(StandardCharsets.US_ASCII);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> PingPongAddress.parse(message));
        assertTrue(refused.getMessage().chars().noneMatch(Character::isISOControl), refused.getMessage());
    }
}
