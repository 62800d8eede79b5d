package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.rxe.net.port.HeaderReceive;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A receive with headers")
class DatagramReceiverTest {
    private static final Gid SENDER = Gid.parse("127.0.0.9");
    private static final int PORT = 50009;

    private final FlowTable flows = new FlowTable(new InetSocketAddress("127.0.0.1", 4791));
    private final LinuxSocket socket = socket();
    /** What native code tells of the next datagram. */
    private int length = 3;
    private int trafficClass;
    private final DatagramReceiver receiver = new DatagramReceiver(new UnsafeBuffer(ByteBuffer.allocateDirect(16)), flows,
        (descriptor, address, capacity, header) -> {
            UnsafeBuffer written = new UnsafeBuffer(header, HeaderReceive.HEADER_BYTES);
            written.putLong(0, SENDER.high(), ByteOrder.BIG_ENDIAN);
            written.putLong(8, SENDER.low(), ByteOrder.BIG_ENDIAN);
            written.putInt(HeaderReceive.PORT_AT, PORT);
            written.putInt(HeaderReceive.CLASS_AT, trafficClass);
            return descriptor == socket.intValue() && capacity == 16 ? length : -1;
        });

    private static LinuxSocket socket() {
        Epoll.ensureAvailability();
        return LinuxSocket.newSocketDgram();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
    }

    @Test
    @DisplayName("tells the sender and the class of each datagram, also of one from a connected socket")
    void senderAndClass() throws IOException {
        assertEquals(3, receiver.receive(socket, null));
        Peer peer = receiver.sender();
        assertEquals(SENDER, peer.flow.source());
        assertEquals(PORT, peer.flow.sourcePort());
        assertSame(peer.flow, receiver.flow(false));
        trafficClass = 0xBB;
        receiver.receive(socket, null);
        assertSame(peer, receiver.sender());
        assertEquals(0xBB, receiver.flow(false).trafficClass());
        assertEquals(peer.flow, receiver.flow(false));
        Peer other = flows.peer(new InetSocketAddress("127.0.0.8", PORT));
        receiver.receive(socket, other);
        assertSame(other, receiver.sender());
        assertEquals(0xBB, receiver.flow(false).trafficClass());
        trafficClass = 0;
        receiver.receive(socket, null);
        assertSame(peer.flow, receiver.flow(true));
    }

    @Test
    @DisplayName("tells that none waits apart from an error, which names its errno")
    void errors() throws IOException {
        length = -11;
        assertEquals(-11, receiver.receive(socket, null));
        length = -111;
        assertEquals("recvmsg: errno 111", assertThrows(IOException.class, () -> receiver.receive(socket, null)).getMessage());
    }
}
