package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.TestNode;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** rdma_rxe sends over IPv6 without a UDP checksum. Linux drops such datagrams unless the receiving socket allows them. */
class ZeroChecksumTest {
    private static final int SOL_UDP = 17;
    private static final int UDP_NO_CHECK6_TX = 101;
    private static final int FRAME_BYTES = 48;

    @Test
    void datagramsOverIpv6WithoutAChecksumArrive() throws Exception {
        int port = FreePorts.udp("::1");
        SocketOpener.requireEpoll();
        LinuxSocket sender = LinuxSocket.newSocketDgram(SocketProtocolFamily.INET6);
        try (TestNode node = new TestNode(RxeNicOptions.defaults("::1").withUdpPort(port))) {
            SocketOptions.set(sender, SOL_UDP, UDP_NO_CHECK6_TX, 1);
            ByteBuffer frame = ByteBuffer.allocateDirect(FRAME_BYTES);
            assertEquals(FRAME_BYTES, sender.sendTo(frame, 0, FRAME_BYTES, InetAddress.getByName("::1"), port));
            assertEquals(FRAME_BYTES, node.next().bytes().capacity());
        } finally {
            sender.close();
        }
    }
}
