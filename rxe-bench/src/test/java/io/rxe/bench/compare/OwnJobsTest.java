package io.rxe.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Measurements of our own program")
class OwnJobsTest {
    private static final String RESULT = """
        {"measurements": [
          {"operation": "rdma_write", "size_bytes": 65536, "gigabits_per_second": 12.5, "messages_per_second": 1000,
           "round_trip_ns": {"p50": 9000, "p99": 20000}}]}
        """;

    private final OwnJobs jobs = new OwnJobs(List.of("java", "Main"), 4791, 1_500_000_000);

    @Test
    void askForJsonAndReadGoodputByOperationSizeAndMtu() {
        Job job = jobs.nic().get(0);
        assertEquals(List.of("java", "Main", "loopback", "--port", "4791", "--duration", "1.500", "--json", "-"),
            job.command().subList(0, 9));
        assertEquals(Map.of("rxe/write/65536/4096", 12.5), job.reader().read(RESULT));
    }

    @Test
    void readTheRateAndBothPercentilesInMicroseconds() {
        Job job = jobs.nic().stream().filter(one -> one.what().equals("message rates and round trips")).findFirst().orElseThrow();
        assertEquals(Map.of("rxe/rate/write", 1000.0), job.reader().read(RESULT), "round trips of SEND only");
        assertEquals(Map.of("rxe/rate/send", 1000.0, "rxe/block/p50", 9.0, "rxe/block/p99", 20.0),
            job.reader().read(RESULT.replace("rdma_write", "send")));
    }

    @Test
    void readRawUdp() {
        Map<String, Double> figures = jobs.raw().get(0).reader().read("""
            {"raw": [{"payload_bytes": 64, "gigabits_per_second": 1, "frames_per_second": 2, "spin_p50_ns": 3000, "spin_p99_ns": 4000,
              "block_p50_ns": 5000, "block_p99_ns": 6000}]}
            """);
        assertEquals(Map.of("raw/gro/64", 1.0, "raw/rate", 2.0, "raw/spin/p50", 3.0, "raw/spin/p99", 4.0, "raw/block/p50", 5.0,
            "raw/block/p99", 6.0), figures);
    }

    @Test
    void refuseAResultWithoutMeasurements() {
        IllegalArgumentException refusal =
            assertThrows(IllegalArgumentException.class, () -> jobs.nic().get(0).reader().read("{\"measurements\": []}"));
        assertEquals("there are no measurements", refusal.getMessage());
    }

    @Test
    void everyWorkOfOursIsMeasuredBySomeJob() {
        List<String> read = List.of("rxe/send", "rxe/write", "rxe/read", "rxe/single", "rxe/rate", "rxe/many", "rxe/block", "rxe/spin");
        for (Work work : Works.loopback()) {
            assertTrue(read.stream().anyMatch(work.ours()::startsWith), work.ours());
        }
    }

    @Test
    void everyWorkBetweenNamespacesIsMeasuredByOneJob() {
        List<Job> all = new VethJobs(List.of("java", "Main"), new PeerJobs(Path.of("/nonexistent"), List.of("java"), 1), "a", "b",
            1_000_000_000).all();
        List<String> measured = all.stream().map(Job::what).toList();
        for (Work work : Works.veth()) {
            assertEquals(1, measured.stream().filter(work.ours()::equals).count(), work.ours());
        }
        Job first = all.get(0);
        assertEquals(List.of("ip", "netns", "exec", "b", "java", "Main", "ib_write_bw", "-d", "198.18.1.2"), first.server().subList(0, 9));
        assertEquals(List.of("ip", "netns", "exec", "a"), first.command().subList(0, 4));
        assertEquals(Map.of("veth/1/rxe/write/65536", 7.5), first.reader().read("{\"results\": [{\"average_gbit_per_s\": 7.5}]}"));
        assertThrows(IllegalArgumentException.class, () -> first.reader().read("{\"results\": []}"));
    }
}
