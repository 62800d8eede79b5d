package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors.NativeIoException;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.process.ProcessSettings;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("the NIC of a DiSNI program")
class LocalNicTest {
    private static final int EADDRINUSE = 98;

    private final List<String> asked = new ArrayList<>();
    private RxeNic opened;

    @AfterEach
    void close() {
        if (opened != null) {
            opened.close();
        }
    }

    private static ProcessSettings settings(Map<String, String> properties) {
        return new ProcessSettings(properties::get, name -> null);
    }

    private RxeNic open(RxeNicOptions options) throws IOException {
        opened = RxeNic.open(options);
        return opened;
    }

    /** As when another process takes the first address that was free. */
    private RxeNic openSecond(RxeNicOptions options) throws IOException {
        asked.add(options.address());
        if (asked.size() == 1) {
            throw refused("taken", EADDRINUSE);
        }
        return open(options);
    }

    /** As {@code RxeNic.open} does. */
    private static BindException refused(String sentence, int errno) {
        // Netty's native library makes the exception.
        Epoll.ensureAvailability();
        BindException refused = new BindException(sentence);
        refused.initCause(new NativeIoException("bind", -errno));
        return refused;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 13, 99})
    @DisplayName("an address that is not permitted or not local is an error with its own remedy, and no other is tried")
    void notTaken(int errno) throws IOException {
        int port = FreePorts.udp("127.0.0.1");
        LocalNic nic = new LocalNic(settings(Map.of("rxe.udp.port", Integer.toString(port))), options -> {
            asked.add(options.address());
            throw refused("the remedy", errno);
        });
        BindException thrown = assertThrows(BindException.class, () -> nic.toward(InetAddress.getByName("127.0.0.1")));
        assertEquals("the remedy", thrown.getMessage());
        assertEquals(1, asked.size());
    }

    @Test
    @DisplayName("where every address of loopback has a NIC, the error says so")
    void allAreTaken() throws IOException {
        int port = FreePorts.udp("127.0.0.1");
        LocalNic nic = new LocalNic(settings(Map.of("rxe.udp.port", Integer.toString(port))), options -> {
            throw refused("taken", EADDRINUSE);
        });
        BindException thrown = assertThrows(BindException.class, () -> nic.toward(InetAddress.getByName("127.0.0.1")));
        assertEquals("127.0.0.1 to 127.0.0.254 have a NIC each: end some, or set RXE_DEV", thrown.getMessage());
        assertEquals("taken", thrown.getCause().getMessage());
    }

    @Test
    @DisplayName("takes the next address of loopback when another process is faster")
    void nextAddress() throws IOException {
        int port = FreePorts.udp("127.0.0.1");
        LocalNic nic = new LocalNic(settings(Map.of("rxe.udp.port", Integer.toString(port))), this::openSecond);
        DisniContext context = nic.toward(InetAddress.getByName("127.0.0.1"));
        assertEquals(2, asked.size());
        assertNotEquals(asked.get(0), asked.get(1));
        assertEquals(asked.get(1), context.address().getHostAddress());
    }

    @Test
    @DisplayName("an address that the program names is not replaced by the next")
    void namedAddress() {
        LocalNic nic = new LocalNic(settings(Map.of()), this::openSecond);
        assertThrows(BindException.class, () -> nic.at(InetAddress.getByName("127.0.0.9")));
        assertEquals(List.of("127.0.0.9"), asked);
    }

    @Test
    @DisplayName("serves an id bound to loopback, although it is on another interface")
    void loopback() throws IOException {
        Optional<String> outside = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
            .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress()).map(InetAddress::getHostAddress)
            .findFirst();
        assumeTrue(outside.isPresent(), "no IPv4 address but those of loopback");
        String port = Integer.toString(FreePorts.udp(outside.get()));
        LocalNic nic = new LocalNic(settings(Map.of("rxe.dev", outside.get(), "rxe.udp.port", port)), this::open);
        DisniContext context = nic.at(InetAddress.getByName("127.0.0.1"));
        assertSame(context, nic.at(InetAddress.getByName("0.0.0.0")));
        assertEquals(outside.get(), context.address().getHostAddress());
    }
}
