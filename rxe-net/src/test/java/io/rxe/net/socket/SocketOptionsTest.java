package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.Offload;
import io.rxe.net.port.SendStatus;
import io.rxe.net.port.Warnings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SocketOptionsTest {
    private final List<String> passed = new ArrayList<>();
    private final Warnings warnings = new Warnings(passed::add);
    private LinuxSocket datagrams;
    /** Simulates a kernel without the offloads: a stream socket has no UDP options. */
    private LinuxSocket streams;

    @BeforeEach
    void openSockets() throws IOException {
        SocketOpener.requireEpoll();
        datagrams = LinuxSocket.newSocketDgram(SocketProtocolFamily.INET);
        streams = LinuxSocket.newSocketStream(SocketProtocolFamily.INET);
    }

    @AfterEach
    void closeSockets() throws IOException {
        datagrams.close();
        streams.close();
    }

    @Test
    void aRefusedOptionIsACheckedException() {
        assertThrows(IOException.class, () -> SocketOptions.set(datagrams, 17, 9999, 1));
    }

    @Test
    void aMissingOffloadIsNotUsedAndWarnedOfOnce() throws IOException {
        assertFalse(SocketOptions.canSegment(streams, Offload.AUTO, warnings));
        assertFalse(SocketOptions.canSegment(streams, Offload.AUTO, warnings));
        assertFalse(SocketOptions.coalesce(streams, Offload.AUTO, warnings));
        assertEquals(2, passed.size(), passed.toString());
    }

    @Test
    void aMissingOffloadThatIsDemandedIsRefused() {
        IOException gso = assertThrows(IOException.class, () -> SocketOptions.canSegment(streams, Offload.ON, warnings));
        assertTrue(gso.getMessage().contains("--gso auto or off"), gso.getMessage());
        IOException gro = assertThrows(IOException.class, () -> SocketOptions.coalesce(streams, Offload.ON, warnings));
        assertTrue(gro.getMessage().contains("--gro auto or off"), gro.getMessage());
    }

    @Test
    void anOffloadThatIsOffIsNotTried() throws IOException {
        assertFalse(SocketOptions.canSegment(streams, Offload.OFF, warnings));
        assertFalse(SocketOptions.coalesce(streams, Offload.OFF, warnings));
        assertEquals(List.of(), passed);
    }

    @Test
    void failedSendsAreCountedByKind() {
        NetCounters counters = new NetCounters(null, null);
        SendErrors errors = new SendErrors(counters, warnings);
        Map<Integer, SendStatus> expected = Map.of(105, SendStatus.FAILED, 1, SendStatus.NOT_PERMITTED, 111, SendStatus.FAILED, 90,
            SendStatus.FAILED, 101, SendStatus.NO_ROUTE, 113, SendStatus.NO_ROUTE, 71, SendStatus.FAILED);
        expected.forEach((number, status) -> {
            assertEquals(status, errors.classify(Errors.newIOException("sendto", -number), false));
            assertEquals(status, errors.classify(Errors.newIOException("sendto", -number), true));
        });
        for (int number : new int[] {5, 22}) {
            assertEquals(number == 22 ? SendStatus.INVALID : SendStatus.FAILED,
                errors.classify(Errors.newIOException("sendto", -number), false));
            assertEquals(SendStatus.SEGMENTATION_REFUSED, errors.classify(Errors.newIOException("sendto", -number), true));
        }
        assertEquals(2, counters.get(NetCounter.SEND_NO_BUFFERS));
        assertEquals(2, counters.get(NetCounter.SEND_NOT_PERMITTED));
        assertEquals(2, counters.get(NetCounter.SEND_REFUSED));
        assertEquals(2, counters.get(NetCounter.SEND_TOO_LONG));
        assertEquals(4, counters.get(NetCounter.SEND_UNREACHABLE));
        assertEquals(4, counters.get(NetCounter.SEND_OTHER_ERROR));
        assertEquals(2, counters.get(NetCounter.SEGMENTATION_REFUSED));
        assertEquals(6, passed.size(), "one warning of each kind: " + passed);
    }
}
