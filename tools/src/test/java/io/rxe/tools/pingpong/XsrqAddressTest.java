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

@DisplayName("An address of xsrq_pingpong")
class XsrqAddressTest {
    /** As the original wrote it; it printed the fields of the next constant. */
    private static final String MESSAGE = "0000:762aeb:b87fa1:60ecfd:ee1fcc:00000000000000000000ffff7f010002\0";
    private static final XsrqAddress ADDRESS = new XsrqAddress(0, 0x762aeb, 0xb87fa1, 0x60ecfd, 0xee1fcc, Gid.ofIpv4(0x7F010002));

    @Test
    void isSixtySixBytesLikeThoseOfTheOriginal() {
        assertArrayEquals(MESSAGE.getBytes(StandardCharsets.US_ASCII), ADDRESS.toWire());
        assertEquals(66, ADDRESS.toWire().length);
        assertEquals(ADDRESS, XsrqAddress.parse(MESSAGE.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void isPrintedLikeThatOfTheOriginal() {
        assertEquals("LID 0000, QPN RECV 762aeb SEND b87fa1, PSN 60ecfd, SRQN ee1fcc, GID ::ffff:127.1.0.2", ADDRESS.toString());
    }

    @Test
    void hasNoGidIfThePeerSentNone() {
        assertNull(XsrqAddress.parse("0000:762aeb:b87fa1:60ecfd:ee1fcc:00000000000000000000000000000000\0"
            .getBytes(StandardCharsets.US_ASCII)).gid());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hello", "0000:000011:9a2b3c:00000000000000000000ffff0a000001", "0000:762aeb:b87fa1:60ecfd:ee1fcc:7f010002",
        "0000:zz2aeb:b87fa1:60ecfd:ee1fcc:00000000000000000000ffff7f010002",
        "0000:1762aeb:b87fa1:60ecfd:ee1fcc:00000000000000000000ffff7f010002",
        "0000:762aeb:b87fa1:60ecfd:ee1fcc:0000000000000000000!ffff7f010002"})
    void aMalformedOneIsShownWithARemedy(String text) {
        IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> XsrqAddress.parse(text.getBytes(StandardCharsets.US_ASCII)));
        assertTrue(refused.getMessage().startsWith("the peer's address '" + text + "' cannot be read"), refused.getMessage());
        assertTrue(refused.getMessage().endsWith("is the program at the other end an xsrq_pingpong?"), refused.getMessage());
    }

    @Test
    @DisplayName("of an attacker sends no control characters to the terminal")
    void controlCharactersAreNotPrinted() {
        byte[] message = "0000:\u001b[2J:b87fa1:60ecfd:ee1fcc:00000000000000000000ffff7f010002".getBytes(StandardCharsets.US_ASCII);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> XsrqAddress.parse(message));
        assertTrue(refused.getMessage().chars().noneMatch(Character::isISOControl), refused.getMessage());
    }
}
