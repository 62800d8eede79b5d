package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.capture.Direction;
import io.rxe.port.EcnOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.Ecn;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The traffic class of each packet on the wire is that of its queue pair or address handle")
class TrafficClassTest {
    private static final int CLASSES = 8;
    private static final int BYTES = 60_000;
    private static final int ROUNDS = 20;
    private static final int DSCP = 0xFC;

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0} and {1}, {2} engines")
    @CsvSource({"127.0.0.1, 127.0.0.2, 1", "127.0.0.1, 127.0.0.2, 2", "::1, ::1, 1"})
    void eightClassesAtOnce(String left, String right, int engines) throws Exception {
        int leftPort = FreePorts.udp(left);
        int rightPort = FreePorts.udp(left, right);
        Path own = folder.resolve("own.pcapng");
        Map<Integer, Integer> expected = new HashMap<>();
        List<WireCapture.Seen> wire;
        RxeNicOptions options = RxeNicOptions.defaults(left).withUdpPort(leftPort).withEngines(engines);
        try (WireCapture capture = new WireCapture(left, leftPort, rightPort)) {
            try (RxeNic one = RxeNic.open(options.withCaptureFile(own));
                 RxeNic two = RxeNic.open(options.withAddress(right).withUdpPort(rightPort))) {
                List<QueuePairLink> links = new ArrayList<>();
                List<QueuePairLink> peers = new ArrayList<>();
                for (int i = 0; i < CLASSES; i++) {
                    // With ECN bits, which the application does not decide about.
                    int trafficClass = 32 * i + i;
                    links.add(new QueuePairLink(one.device(), 2 * BYTES));
                    peers.add(new QueuePairLink(two.device(), 2 * BYTES));
                    QueuePairLink.connect(links.get(i), peers.get(i), PathMtu.MTU_1024, trafficClass);
                    assertEquals(trafficClass, links.get(i).queuePair.query().addressVector().trafficClass());
                    expected.put(links.get(i).queuePair.number(), trafficClass & DSCP);
                    expected.put(peers.get(i).queuePair.number(), trafficClass & DSCP);
                }
                exchange(links, peers);
            }
            wire = capture.packets();
        }
        assertEquals(2 * CLASSES, expected.size());
        compare(expected, wire, true);
        List<WireCapture.Seen> captured = WireCapture.read(own, leftPort, rightPort);
        compare(expected, captured.stream().filter(packet -> packet.direction() == Direction.OUTBOUND).toList(), false);
        assertTrue(captured.stream().allMatch(packet -> packet.direction() == Direction.OUTBOUND || packet.trafficClass() == 0),
            "what arrived is not marked");
    }

    /** Writes and reads of all queue pairs at once. */
    private static void exchange(List<QueuePairLink> links, List<QueuePairLink> peers) {
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < CLASSES; i++) {
                QueuePairLink peer = peers.get(i);
                MemoryRegion region = links.get(i).region;
                links.get(i).queuePair.postSend(new WorkRequest().id(1).write(peer.region.address(), peer.region.rKey())
                    .add(region, 0, BYTES));
                links.get(i).queuePair.postSend(new WorkRequest().id(2).read(peer.region.address(), peer.region.rKey())
                    .add(region, BYTES, BYTES));
            }
            for (QueuePairLink link : links) {
                link.complete();
                link.complete();
            }
        }
    }

    private static void compare(Map<Integer, Integer> expected, List<WireCapture.Seen> packets, boolean bothWays) {
        Map<Integer, Integer> seen = new HashMap<>();
        for (WireCapture.Seen packet : packets) {
            assertEquals(expected.get(packet.qpn()), packet.trafficClass(), packet.toString());
            seen.merge(packet.qpn(), 1, Integer::sum);
        }
        assertEquals(bothWays ? expected.size() : CLASSES, seen.size(), "every queue pair sent");
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.2, 1", "::1, ::1, 2"})
    void onlyWhatCarriesDataMayBeMarked(String left, String right, int engines) throws Exception {
        int leftPort = FreePorts.udp(left);
        int rightPort = FreePorts.udp(left, right);
        List<WireCapture.Seen> wire;
        RxeNicOptions options = RxeNicOptions.defaults(left).withUdpPort(leftPort).withEcn(EcnOptions.ON).withEngines(engines);
        try (WireCapture capture = new WireCapture(left, leftPort, rightPort)) {
            try (RxeNic one = RxeNic.open(options);
                 RxeNic two = RxeNic.open(options.withAddress(right).withUdpPort(rightPort))) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, BYTES);
                QueuePairLink.exchange(one, two, PathMtu.MTU_256, BYTES);
            }
            wire = capture.packets();
        }
        int data = 0;
        for (WireCapture.Seen packet : wire) {
            assertEquals(packet.opcode().hasPayload() ? Ecn.CAPABLE : 0, packet.trafficClass(), packet.toString());
            data += packet.opcode().hasPayload() ? 1 : 0;
        }
        assertTrue(data > 0 && data < wire.size());
    }

    @Test
    void datagramsHaveTheClassOfTheirAddressHandle() throws Exception {
        int port = FreePorts.udp("127.0.0.1");
        List<WireCapture.Seen> wire;
        try (WireCapture capture = new WireCapture("127.0.0.1", port);
             RxeNic nic = RxeNic.open(RxeNicOptions.defaults("127.0.0.1").withUdpPort(port))) {
            ProtectionDomain domain = nic.device().allocateProtectionDomain();
            CompletionQueue completions = nic.device().createCompletionQueue(16);
            MemoryRegion region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
            QueuePair queuePair = domain.createQueuePair(QueuePairConfig.of(QueuePairType.UD, completions, completions));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(1).partitionKeyIndex(0).queueKey(1));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS).sendPsn(0));
            for (int trafficClass : new int[] {0xB8, 0, 0x23}) {
                AddressVector vector = new AddressVector(nic.device().gid(), port, trafficClass, 64);
                queuePair.postSend(new WorkRequest().id(1).send().add(region, 0, 64).to(domain.createAddressHandle(vector),
                    queuePair.number(), 1));
                while (!completions.poll(new WorkCompletion())) {
                    Thread.onSpinWait();
                }
            }
            wire = capture.packets();
        }
        assertEquals(List.of(0xB8, 0, 0x20), wire.stream().map(WireCapture.Seen::trafficClass).toList());
    }
}
