package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.epoll.LinuxSocket;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.Offload;
import io.rxe.net.port.UdpPort;
import io.rxe.net.port.Warnings;
import io.rxe.net.socket.DirectUdpPort;
import io.rxe.net.socket.SocketOpener;
import io.rxe.port.EcnOptions;
import io.rxe.port.Flow;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Bth;
import io.rxe.wire.Opcode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** At which engine's socket a packet arrives. */
class SteeringTest {
    private static final int FIRST_QPN = 2;
    private static final int FRAMES_PER_ENGINE = 60;

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 2", "127.0.0.1, 3", "127.0.0.1, 4", "::1, 2", "::1, 4"})
    void theKernelDeliversEachPacketToTheEngineThatOwnsItsQueuePair(String address, int engines) throws Exception {
        assertEquals(0, forwarded(address, engines, true));
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 2", "127.0.0.1, 4", "::1, 3"})
    void withoutSteeringTheEnginesForwardThem(String address, int engines) throws Exception {
        // The kernel then chooses by addresses and ports: one flow arrives at one socket, whose engine owns only a part of it.
        assertEquals(FRAMES_PER_ENGINE * (engines - 1), forwarded(address, engines, false));
    }

    /** Sends packets of one flow to queue pairs of all engines, checks that each engine gets its own, and counts those forwarded. */
    private static long forwarded(String address, int engines, boolean steered) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults(address).withUdpPort(FreePorts.udp(address)).withEngines(engines);
        InterfaceInfo local = InterfaceInfo.of(address);
        InetSocketAddress bound = new InetSocketAddress(local.address(), options.udpPort());
        SocketOpener opener = new SocketOpener(options.socketSettings(), new Warnings(sentence -> { }));
        List<TestNode> nodes = new ArrayList<>();
        try (TestNode sender = new TestNode(RxeNicOptions.defaults(address).withUdpPort(FreePorts.udp(address))
            .withGso(Offload.OFF))) {
            for (int engine = 0; engine < engines; engine++) {
                LinuxSocket socket = engine == 0 ? opener.open(bound, local.index()) : opener.openNext(bound, local.index());
                nodes.add(new TestNode(options, socket, port -> port, engine, engines));
                if (steered && engine == engines - 1) {
                    SocketOpener.steerByQueuePair(socket, engines);
                }
            }
            TestNode.join(nodes);
            sendToAll(sender, Frames.flow(address, sender.udpPort, address, options.udpPort()), engines);
            for (int frame = 0; frame < FRAMES_PER_ENGINE * engines; frame++) {
                int qpn = FIRST_QPN + frame;
                assertEquals(qpn, Bth.destinationQpn(nodes.get(qpn % engines).next().bytes(), 0));
            }
            long forwarded = 0;
            for (TestNode node : nodes) {
                forwarded += node.count(NetCounter.FORWARDED_FRAMES);
                assertEquals(0, node.count(NetCounter.FORWARD_OVERFLOW));
                assertTrue(node.received.isEmpty());
            }
            return forwarded;
        } finally {
            nodes.forEach(TestNode::close);
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 1", "127.0.0.1, 2", "127.0.0.1, 3", "::1, 1", "::1, 2"})
    void whatRoutersMarkedArrivesMarkedAtItsEngine(String address, int engines) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults(address).withUdpPort(FreePorts.udp(address)).withEngines(engines)
            .withEcn(EcnOptions.ON);
        InterfaceInfo local = InterfaceInfo.of(address);
        InetSocketAddress bound = new InetSocketAddress(local.address(), options.udpPort());
        SocketOpener opener = new SocketOpener(options.socketSettings(), new Warnings(sentence -> { }));
        List<TestNode> nodes = new ArrayList<>();
        try (TestNode sender = new TestNode(RxeNicOptions.defaults(address).withUdpPort(FreePorts.udp(address)))) {
            for (int engine = 0; engine < engines; engine++) {
                LinuxSocket socket = engine == 0 ? opener.open(bound, local.index()) : opener.openNext(bound, local.index());
                LinuxSocket marked = opener.openNext(bound, local.index());
                nodes.add(new TestNode(options, socket, port -> receivingMarked(port, marked, options), engine, engines));
                SocketOpener.steerMarked(socket, engines, local.gid().isIpv4());
            }
            if (engines > 1) {
                TestNode.join(nodes);
            }
            Flow flow = Frames.flow(address, sender.udpPort, address, options.udpPort());
            for (int trafficClass = 0; trafficClass <= 255; trafficClass++) {
                Flow sent = flow.withTrafficClass(trafficClass);
                int qpn = FIRST_QPN + trafficClass;
                sender.send(sink -> {
                    Frames.send(sink, sent, Opcode.RC_SEND_ONLY, qpn, 0, 40, new Random(1));
                    return 1;
                });
                TestNode.Received received = nodes.get(qpn % engines).next();
                assertEquals(qpn, Bth.destinationQpn(received.bytes(), 0));
                assertEquals(sent.isCongestionExperienced(), received.flow().isCongestionExperienced(), "class " + trafficClass);
            }
            for (TestNode node : nodes) {
                assertEquals(0, node.count(NetCounter.FORWARDED_FRAMES));
            }
        } finally {
            nodes.forEach(TestNode::close);
        }
    }

    private static UdpPort receivingMarked(UdpPort port, LinuxSocket marked, RxeNicOptions options) {
        try {
            ((DirectUdpPort) port).receiveMarked(marked, options.socketSettings());
            return port;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void sendToAll(TestNode sender, Flow flow, int engines) {
        sender.send(sink -> {
            for (int frame = 0; frame < FRAMES_PER_ENGINE * engines; frame++) {
                Frames.send(sink, flow, Opcode.RC_SEND_ONLY, FIRST_QPN + frame, 0, 40, new Random(1));
            }
            return 1;
        });
    }

    @ParameterizedTest
    @CsvSource({"2", "4"})
    void wholeNicsForwardNothing(int engines) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2"))
            .withEngines(engines).withSeed(3L);
        try (RxeNic one = RxeNic.open(options); RxeNic two = RxeNic.open(options.withAddress("127.0.0.2"))) {
            for (int connection = 0; connection < engines; connection++) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, 50_000);
            }
            for (int engine = 0; engine < engines; engine++) {
                assertTrue(one.counters(engine).get(NetCounter.RECEIVED_FRAMES) > 0, "engine " + engine + " receives");
                assertTrue(two.counters(engine).get(NetCounter.RECEIVED_FRAMES) > 0, "engine " + engine + " receives");
            }
            assertEquals(0, one.count(NetCounter.FORWARDED_FRAMES) + two.count(NetCounter.FORWARDED_FRAMES));
        }
    }
}
