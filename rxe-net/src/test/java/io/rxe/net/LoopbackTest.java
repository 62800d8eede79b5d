package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rxe.net.port.NetCounter;
import io.rxe.net.port.Offload;
import io.rxe.port.Flow;
import io.rxe.port.PacketSink;
import io.rxe.wire.Bth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames over real UDP sockets on the loopback interface. */
class LoopbackTest {
    private static final int FRAMES = 30;

    private final Random random = new Random(11);
    private final Icrc icrc = new Icrc();

    static List<Arguments> everyWay() {
        List<Arguments> ways = new ArrayList<>();
        for (Offload gso : List.of(Offload.ON, Offload.OFF)) {
            for (Offload gro : List.of(Offload.ON, Offload.OFF)) {
                for (boolean spin : List.of(false, true)) {
                    ways.add(Arguments.of(gso, gro, spin, false));
                    ways.add(Arguments.of(gso, gro, spin, true));
                }
            }
        }
        return ways;
    }

    @ParameterizedTest(name = "gso {0} gro {1} spin {2} ipv6 {3}")
    @MethodSource("everyWay")
    void framesArriveWholeAndInOrderWithTheIdentificationTheirIcrcIsFor(Offload gso, Offload gro, boolean spin, boolean ipv6)
        throws Exception {
        String from = ipv6 ? "::1" : "127.0.0.1";
        String to = ipv6 ? "::1" : "127.0.0.2";
        int fromPort = FreePorts.udp(from);
        int toPort = FreePorts.udp(to);
        RxeNicOptions options = RxeNicOptions.defaults(from).withGso(gso).withGro(gro).withSpin(spin);
        try (TestNode sender = new TestNode(options.withUdpPort(fromPort));
             TestNode receiver = new TestNode(options.withAddress(to).withUdpPort(toPort))) {
            Flow flow = Frames.flow(from, fromPort, to, toPort);
            for (int payload : List.of(4096, 1024, 64, 0)) {
                Opcode opcode = payload >= 256 ? Opcode.RC_SEND_MIDDLE : Opcode.RC_SEND_ONLY;
                sender.send(sink -> sendFrames(sink, flow, opcode, payload));
                int perBatch = gso == Offload.OFF ? 1 : Math.min(64, 65507 / Frames.lengthBytes(opcode, payload));
                for (int frame = 0; frame < FRAMES; frame++) {
                    check(receiver.next(), flow, frame, Frames.lengthBytes(opcode, payload), frame % perBatch);
                }
            }
            assertEquals(FRAMES * 4, sender.count(NetCounter.SENT_FRAMES));
            assertEquals(FRAMES * 4, receiver.count(NetCounter.RECEIVED_FRAMES));
            assertEquals(0, receiver.received.size());
        }
    }

    private int sendFrames(PacketSink sink, Flow flow, Opcode opcode, int payload) {
        for (int frame = 0; frame < FRAMES; frame++) {
            Frames.send(sink, flow, opcode, 17, frame, payload, random);
        }
        return FRAMES;
    }

    private void check(TestNode.Received frame, Flow flow, int psn, int lengthBytes, int identification) {
        assertEquals(flow, frame.flow());
        assertEquals(lengthBytes, frame.bytes().capacity());
        assertEquals(psn, Bth.psn(frame.bytes(), 0));
        if (flow.isIpv4()) {
            assertEquals(identification, icrc.recoverIpId(frame.bytes(), 0, lengthBytes, flow.icrcSeed()));
        } else {
            assertTrue(icrc.isValidIpv6(frame.bytes(), 0, lengthBytes, flow.icrcSeed()));
        }
    }

    @Test
    void framesArriveInBothDirections() throws Exception {
        int port = FreePorts.udp("127.0.0.1", "127.0.0.2");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(port);
        try (TestNode one = new TestNode(options); TestNode two = new TestNode(options.withAddress("127.0.0.2"))) {
            Flow there = Frames.flow("127.0.0.1", port, "127.0.0.2", port);
            Flow back = Frames.flow("127.0.0.2", port, "127.0.0.1", port);
            for (int psn = 0; psn < 50; psn++) {
                int number = psn;
                one.send(sink -> sendOne(sink, there, number));
                assertEquals(number, Bth.psn(two.next().bytes(), 0));
                two.send(sink -> sendOne(sink, back, number));
                assertEquals(number, Bth.psn(one.next().bytes(), 0));
            }
        }
    }

    private int sendOne(PacketSink sink, Flow flow, int psn) {
        Frames.send(sink, flow, Opcode.RC_SEND_ONLY, 17, psn, 40, random);
        return 1;
    }

    @Test
    void aFrameTooLongForThePathIsDroppedAndCountedWithAWarning() throws Exception {
        InterfaceInfo narrow = narrowInterface();
        assumeTrue(narrow != null, "needs an interface with an IPv4 address and MTU below 4000");
        String address = narrow.address().getHostAddress();
        int port = FreePorts.udp(address);
        try (TestNode node = new TestNode(RxeNicOptions.defaults(address).withUdpPort(port))) {
            // Another address of the same network, so that the route leads through the interface.
            byte[] neighbour = narrow.address().getAddress();
            neighbour[3] ^= 1;
            String to = (neighbour[0] & 255) + "." + (neighbour[1] & 255) + "." + (neighbour[2] & 255) + "."
                + (neighbour[3] & 255);
            Flow flow = Frames.flow(address, port, to, port);
            node.send(sink -> sendFrames(sink, flow, Opcode.RC_SEND_MIDDLE, 4096));
            String warning = node.warnings.poll(20, TimeUnit.SECONDS);
            assertTrue(warning != null && warning.contains("lower it or raise the interface MTU"), warning);
            assertEquals(0, node.count(NetCounter.SENT_FRAMES));
            assertEquals(FRAMES, node.count(NetCounter.DROPPED_FRAMES));
            assertTrue(node.count(NetCounter.SEND_TOO_LONG) > 0);
        }
    }

    static InterfaceInfo narrowInterface() throws Exception {
        for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (one.isUp() && !one.isLoopback() && one.getMTU() < 4000) {
                for (InetAddress address : Collections.list(one.getInetAddresses())) {
                    if (address instanceof Inet4Address) {
                        return InterfaceInfo.of(address);
                    }
                }
            }
        }
        return null;
    }
}
