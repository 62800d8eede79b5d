package io.rxe.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GidTest {
    private static final Gid SERVER = Gid.ofIpv4(0x0A630002);

    @Test
    void anIpv4AddressIsMappedIntoIpv6() {
        assertEquals(new Gid(0, 0x0000FFFF0A630002L), SERVER);
        assertTrue(SERVER.isIpv4());
        assertEquals(0x0A630002, SERVER.ipv4());
        assertEquals("::ffff:10.99.0.2", SERVER.toString());
        assertEquals("00000000000000000000ffff0a630002", SERVER.toWireString());
        assertTrue(Gid.ofIpv4(-1).isIpv4());
        assertEquals("::ffff:255.255.255.255", Gid.ofIpv4(-1).toString());
        assertFalse(new Gid(1, 0x0000FFFF0A630002L).isIpv4());
        assertFalse(new Gid(0, 0x0001FFFF0A630002L).isIpv4());
        assertFalse(new Gid(0, 1).isIpv4());
    }

    @Test
    void allTextFormsOfOneAddressAreEqual() {
        for (String text : new String[] {"10.99.0.2", "::ffff:10.99.0.2", "::FFFF:0a63:0002", "::ffff:a63:2",
            "0:0:0:0:0:ffff:a63:2",
            "0:0:0:0:0:ffff:10.99.0.2", "00000000000000000000ffff0a630002", "00000000000000000000FFFF0A630002"}) {
            assertEquals(SERVER, Gid.parse(text), text);
        }
    }

    @Test
    void textIsThatOfInetNtop() {
        String[][] pairs = {{"0:0:0:0:0:0:0:0", "::"}, {"0:0:0:0:0:0:0:1", "::1"}, {"1:0:0:0:0:0:0:0", "1::"},
            {"fe80:0:0:0:5054:ff:fe00:1", "fe80::5054:ff:fe00:1"}, {"fd99:0:0:0:0:0:0:2", "fd99::2"},
            {"1:0:0:2:0:0:0:3", "1:0:0:2::3"}, {"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"}, {"1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"},
            {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"}, {"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"}, {"0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"},
            {"0:0:0:0:0:0:102:304", "::1.2.3.4"}, {"0:0:0:0:0:fffe:102:304", "::fffe:102:304"}, {"2001:DB8:0:0:0:0:0:ABCD",
                "2001:db8::abcd"}};
        for (String[] pair : pairs) {
            assertEquals(pair[1], Gid.parse(pair[0]).toString());
            assertEquals(Gid.parse(pair[0]), Gid.parse(pair[1]));
        }
    }

    @Test
    void textAndBytesComeBackAsTheSameGid() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[16];
            for (int group = 0; group < 8; group++) {
                if (random.nextBoolean()) {
                    bytes[2 * group] = (byte) random.nextInt();
                    bytes[2 * group + 1] = (byte) random.nextInt();
                }
            }
            Gid gid = Gid.of(bytes);
            assertArrayEquals(bytes, gid.toBytes());
            assertEquals(gid, Gid.parse(gid.toString()));
            assertEquals(gid, Gid.parse(gid.toWireString()));
        }
    }

    @Test
    void textIsParsedAsTheJdkParsesIt() throws UnknownHostException {
        for (String text : new String[] {"fd99::3", "2001:db8::ff00:42:8329", "::1", "1::", "::ffff:1.2.3.4",
            "64:ff9b::192.0.2.33", "1.2.3.4"}) {
            assertEquals(Gid.of(InetAddress.getByName(text).getAddress()), Gid.parse(text), text);
        }
    }

    @Test
    void badTextIsRejectedWithTheText() {
        for (String text : new String[] {"", "10.99.0", "10.99.0.256", "10.99.0.2.3", "10.99..2", "10.99.0.-2",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1::2::3", "12345::", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "::g", "1:2:3:4:5:6:7::8", "1.2.3.4::", "::1.2.3.4:5",
            "fd99::2%eth0",
            "0000000000000000ffff0a630002", "0000000000000000000xffff0a630002", "localhost", "010.1.2.3", "::\u0661"}) {
            String message = assertThrows(IllegalArgumentException.class, () -> Gid.parse(text), text).getMessage();
            assertTrue(message.contains("'" + text + "'"), message);
        }
    }

    @Test
    void addressBytesAreFourOrSixteen() {
        assertEquals(SERVER, Gid.of(new byte[] {10, 99, 0, 2}));
        assertThrows(IllegalArgumentException.class, () -> Gid.of(new byte[5]));
    }

    @Test
    void theGuidDependsOnTheAddressOnly() {
        assertEquals(0x0252_5845_0A63_0002L, SERVER.adapterGuid());
        assertEquals(SERVER.adapterGuid(), Gid.parse("10.99.0.2").adapterGuid());
        assertNotEquals(SERVER.adapterGuid(), Gid.parse("10.99.0.3").adapterGuid());
        assertNotEquals(Gid.parse("fd99::1").adapterGuid(), Gid.parse("fd99::2").adapterGuid());
        for (String text : new String[] {"10.99.0.2", "fd99::1", "ff00:ffff::1"}) {
            assertEquals(2, Gid.parse(text).adapterGuid() >>> 56 & 3, "locally administered, individual");
        }
    }
}
