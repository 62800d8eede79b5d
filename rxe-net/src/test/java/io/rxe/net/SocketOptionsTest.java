package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SocketOptionsTest {
    private final List<String> said = new ArrayList<>();
    private final Notices notices = new Notices(said::add);
    private LinuxSocket datagrams;
    /** Stands for a kernel without the offloads: a stream socket knows no UDP options. */
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
    void anOffloadThatDoesNotExistIsDoneWithoutAndSaidOnce() throws IOException {
        assertFalse(SocketOptions.canSegment(streams, Offload.AUTO, notices));
        assertFalse(SocketOptions.canSegment(streams, Offload.AUTO, notices));
        assertFalse(SocketOptions.coalesce(streams, Offload.AUTO, notices));
        assertEquals(2, said.size(), said.toString());
    }

    @Test
    void anOffloadThatIsDemandedAndDoesNotExistIsRefused() {
        IOException gso = assertThrows(IOException.class, () -> SocketOptions.canSegment(streams, Offload.ON, notices));
        assertTrue(gso.getMessage().contains("--gso auto or off"), gso.getMessage());
        IOException gro = assertThrows(IOException.class, () -> SocketOptions.coalesce(streams, Offload.ON, notices));
        assertTrue(gro.getMessage().contains("--gro auto or off"), gro.getMessage());
    }

    @Test
    void anOffloadThatIsNotWantedIsNotTried() throws IOException {
        assertFalse(SocketOptions.canSegment(streams, Offload.OFF, notices));
        assertFalse(SocketOptions.coalesce(streams, Offload.OFF, notices));
        assertEquals(List.of(), said);
    }

    @Test
    void failedSendsAreToldApart() {
        NetCounters counters = new NetCounters();
        SendErrors errors = new SendErrors(counters, notices);
        int[] numbers = {105, 1, 111, 90, 101, 113, 71};
        for (int number : numbers) {
            assertEquals(SendStatus.FAILED, errors.judge(Errors.newIOException("sendto", -number), false));
            assertEquals(SendStatus.FAILED, errors.judge(Errors.newIOException("sendto", -number), true));
        }
        for (int number : new int[] {5, 22}) {
            assertEquals(SendStatus.FAILED, errors.judge(Errors.newIOException("sendto", -number), false));
            assertEquals(SendStatus.SEGMENTATION_REFUSED, errors.judge(Errors.newIOException("sendto", -number), true));
        }
        assertEquals(2, counters.get(NetCounter.SEND_NO_BUFFERS));
        assertEquals(2, counters.get(NetCounter.SEND_NOT_PERMITTED));
        assertEquals(2, counters.get(NetCounter.SEND_REFUSED));
        assertEquals(2, counters.get(NetCounter.SEND_TOO_LONG));
        assertEquals(4, counters.get(NetCounter.SEND_UNREACHABLE));
        assertEquals(4, counters.get(NetCounter.SEND_OTHER_ERROR));
        assertEquals(2, counters.get(NetCounter.SEGMENTATION_REFUSED));
        assertEquals(6, said.size(), "each kind is said once: " + said);
    }
}
