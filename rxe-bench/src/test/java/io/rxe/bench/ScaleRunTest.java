package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.PathMtu;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A scale test")
class ScaleRunTest {
    private static final MachineInfo MACHINE = new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc");

    @Test
    void hasARowForEachNumberOfQueuePairs() {
        PairedDevice[] devices = PairedDevice.couple(PairedDevice.Fault.NONE);
        ScalePlan plan = new ScalePlan(List.of(1, 50), 5000, 64, PathMtu.MTU_1024, 8, 5_000_000, 1);
        ScaleReport report = new ScaleMeasurement(devices[0], devices[1], plan, Map::of).run(MACHINE, step -> { });
        assertEquals(List.of(1, 50), report.rows().stream().map(ScaleRow::queuePairs).toList());
        for (ScaleRow row : report.rows()) {
            assertTrue(row.large().bytes() > 0 && row.small().bytes() > 0 && row.alone().bytes() > 0, "everything moved something");
            assertTrue(row.large().fairness() > 0 && row.large().fairness() <= 1.0000001, "fairness " + row.large().fairness());
        }
        assertTrue(report.toText().contains("\nmachine: Some CPU"), report.toText());
        assertTrue(report.toJson().contains("\"goodput_fairness\": "), report.toJson());
    }

    @Test
    void refusesMoreQueuePairsThanAPairCanHave() {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new ScalePlan(List.of(20_000), 1, 1, PathMtu.MTU_1024, 1, 1, 1));
        assertTrue(refusal.getMessage().startsWith("queue pairs 20000 is not in 1..16384"), refusal.getMessage());
    }
}
