package io.rxe.net.socket;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.LinuxSocket;
import io.rxe.net.Frames;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.TestNode;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.NetCounters;
import io.rxe.net.port.Offload;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.port.Flow;
import io.rxe.wire.Bth;
import io.rxe.wire.Gid;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A socket dedicated to the peer that sends most")
class PeerSocketTest {
    /** Enough datagrams to get a peer its socket, and some more. */
    private static final int MUCH = DedicatedSocket.RUN_DATAGRAMS + 500;
    /** Few enough not to overflow a socket's buffer. */
    private static final int AT_ONCE = 50;
    /** Dedicated sockets opened while another program tries to bind. */
    private static final int OPENINGS = 2000;
    /** Of a port that a test receives from itself. */
    private static final SocketSettings SETTINGS = new SocketSettings(false, true, false, Offload.AUTO, Offload.AUTO, 1 << 20, 1 << 20,
        null);

    /** A program that sends numbered datagrams to the node. */
    private final class Sender implements AutoCloseable {
        private final DatagramSocket socket;
        private final Icrc icrc = new Icrc();
        private int sent;
        /** Whether the ICRCs are wrong. */
        private boolean garbage;

        Sender() throws IOException {
            socket = new DatagramSocket(0, address.getAddress());
        }

        void sendOne() throws IOException {
            byte[] bytes = ByteBuffer.allocate(32).putInt(sent++).array();
            UnsafeBuffer frame = new UnsafeBuffer(bytes);
            Flow flow = new Flow(Gid.of(address.getAddress().getAddress()), Gid.of(address.getAddress().getAddress()),
                socket.getLocalPort(), address.getPort());
            Icrc.write(frame, 28, icrc.compute(frame, 0, 28, flow.icrcSeed(), flow.isIpv4(), 0) ^ (garbage ? 0x55AA00FF : 0));
            socket.send(new DatagramPacket(bytes, bytes.length, address));
        }

        /** Sends datagrams, and checks that each arrives once, in order, and with the right sender. */
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
        if (node != null) {
            node.close();
        }
    }

    private PeerSocketOpener opener() {
        SocketSettings settings = new SocketSettings(false, false, false, Offload.AUTO, Offload.AUTO, 1 << 20, 1 << 20, null);
        return new SocketOpener(settings, new Warnings(sentence -> { })).peerSockets(address);
    }

    private long peerSockets() {
        return node.count(NetCounter.PEER_SOCKETS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    @DisplayName("nothing is lost, duplicated or reordered when a peer gets one, and other peers are received as before")
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
    @DisplayName("what other peers sent while no thread received is found by the first receive")
    void anIdleSharedSocketIsFound() throws Exception {
        address = new InetSocketAddress("127.0.0.1", FreePorts.udp("127.0.0.1"));
        SocketOpener sockets = new SocketOpener(SETTINGS, new Warnings(sentence -> { }));
        NetCounters counters = new NetCounters(null, null);
        UdpPort port = new DirectUdpPort(sockets.open(address, 0), sockets.peerSockets(address), address, SETTINGS, counters,
            new Warnings(sentence -> { }));
        AtomicInteger frames = new AtomicInteger();
        try (Sender much = new Sender(); Sender little = new Sender()) {
            port.start(null, (buffer, offset, length, flow) -> frames.incrementAndGet(), () -> { });
            for (int sent = 0; sent < MUCH; sent++) {
                much.sendOne();
                port.receive(1 << 16);
            }
            assertEquals(1, counters.get(NetCounter.PEER_SOCKETS));
            while (port.receive(1 << 16) > 0 || frames.get() < MUCH) {
                // The last of them are on their way.
                Thread.onSpinWait();
            }
            port.lookEverywhere();
            assertEquals(0, port.receive(1 << 16), "empty");
            little.sendOne();
            assertEquals(0, port.receive(1 << 16), "left out");
            port.lookEverywhere();
            assertEquals(1, port.receive(1 << 16));
        } finally {
            port.close();
        }
    }

    @Test
    @DisplayName("a socket that is replaced is closed also where memory ends while it is emptied: else nobody would hear its peer again")
    void aReplacedSocketIsClosed() throws Exception {
        address = new InetSocketAddress("127.0.0.1", FreePorts.udp("127.0.0.1"));
        SocketOpener sockets = new SocketOpener(SETTINGS, new Warnings(sentence -> { }));
        List<LinuxSocket> opened = new ArrayList<>();
        try (Sender first = new Sender(); Sender second = new Sender()) {
            UdpPort port = new DirectUdpPort(sockets.open(address, 0), (shared, peer) -> {
                opened.add(sockets.peerSockets(address).open(shared, peer));
                second.sendOne();
                return opened.get(opened.size() - 1);
            }, address, SETTINGS, new NetCounters(null, null), new Warnings(sentence -> { }));
            port.start(null, (buffer, offset, length, flow) -> {
                if (opened.size() == 2) {
                    throw new OutOfMemoryError("thrown by the test");
                }
            }, () -> { });
            for (Sender sender : List.of(first, second)) {
                int before = opened.size();
                for (int sent = 0; opened.size() == before && sent < MUCH; sent++) {
                    sender.sendOne();
                    port.lookEverywhere();
                    receive(port);
                }
            }
            assertEquals(List.of(false, true), opened.stream().map(LinuxSocket::isOpen).toList());
            port.close();
        }
    }

    private static void receive(UdpPort port) {
        try {
            port.receive(1 << 16);
        } catch (OutOfMemoryError e) {
            assertEquals("thrown by the test", e.getMessage());
        }
    }

    @Test
    @DisplayName("an acknowledgement held back behind a single request is not overwritten when the new socket is drained")
    void aHeldFrameSurvivesTheDrain() throws Exception {
        node = new TestNode(options("127.0.0.1", "127.0.0.2"));
        try (TestNode much = new TestNode(RxeNicOptions.defaults("127.0.0.2").withUdpPort(address.getPort()))) {
            Flow flow = Frames.flow("127.0.0.2", address.getPort(), "127.0.0.1", address.getPort());
            for (int psn = 1; psn < DedicatedSocket.RUN_DATAGRAMS; psn++) {
                send(much, flow, Opcode.RC_SEND_ONLY, psn, 64);
                assertEquals(psn, Bth.psn(node.next().bytes(), 0));
            }
            // An idle period begins with a receive that finds nothing; the first poll may belong to the receive that found the last one.
            int polls = node.polls.get();
            node.await(() -> {
                node.wake();
                return node.polls.get() > polls + 1;
            }, "a receive that finds nothing");
            node.call(() -> {
                much.send(sink -> {
                    Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, new Random(1));
                    Frames.send(sink, flow, Opcode.RC_ACKNOWLEDGE, 5, 2, 0, new Random(1));
                    return 1;
                });
                send(much, flow, Opcode.RC_SEND_ONLY, 3, 1024);
                much.await(NetCounter.SENT_FRAMES, DedicatedSocket.RUN_DATAGRAMS + 2);
            });
            for (int psn = 1; psn <= 3; psn++) {
                assertEquals(psn, Bth.psn(node.next().bytes(), 0));
            }
            assertEquals(1, peerSockets());
        }
    }

    private static void send(TestNode from, Flow flow, Opcode opcode, int psn, int payloadBytes) {
        from.send(sink -> {
            Frames.send(sink, flow, opcode, 5, psn, payloadBytes, new Random(1));
            return 1;
        });
    }

    @Test
    @DisplayName("a peer that sends alone while the other is silent takes over the dedicated socket")
    void theSocketIsTakenOver() throws Exception {
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
    @DisplayName("peers that send alternately get none")
    void alternatingPeersGetNone() throws Exception {
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
    @DisplayName("the address is not shared: no other program can bind it")
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
    @DisplayName("while dedicated sockets open and close, no program with SO_REUSEADDR gets in")
    void thePortNeverOpens() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        PeerSocketOpener opener = opener();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger bound = new AtomicInteger();
        Thread thief = new Thread(() -> {
            while (!ended.get()) {
                try (DatagramSocket other = new DatagramSocket(null)) {
                    tries.incrementAndGet();
                    other.setReuseAddress(true);
                    other.bind(address);
                    bound.incrementAndGet();
                } catch (IOException e) {
                    // As it should be.
                    continue;
                }
            }
        });
        thief.start();
        for (int opened = 0; opened < OPENINGS || tries.get() < OPENINGS; opened++) {
            opener.open(null, new InetSocketAddress("127.0.0.1", 9)).close();
        }
        ended.set(true);
        thief.join();
        assertEquals(0, bound.get(), () -> "of " + tries.get() + " tries");
    }

    @Test
    @DisplayName("another user cannot bind the port, whatever options it sets")
    void anotherUserCannotBind() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "needs root to become nobody");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")) && Files.isExecutable(Path.of("/usr/bin/perl")),
            "needs setpriv and perl");
        LinuxSocket dedicated = opener().open(null, new InetSocketAddress("127.0.0.1", 9));
        try {
            for (int option : new int[] {2, 15}) {
                String script = "use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0); setsockopt($s, 1, " + option
                    + ", 1) or exit 2; exit(bind($s, sockaddr_in(" + address.getPort() + ", inet_aton('127.0.0.1'))) ? 0 : 1)";
                Process nobody = new ProcessBuilder("/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
                    "/usr/bin/perl", "-e", script).inheritIO().start();
                assertEquals(1, nobody.waitFor(), "bind with option " + option);
            }
        } finally {
            dedicated.close();
        }
    }

    @Test
    @DisplayName("a closed peer only counts an error")
    void aClosedPeerDoesNoHarm() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        try (Sender much = new Sender(); Sender little = new Sender()) {
            much.send(MUCH);
            int port = much.socket.getLocalPort();
            much.socket.close();
            node.send(sink -> {
                Frames.send(sink, Frames.flow("127.0.0.1", address.getPort(), "127.0.0.1", port),
                    Opcode.RC_SEND_ONLY, 5, 1, 8, new Random(1));
                return 0;
            });
            // The ICMP error is pending before anything else arrives.
            node.await(NetCounter.SENT_FRAMES, 1);
            little.send(2 * AT_ONCE);
            assertEquals(1, node.count(NetCounter.RECEIVE_ERRORS));
        }
    }

    @Test
    @DisplayName("a frame held back behind a request is not overwritten by datagrams of other peers")
    void aHeldFrameIsNotOverwritten() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        Random random = new Random(1);
        try (TestNode much = new TestNode(RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1")));
             Sender little = new Sender()) {
            Flow flow = Frames.flow("127.0.0.1", much.udpPort, "127.0.0.1", address.getPort());
            for (int i = 0; i < MUCH; i++) {
                much.send(sink -> {
                    Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, random);
                    return 1;
                });
                node.next();
            }
            assertEquals(1, peerSockets());
            for (int i = 0; i < AT_ONCE; i++) {
                node.call(() -> {
                    long before = much.count(NetCounter.SENT_FRAMES);
                    much.send(sink -> {
                        Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 5, 1, 64, random);
                        Frames.send(sink, flow, Opcode.RC_ACKNOWLEDGE, 5, 2, 0, random);
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
    @DisplayName("garbage earns no peer a socket, and lets none keep it")
    void garbageEarnsNothing() throws Exception {
        node = new TestNode(options("127.0.0.1"));
        try (Sender first = new Sender(); Sender second = new Sender()) {
            first.garbage = true;
            first.send(3 * MUCH);
            assertEquals(0, peerSockets());
            first.garbage = false;
            first.send(MUCH);
            assertEquals(1, peerSockets());
            first.garbage = true;
            for (int done = 0; done < 2 * MUCH; done += AT_ONCE) {
                for (int i = 0; i < AT_ONCE; i++) {
                    first.sendOne();
                    second.sendOne();
                }
                int last = Integer.reverseBytes(second.sent - 1);
                TestNode.Received frame = node.next();
                while (frame.flow().sourcePort() != second.socket.getLocalPort() || frame.bytes().getInt(0) != last) {
                    frame = node.next();
                }
            }
            assertEquals(2, peerSockets(), "the socket went to the peer that sends frames");
        }
    }

    @Test
    @DisplayName("a peer for which no socket can be opened is passed over; others get theirs, and the present one is kept")
    void onlyTheRefusedPeerIsPassedOver() throws Exception {
        RxeNicOptions options = options("127.0.0.1");
        PeerSocketOpener opener = opener();
        AtomicInteger refusedPort = new AtomicInteger();
        node = new TestNode(options, (shared, peer) -> {
            if (peer.getPort() == refusedPort.get()) {
                throw new NoRouteToHostException();
            }
            return opener.open(shared, peer);
        });
        try (Sender first = new Sender(); Sender refused = new Sender(); Sender third = new Sender()) {
            refusedPort.set(refused.socket.getLocalPort());
            first.send(MUCH);
            assertEquals(1, peerSockets());
            refused.send(2 * MUCH);
            assertEquals(1, peerSockets());
            String warning = node.warnings.poll();
            assertTrue(warning.contains("NoRouteToHostException") && !warning.contains("null"), warning);
            first.send(AT_ONCE);
            third.send(MUCH);
            assertEquals(2, peerSockets());
            assertTrue(node.warnings.isEmpty(), () -> node.warnings.toString());
        }
    }

    @Test
    @DisplayName("where no dedicated socket can be opened all peers are received through the shared one, with one warning")
    void aRefusalIsWarnedOfOnce() throws Exception {
        node = new TestNode(options("127.0.0.1"), (shared, peer) -> {
            throw new IOException("Too many open files");
        });
        try (Sender much = new Sender()) {
            much.send(2 * MUCH);
            assertEquals(0, peerSockets());
            String warning = node.warnings.poll();
            assertTrue(warning.contains("Too many open files"), warning);
            assertTrue(node.warnings.isEmpty(), () -> node.warnings.toString());
        }
    }
}
