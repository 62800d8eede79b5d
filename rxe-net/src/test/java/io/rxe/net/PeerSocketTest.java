package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A socket for the peer that sends most")
class PeerSocketTest {
    /** Earns a peer its socket, and goes on. */
    private static final int MUCH = DirectUdpPort.HOT_DATAGRAMS + 500;
    /** Few enough that no socket's buffer overflows. */
    private static final int AT_ONCE = 50;

    /** A program that sends numbered datagrams to the node. */
    private final class Sender implements AutoCloseable {
        private final DatagramSocket socket;
        private int sent;

        Sender() throws IOException {
            socket = new DatagramSocket(0, address.getAddress());
        }

        void sendOne() throws IOException {
            byte[] bytes = ByteBuffer.allocate(32).putInt(sent++).array();
            socket.send(new DatagramPacket(bytes, bytes.length, address));
        }

        /** Each arrives once, in order, and with the right sender. */
        void send(int count) throws IOException, InterruptedException {
            for (int done = 0; done < count; done += AT_ONCE) {
                int first = sent;
                for (int i = 0; i < AT_ONCE; i++) {
                    sendOne();
                }
                for (int i = 0; i < AT_ONCE; i++) {
                    expect(first + i);
                }
            }
        }

        void expect(int number) throws InterruptedException {
            TestNode.Received frame = node.next();
            assertEquals(Integer.toHexString(Integer.reverseBytes(number)), Integer.toHexString(frame.bytes().getInt(0)));
            assertEquals(socket.getLocalPort(), frame.flow().sourcePort());
            assertEquals(Gid.of(socket.getLocalAddress().getAddress()), frame.flow().source());
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    private InetSocketAddress address;
    private TestNode node;

    /** The node at the first address, on a port that is free at all of them. */
    private RxeNicOptions options(String... hosts) throws IOException {
        address = new InetSocketAddress(InetAddress.getByName(hosts[0]), FreePorts.udp(hosts));
        return RxeNicOptions.defaults(hosts[0]).withUdpPort(address.getPort());
    }

    @AfterEach
    void close() {
        node.close();
    }

    private long peerSockets() {
        return node.count(NetCounter.PEER_SOCKETS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    @DisplayName("nothing is lost, doubled or overtaken when a peer gets it, and the others are heard as before")
    void everythingArrives(String host) throws Exception {
        node = new TestNode(options(host));
        try (Sender much = new Sender(); Sender little = new Sender()) {
            much.send(MUCH);
            assertEquals(1, peerSockets());
            little.send(AT_ONCE);
            much.send(AT_ONCE);
            little.send(AT_ONCE);
            assertEquals(1, peerSockets());
        }
    }

    @Test
    @DisplayName("an acknowledgement that waits behind a lone request is not written over by what the new socket brings in")
    void whatWaitsIsKept() throws Exception {
        node = new TestNode(options("127.0.0.1", "127.0.0.2"));
        try (TestNode much = new TestNode(RxeNicOptions.defaults("127.0.0.2").withUdpPort(address.getPort()))) {
            Flow flow = Frames.flow("127.0.0.2", address.getPort(), "127.0.0.1", address.getPort());
            for (int psn = 1; psn < DirectUdpPort.HOT_DATAGRAMS; psn++) {
                send(much, flow, Opcode.RC_SEND_ONLY, psn, 64);
                assertEquals(psn, Bth.psn(node.next().bytes(), 0));
            }
            // A lull begins when it has looked and found nothing; the first poll may belong to the look that found the last one.
            int polls = node.polls.get();
            node.await(() -> {
                node.loop.wake();
                return node.polls.get() > polls + 1;
            }, "a look that finds nothing");
            node.loop.call(() -> {
                much.send(sink -> {
                    Frames.send((EpollPacketSink) sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, new Random(1));
                    Frames.send((EpollPacketSink) sink, flow, Opcode.RC_ACKNOWLEDGE, 5, 2, 0, new Random(1));
                    return 1;
                });
                send(much, flow, Opcode.RC_SEND_ONLY, 3, 1024);
                much.await(NetCounter.SENT_FRAMES, DirectUdpPort.HOT_DATAGRAMS + 2);
            });
            for (int psn = 1; psn <= 3; psn++) {
                assertEquals(psn, Bth.psn(node.next().bytes(), 0));
            }
            assertEquals(1, peerSockets());
        }
    }

    private static void send(TestNode from, Flow flow, Opcode opcode, int psn, int payloadBytes) {
        from.send(sink -> {
            Frames.send((EpollPacketSink) sink, flow, opcode, 5, psn, payloadBytes, new Random(1));
            return 1;
        });
    }

    @Test
    @DisplayName("a peer that sends alone while the other is silent takes its place")
    void thePlaceIsTaken() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        try (Sender first = new Sender(); Sender second = new Sender()) {
            first.send(MUCH);
            second.send(MUCH);
            assertEquals(2, peerSockets());
            first.send(AT_ONCE);
            second.send(AT_ONCE);
        }
    }

    @Test
    @DisplayName("peers that send in turn get none")
    void nobodyStandsOut() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        try (Sender first = new Sender(); Sender second = new Sender()) {
            for (int i = 0; i < 3 * MUCH; i += 2 * AT_ONCE) {
                first.send(AT_ONCE);
                second.send(AT_ONCE);
            }
            assertEquals(0, peerSockets());
        }
    }

    @Test
    @DisplayName("the address stays ours: no other program can bind it")
    void theAddressIsNotShared() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        try (Sender much = new Sender(); DatagramSocket other = new DatagramSocket(null)) {
            much.send(MUCH);
            assertEquals(1, peerSockets());
            other.setReuseAddress(true);
            assertThrows(BindException.class, () -> other.bind(address));
        }
    }

    @Test
    @DisplayName("a closed peer is noticed by nobody but the counter of errors")
    void aClosedPeerDoesNoHarm() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        try (Sender much = new Sender(); Sender little = new Sender()) {
            much.send(MUCH);
            int port = much.socket.getLocalPort();
            much.socket.close();
            node.send(sink -> {
                Frames.send((EpollPacketSink) sink, Frames.flow("127.0.0.1", address.getPort(), "127.0.0.1", port),
                    Opcode.RC_SEND_ONLY, 5, 1, 8, new Random(1));
                return 0;
            });
            // The refusal is there before anything else arrives.
            node.await(NetCounter.SENT_FRAMES, 1);
            little.send(2 * AT_ONCE);
            assertEquals(1, node.count(NetCounter.RECEIVE_ERRORS));
        }
    }

    @Test
    @DisplayName("a frame that waits for the request before it to be answered is not overwritten by what others send")
    void whatWaitsStaysWhole() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        Random random = new Random(1);
        try (TestNode much = new TestNode(RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1")));
             Sender little = new Sender()) {
            Flow flow = Frames.flow("127.0.0.1", much.udpPort, "127.0.0.1", address.getPort());
            for (int i = 0; i < MUCH; i++) {
                much.send(sink -> {
                    Frames.send((EpollPacketSink) sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, random);
                    return 1;
                });
                node.next();
            }
            assertEquals(1, peerSockets());
            for (int i = 0; i < AT_ONCE; i++) {
                node.loop.call(() -> {
                    long before = much.count(NetCounter.SENT_FRAMES);
                    much.send(sink -> {
                        Frames.send((EpollPacketSink) sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, random);
                        Frames.send((EpollPacketSink) sink, flow, Opcode.RC_ACKNOWLEDGE, 5, 2, 0, random);
                        return 1;
                    });
                    much.await(NetCounter.SENT_FRAMES, before + 2);
                    assertDoesNotThrow(() -> little.socket.send(new DatagramPacket(new byte[200], 200, address)));
                });
                List<Integer> opcodes = Stream.of(node.next(), node.next(), node.next())
                    .filter(frame -> frame.flow().sourcePort() == much.udpPort).map(frame -> Bth.opcode(frame.bytes(), 0)).toList();
                assertEquals(List.of(Opcode.RC_SEND_ONLY.code(), Opcode.RC_ACKNOWLEDGE.code()), opcodes);
            }
        }
    }

    @Test
    @DisplayName("where no second socket can be opened everything comes through the first, and that is said once")
    void aRefusalIsSaid() throws Exception {
        node = new TestNode(options("127.0.0.1"), (shared, peer) -> {
            throw new IOException("Too many open files");
        });
        try (Sender much = new Sender()) {
            much.send(2 * MUCH);
            assertEquals(0, peerSockets());
            String notice = node.notices.poll();
            assertTrue(notice.contains("Too many open files"), notice);
            assertTrue(node.notices.isEmpty(), () -> node.notices.toString());
        }
    }
}
