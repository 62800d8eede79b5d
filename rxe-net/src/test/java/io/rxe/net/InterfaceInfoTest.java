package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.PathMtu;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class InterfaceInfoTest {
    @Test
    void everyAddressOf127IsOnTheLoopbackInterface() throws Exception {
        for (String address : new String[] {"127.0.0.1", "127.0.0.2", "127.8.9.10"}) {
            InterfaceInfo info = InterfaceInfo.of(address);
            assertEquals("lo", info.name());
            assertEquals(address, info.address().getHostAddress());
            assertEquals(Gid.parse(address), info.gid());
            assertEquals(PathMtu.largestFor(info.mtuBytes()), info.portMtu());
        }
    }

    @Test
    void anIpv6AddressIsFound() throws Exception {
        InterfaceInfo info = InterfaceInfo.of("::1");
        assertEquals("lo", info.name());
        assertEquals(Gid.parse("::1"), info.gid());
    }

    @Test
    void anInterfaceNameMeansItsFirstUsableAddress() throws Exception {
        assertEquals("127.0.0.1", InterfaceInfo.of("lo").address().getHostAddress());
    }

    @Test
    void anAddressThatIsNotLocalIsRefusedWithAListOfLocalOnes() {
        IOException refused = assertThrows(IOException.class,
            () -> InterfaceInfo.of(InetAddress.getByName("203.0.113.77")));
        assertTrue(refused.getMessage().contains("203.0.113.77 is not local"), refused.getMessage());
        assertTrue(refused.getMessage().contains("127.0.0.1 (lo)"), refused.getMessage());
    }

    @Test
    void theBroadcastAddressOfASubnetIsRefused() throws Exception {
        assertTrue(InterfaceInfo.broadcasts().contains(Gid.parse("127.255.255.255")), () -> "127.0.0.0/8 has one");
        for (InetAddress own : new InetAddress[] {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("::1")}) {
            assertFalse(InterfaceInfo.broadcasts().contains(Gid.of(own.getAddress())), own::toString);
        }
        IOException refused = assertThrows(IOException.class, () -> InterfaceInfo.of("127.255.255.255"));
        assertTrue(refused.getMessage().startsWith("address 127.255.255.255 is the broadcast address of a subnet: choose one of "),
            refused.getMessage());
    }

    @Test
    void theAnyAddressIsRefused() {
        IOException refused = assertThrows(IOException.class, () -> InterfaceInfo.of("0.0.0.0"));
        assertTrue(refused.getMessage().contains("means any address"), refused.getMessage());
    }

    @Test
    void aNameThatCannotBeResolvedIsRefused() {
        IOException refused = assertThrows(IOException.class, () -> InterfaceInfo.of("no such interface"));
        assertTrue(refused.getMessage().contains("neither a local interface nor an address"), refused.getMessage());
    }
}
