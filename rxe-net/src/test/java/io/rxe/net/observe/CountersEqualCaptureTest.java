package io.rxe.net.observe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.CounterLayout;
import io.rxe.counters.CountersView;
import io.rxe.counters.CountersView.Counter;
import io.rxe.counters.CountersView.QueuePairRow;
import io.rxe.counters.NicCounter;
import io.rxe.net.FreePorts;
import io.rxe.net.QueuePairLink;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.net.port.NetCounter;
import io.rxe.net.port.PortLayer;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.DropReason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** After a run the counters equal what a capture of the same run adds up to, frame by frame. */
@DisplayName("Counters equal the capture")
class CountersEqualCaptureTest {
    private static final int START_PSN = 0xFFFFF0;
    private static final int CONNECTIONS = 3;
    private static final int MESSAGE_BYTES = 60_001;
    private static final List<NicCounter> COMPARED = List.of(NicCounter.SENT_PKTS, NicCounter.SENT_BYTES, NicCounter.RCVD_PKTS,
        NicCounter.RCVD_BYTES, NicCounter.RETRANSMITTED_PKTS, NicCounter.DUPLICATE_REQUEST, NicCounter.OUT_OF_SEQ_REQUEST,
        NicCounter.REORDER_BUFFERED, NicCounter.SEND_SEQ_ERR, NicCounter.SEND_RNR_ERR, NicCounter.RCVD_SEQ_ERR,
        NicCounter.RCVD_RNR_ERR);

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "faults: {0}")
    @CsvSource({"none, 1", "loss 2%, 2", "duplicate 3% reorder 10% delay 200us, 3",
        "loss 2% duplicate 2% reorder 5% corrupt 1% delay 200us, 4"})
    void frameByFrame(String faults, long seed) throws Exception {
        Path file = folder.resolve("capture.pcapng");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1", "127.0.0.2")).withSeed(seed);
        PortLayer layer = "none".equals(faults) ? null : FaultSpec.parse(faults).layer(seed);
        CapturedTraffic captured = new CapturedTraffic(PathMtu.MTU_1024.bytes());
        List<QueuePairLink> links = new ArrayList<>();
        RxeNic nic = RxeNic.open(options.withCaptureFile(file));
        long frames;
        try (RxeNic peer = RxeNic.open(options.withAddress("127.0.0.2").withFault(layer))) {
            for (int i = 0; i < CONNECTIONS; i++) {
                QueuePairLink own = new QueuePairLink(nic.device(), 4 * MESSAGE_BYTES);
                QueuePairLink other = new QueuePairLink(peer.device(), 4 * MESSAGE_BYTES);
                QueuePairLink.connect(own, other, PathMtu.MTU_1024);
                captured.connection(own.queuePair.number(), other.queuePair.number(), START_PSN);
                exchange(own, other, seed);
                exchange(other, own, seed + 1);
                links.add(own);
            }
        } finally {
            nic.close();
        }
        frames = nic.count(NetCounter.SENT_FRAMES) + nic.count(NetCounter.RECEIVED_FRAMES);
        captured.read(file);
        for (NicCounter counter : COMPARED) {
            assertEquals(captured.count(counter.label()), nic.core().counter(counter), counter.label());
        }
        for (DropReason reason : DropReason.values()) {
            assertEquals(captured.count("drop " + reason.label()), nic.core().counter(reason), reason.label());
        }
        assertEquals(captured.count("sent_pkts"), nic.count(NetCounter.SENT_FRAMES));
        assertTrue(frames > CONNECTIONS * 6 * (MESSAGE_BYTES / 1024));
        assertTrue("none".equals(faults) || nic.core().counter(NicCounter.DUPLICATE_REQUEST) + nic.core().counter(
            NicCounter.OUT_OF_SEQ_REQUEST) + nic.core().counter(NicCounter.RETRANSMITTED_PKTS) > 0, "the faults had an effect");
        compareFile(nic, links, captured);
    }

    /** The counter file after the NIC was closed: it has the last values of device and queue pairs. */
    private static void compareFile(RxeNic nic, List<QueuePairLink> links, CapturedTraffic captured) throws Exception {
        CountersView view = CounterFolder.open(CounterFile.ofProcess().path());
        for (NicCounter counter : COMPARED) {
            long value = view.counters().stream().filter(one -> one.device().equals(nic.device().gid())
                && one.udpPort() == nic.device().udpPort() && one.typeId() == CounterLayout.TYPE_NIC
                && one.label().equals(counter.label())).mapToLong(Counter::value).sum();
            assertEquals(captured.count(counter.label()), value, "in the file: " + counter.label());
        }
        for (QueuePairLink link : links) {
            int number = link.queuePair.number();
            QueuePairRow row = view.queuePairs().stream().filter(one -> one.number() == number
                && one.device().equals(nic.device().gid()) && one.udpPort() == nic.device().udpPort()).findFirst().orElseThrow();
            for (NicCounter counter : COMPARED) {
                assertEquals(captured.count(counter.label(), number), row.get(counter.label()),
                    "queue pair " + number + " " + counter.label());
            }
            assertEquals(captured.count("dropped_pkts", number), row.get("dropped_pkts"), "queue pair " + number);
        }
    }

    private static void exchange(QueuePairLink from, QueuePairLink to, long seed) {
        byte[] data = new byte[MESSAGE_BYTES];
        new Random(seed).nextBytes(data);
        from.memory.put(0, data);
        from.queuePair.postSend(new WorkRequest().id(1).write(to.region.address() + MESSAGE_BYTES, to.region.rKey())
            .add(from.region, 0, MESSAGE_BYTES));
        from.complete();
        to.queuePair.postReceive(new ReceiveRequest().id(2).add(to.region, 2L * MESSAGE_BYTES, MESSAGE_BYTES));
        from.queuePair.postSend(new WorkRequest().id(3).send().add(from.region, 0, MESSAGE_BYTES));
        to.complete();
        from.complete();
        to.queuePair.postSend(new WorkRequest().id(4).read(from.region.address(), from.region.rKey())
            .add(to.region, 3L * MESSAGE_BYTES, MESSAGE_BYTES));
        to.complete();
        for (int copy = 1; copy <= 3; copy++) {
            byte[] arrived = new byte[MESSAGE_BYTES];
            to.memory.get(copy * MESSAGE_BYTES, arrived);
            assertArrayEquals(data, arrived, "copy " + copy);
        }
    }
}
