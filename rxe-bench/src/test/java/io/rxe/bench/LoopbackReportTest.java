package io.rxe.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A loopback report")
class LoopbackReportTest {
    @Test
    void isOneTableWithCountersAndMachine() {
        assertEquals("""
            verified: 7 operations, 86 messages, 12.0 MiB sent, 40.0 MiB compared, all right (0.25 s)

            operation         bytes    MB/s  Gbit/s    msg/s  rtt p50  p90   p99  p99.9   max
            SEND                 64    64.0    0.51  1000000      9.0  9.9  10.0   10.0  10.0
            WRITE with imm  1048576  1048.6    8.39     1000      9.0  9.9  10.0   10.0  10.0

            MTU 4096, 1 queue pair, depth 64, 0.50 s each; round trips in us; posted and polled by another thread
            counters: sent_pkts 12, icrc_bad 0
            machine: Some CPU, 2 processors, Linux 6.1, Java 17 (Test), commit abc
            """, report(2).toText());
    }

    @Test
    void wrapsCountersBelowAHundredColumns() {
        String text = report(40).toText();
        assertTrue(text.lines().filter(line -> line.contains("counter_")).allMatch(line -> line.length() <= 100), text);
        assertTrue(text.contains(",\n          counter_"), text);
    }

    @Test
    void theCommaAtTheEndOfALineFitsIntoAHundredColumns() {
        for (int digits = 1; digits <= 18; digits++) {
            Map<String, Long> counts = new LinkedHashMap<>();
            for (int i = 0; i < 10; i++) {
                counts.put("c" + i, (long) Math.pow(10, digits - 1));
            }
            String text = LoopbackReport.wrapped("counters: ", counts);
            assertTrue(text.lines().allMatch(line -> line.length() <= 100), text);
        }
    }

    @Test
    void becomesJsonWithUnitsInTheNames() {
        String json = report(2).toJson();
        assertTrue(json.contains("\"operation\": \"rdma_write_with_immediate\""), json);
        assertTrue(json.contains("\"gigabits_per_second\": 0.512000"), json);
        assertTrue(json.contains("\"p99.9\": 10"), json);
        assertTrue(json.contains("\"sent_pkts\": 12"), json);
        assertTrue(json.endsWith("}\n"), json);
    }

    private static LoopbackReport report(int counterCount) {
        Histogram trips = new Histogram(1, 1_000_000, 3);
        for (int i = 1; i <= 100; i++) {
            trips.recordValue(i <= 50 ? 9_000 : i < 90 ? 9_500 : i < 92 ? 9_900 : 10_000);
        }
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("sent_pkts", 12L);
        counters.put("icrc_bad", 0L);
        for (int i = 2; i < counterCount; i++) {
            counters.put("counter_" + i, 1000L * i);
        }
        LoopbackPlan plan = new LoopbackPlan(OperationNames.ALL, List.of(1), List.of(64), PathMtu.MTU_4096, 1, 64,
            500_000_000, false, Application.CALLER, Application.CALLER, 1);
        return new LoopbackReport(plan, new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc"),
            new VerifyReport(7, 86, 12 << 20, 40 << 20, 250_000_000), List.of(
                new MeasuredRow(new Workload(Operation.SEND, 64), new BandwidthResult(1000, 64_000, 1_000_000), trips),
                new MeasuredRow(new Workload(Operation.RDMA_WRITE_WITH_IMMEDIATE, 1 << 20),
                    new BandwidthResult(1, 1 << 20, 1_000_000), trips)), counters);
    }
}
