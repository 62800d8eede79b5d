package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.counters.NicCounter;
import io.rxe.port.EcnOptions;
import io.rxe.port.Progress;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.CongestionOptions.Controller;
import io.rxe.verbs.PathMtu;
import io.rxe.wire.Ecn;
import io.rxe.wire.Opcode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What routers mark is seen and notified, between NICs on real sockets")
class CongestionMarksTest {
    private static final int BYTES = 100_000;
    private static final int ROUNDS = 20;
    private static final int CNP_CLASS = 48 << 2;

    @TempDir
    private Path folder;

    private static long marked(RxeNic nic) {
        return nic.core().counter(NicCounter.NP_ECN_MARKED_ROCE_PACKETS);
    }

    private static long notified(RxeNic nic) {
        return nic.core().counter(NicCounter.RP_CNP_HANDLED) + nic.core().counter(NicCounter.RP_CNP_IGNORED);
    }

    @ParameterizedTest(name = "{0} and {1}, {2} engines, {3}")
    @CsvSource({"127.0.0.1, 127.0.0.2, 1, THREAD", "127.0.0.1, 127.0.0.2, 3, THREAD", "127.0.0.1, 127.0.0.2, 1, POLLING",
        "::1, ::1, 1, THREAD", "::1, ::1, 2, THREAD"})
    void everyMarkIsCountedAndNotified(String left, String right, int engines, Progress progress) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults(left).withUdpPort(FreePorts.udp(left)).withEcn(EcnOptions.ON)
            .withEngines(engines).withProgress(progress);
        AtomicInteger marks = new AtomicInteger();
        try (RxeNic one = RxeNic.open(options.withFault((inner, counters) -> new MarkingRouter(inner, batch -> batch % 3 == 0, marks)));
             RxeNic two = RxeNic.open(options.withAddress(right).withUdpPort(FreePorts.udp(left, right)))) {
            for (int round = 0; round < ROUNDS; round++) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, BYTES);
            }
            assertTrue(marks.get() > ROUNDS);
            assertEquals(0, marked(one));
            assertTrue(marked(two) <= marks.get() && marked(two) > marks.get() / 2, marked(two) + " of " + marks);
            long sent = two.core().counter(NicCounter.NP_CNP_SENT);
            assertTrue(sent >= ROUNDS && sent <= marked(two), sent + " CNPs for " + marked(two) + " marks");
            while (notified(one) < two.core().counter(NicCounter.NP_CNP_SENT)) {
                Thread.onSpinWait();
            }
            assertEquals(0, notified(two));
        }
    }

    @ParameterizedTest(name = "with {0} CNPs count as {1}")
    @CsvSource({"DCQCN, RP_CNP_HANDLED", "NONE, RP_CNP_IGNORED"})
    void theControllerIsTheOneThatWasChosen(Controller controller, NicCounter counter) throws Exception {
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(FreePorts.udp("127.0.0.1")).withEcn(EcnOptions.ON)
            .withCongestion(new CongestionOptions(controller, Map.of()));
        AtomicInteger marks = new AtomicInteger();
        try (RxeNic one = RxeNic.open(options.withFault((inner, counters) -> new MarkingRouter(inner, batch -> true, marks)));
             RxeNic two = RxeNic.open(options.withAddress("127.0.0.2").withUdpPort(FreePorts.udp("127.0.0.2")))) {
            assertEquals(controller, one.core().congestion().controller());
            for (int round = 0; round < ROUNDS; round++) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, BYTES);
            }
            while (notified(one) < two.core().counter(NicCounter.NP_CNP_SENT)) {
                Thread.onSpinWait();
            }
            // A second one in a round trip counts as ignored with any controller.
            long counted = one.core().counter(counter);
            assertTrue(2 * counted > notified(one), counted + " of " + notified(one) + " count so");
            assertEquals(controller == Controller.NONE, one.core().counter(NicCounter.RP_CNP_HANDLED) == 0);
        }
    }

    @Test
    @DisplayName("on the wire a CNP has DSCP 48 and is not ECT; the capture of the receiver shows what was marked")
    void notificationsOnTheWire() throws Exception {
        int leftPort = FreePorts.udp("127.0.0.1");
        int rightPort = FreePorts.udp("127.0.0.2");
        RxeNicOptions options = RxeNicOptions.defaults("127.0.0.1").withUdpPort(leftPort).withEcn(EcnOptions.ON);
        AtomicInteger marks = new AtomicInteger();
        Path own = folder.resolve("own.pcapng");
        List<WireCapture.Seen> wire;
        long sent;
        long seen;
        try (WireCapture capture = new WireCapture("127.0.0.1", leftPort, rightPort)) {
            try (RxeNic one = RxeNic.open(options.withFault((inner, counters) -> new MarkingRouter(inner, batch -> true, marks)));
                 RxeNic two = RxeNic.open(options.withAddress("127.0.0.2").withUdpPort(rightPort).withCaptureFile(own))) {
                QueuePairLink.exchange(one, two, PathMtu.MTU_1024, BYTES);
                sent = two.core().counter(NicCounter.NP_CNP_SENT);
                seen = marked(two);
            }
            wire = capture.packets();
        }
        List<WireCapture.Seen> notifications = wire.stream().filter(packet -> packet.opcode() == Opcode.CNP).toList();
        assertEquals(sent, notifications.size());
        assertTrue(sent > 0);
        assertTrue(notifications.stream().allMatch(packet -> packet.trafficClass() == CNP_CLASS), notifications.toString());
        List<WireCapture.Seen> captured = WireCapture.read(own, leftPort, rightPort);
        assertEquals(seen, captured.stream().filter(packet -> packet.trafficClass() == Ecn.CONGESTION_EXPERIENCED).count());
        assertEquals(sent, captured.stream().filter(packet -> packet.opcode() == Opcode.CNP && packet.trafficClass() == CNP_CLASS)
            .count());
    }
}
