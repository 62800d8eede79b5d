package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A loopback run")
class LoopbackRunTest {
    private static final MachineInfo MACHINE = new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc");

    @Test
    void measuresEveryOperation() {
        PairedDevice[] devices = PairedDevice.couple(PairedDevice.Fault.NONE);
        LoopbackReport report = run(devices, false, 2);
        assertEquals(5 * 2 + 2, report.rows().size());
        for (MeasuredRow row : report.rows()) {
            assertTrue(row.bandwidth().messages() > 0, row.workload() + " moved something");
            assertEquals(row.bandwidth().messages() * row.workload().sizeBytes(), row.bandwidth().bytes());
            assertTrue(row.roundTrips().getTotalCount() > 0, row.workload() + " made round trips");
        }
        assertEquals(Map.of("sent_pkts", 7L), report.counters());
    }

    @Test
    void measuresNothingWhenOnlyVerifying() {
        LoopbackReport report = run(PairedDevice.couple(PairedDevice.Fault.NONE), true, 1);
        assertEquals(List.of(), report.rows());
        assertTrue(report.toText().startsWith("verified: 7 operations, "), report.toText());
        assertTrue(report.toText().endsWith("machine: Some CPU, 2 processors, Linux 6.1, Java 17 (Test), commit abc\n"));
    }

    @Test
    void bandwidthTestFailsWhenAnAtomicTookEffectTwice() {
        PairedDevice[] devices = PairedDevice.couple(PairedDevice.Fault.ATOMIC_TWICE);
        BandwidthMeasurement test = new BandwidthMeasurement(devices[0], devices[1], new PairConfig(PathMtu.MTU_1024, 1, 8, 1),
            Application.CALLER);
        TransferFailure failure =
            assertThrows(TransferFailure.class, () -> test.run(new Workload(Operation.FETCH_AND_ADD, 8), 0, 1000));
        assertTrue(failure.getMessage().contains("were done, but the memory holds"), failure.getMessage());
    }

    @Test
    void bandwidthTestFailsWhenAByteIsWrong() {
        PairedDevice[] devices = PairedDevice.couple(PairedDevice.Fault.FLIPPED_BYTE);
        BandwidthMeasurement test = new BandwidthMeasurement(devices[0], devices[1], new PairConfig(PathMtu.MTU_1024, 1, 8, 1),
            Application.CALLER);
        TransferFailure failure =
            assertThrows(TransferFailure.class, () -> test.run(new Workload(Operation.RDMA_READ, 100), 0, 1000));
        assertEquals("READ of 100 bytes, queue pair 0, slot 0: byte 50 of the message is not what was sent",
            failure.getMessage());
    }

    private static LoopbackReport run(PairedDevice[] devices, boolean verifyOnly, int queuePairs) {
        LoopbackPlan plan = new LoopbackPlan(OperationNames.ALL, List.of(0, 5000), List.of(64, 5000), PathMtu.MTU_1024,
            queuePairs, 10, 1_000_000, verifyOnly, Application.CALLER, Application.CALLER, 3);
        AtomicLong reads = new AtomicLong();
        Supplier<Map<String, Long>> counters = () -> {
            Map<String, Long> counts = new LinkedHashMap<>();
            counts.put("sent_pkts", 10 + 7 * reads.getAndIncrement());
            return counts;
        };
        return new LoopbackRun(devices[0], devices[1], plan, counters).run(MACHINE, step -> { });
    }
}
